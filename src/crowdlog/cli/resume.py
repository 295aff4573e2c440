"""crowdlog resume: finish what a crash left charged but unpublished."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json


@click.command("resume")
@click.argument("store")
@json_option
def command(store: str, as_json: bool) -> None:
    """Finish every release of STORE that was charged but not published, at no further charge.

    Left-over files are destroyed unread and the noise is drawn afresh.

    \b
    Example: crowdlog resume STORE
    """
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.release.publish import resume

    done = resume(LogStore.open(store), parse)
    if as_json:
        show_json([{"path": str(release.path), "mechanism": release.label["crowdlog"]["mechanism"]} for release in done])
        return
    for release in done:
        click.echo(f"finished {release.path}")
    if not done:
        click.echo("Nothing to finish.")
