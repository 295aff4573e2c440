"""crowdlog formats: which logs can be read."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json, show_table


@click.command("formats")
@click.option("--markdown", is_flag=True, help="Print the page docs/formats.md.")
@json_option
def command(markdown: bool, as_json: bool) -> None:
    """List the formats of search logs that 'crowdlog import' reads.

    \b
    Example: crowdlog formats
    """
    from crowdlog.log.formats.catalogue import describe, page

    if markdown:
        click.echo(page(), nl=False)
    elif as_json:
        show_json(describe())
    else:
        show_table(["format", ""], list(describe().items()))
