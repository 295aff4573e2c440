"""`crowdlog crowd`: collect from volunteers what many of them have in common, and nothing else."""

from __future__ import annotations

import click

from crowdlog.cli import crowd_running as crowd_running  # adds its commands to `collection`
from crowdlog.cli.crowd_account import account, panel
from crowdlog.cli.crowd_attack import attack
from crowdlog.cli.crowd_member import due, join, leave, mine, outbox, receipt
from crowdlog.cli.crowd_operator import collection
from crowdlog.cli.crowd_sending import send
from crowdlog.cli.crowd_services import serve, simulate, up
from crowdlog.cli.output import InOrderOfUse


@click.group(name="crowd", cls=InOrderOfUse)
def command() -> None:
    """Collect what at least k volunteers have in common; nobody can read the rest.

    \b
    For a trial:      crowdlog crowd up DIR, then collection create | status | close | publish
    For a volunteer:  join LINK, mine LOG, outbox, send, leave
    Example: crowdlog crowd simulate --clients 40 --k 5 --rows 3
    """


for _part in (
    up,
    serve,
    collection,
    panel,
    join,
    mine,
    outbox,
    send,
    due,
    receipt,
    leave,
    account,
    simulate,
    attack,
):
    command.add_command(_part)
