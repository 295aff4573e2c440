"""`crowdlog forward`: queries that travel, simulated, attacked and run."""

from __future__ import annotations

import click

from crowdlog.cli.forward_node import circle, engine, node, up
from crowdlog.cli.forward_study import attack, simulate
from crowdlog.cli.output import InOrderOfUse


@click.group(name="forward", cls=InOrderOfUse)
def command() -> None:
    """Hide in a social network: friends of friends submit your queries.

    \b
    To study:  crowdlog forward simulate, crowdlog forward attack
    To run:    crowdlog forward up for a trial on this machine; crowdlog forward circle for friends on
               several machines, who each run crowdlog forward node
    Example: crowdlog forward simulate --users 1000 --queries 20
    """


for _part in (simulate, attack, up, circle, node, engine):
    command.add_command(_part)
