"""crowdlog explain: a release in plain English."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json


@click.command("explain")
@click.argument("release")
@json_option
def command(release: str, as_json: bool) -> None:
    """Say in plain English how RELEASE was made and what it means for one person.

    \b
    Example: crowdlog explain OUT
    """
    from crowdlog.release.explain import explain
    from crowdlog.release.folder import Release

    text = explain(Release.open(release).label)
    if as_json:
        show_json({"explanation": text})
    else:
        click.echo(text)
