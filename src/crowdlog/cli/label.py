"""crowdlog label: the label of a release."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json


@click.command("label")
@click.argument("release")
@json_option
def command(release: str, as_json: bool) -> None:
    """Show the label of RELEASE: what is promised, what was spent, what is not covered.

    \b
    Example: crowdlog label OUT
    """
    from crowdlog.release.explain import label_page
    from crowdlog.release.folder import Release

    label = Release.open(release).label
    if as_json:
        show_json(label.to_json())
    else:
        click.echo(label_page(label))
