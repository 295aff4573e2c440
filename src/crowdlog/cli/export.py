"""crowdlog export: a release as TSV, Parquet or GraphML."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json


@click.command("export")
@click.argument("release")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["tsv", "parquet", "graphml"]),
    default="tsv",
    show_default=True,
    help="What to write.",
)
@click.option("-o", "--out", required=True, help="The folder to write.")
@json_option
def command(release: str, format_: str, out: str, as_json: bool) -> None:
    """Write the tables of RELEASE as TSV or Parquet, or its query–click graph as GraphML.

    \b
    Example: crowdlog export OUT --format graphml -o GRAPH
    """
    from crowdlog.release.export import export
    from crowdlog.release.folder import Release

    written = export(Release.open(release), out, format_)
    if as_json:
        show_json([str(path) for path in written])
    else:
        click.echo("\n".join(str(path) for path in written))
