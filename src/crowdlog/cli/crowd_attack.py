"""`crowdlog crowd attack`: the attacks of the threat model, carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_json, show_table
from crowdlog.errors import CrowdlogError

if TYPE_CHECKING:
    from crowdlog.attacks.collection import Demonstration
    from crowdlog.attacks.result import AttackResult
    from crowdlog.attacks.system import SystemAttack

_SAID = {True: "succeeds", False: "fails", None: "–"}
_YES = {True: "yes", False: "NO"}


@click.command(short_help="Attack small collections and compare with the threat model.")
@click.option("--protocol", is_flag=True, help="Only the attacks on reports and keys, without processes.")
@click.option(
    "--volunteers",
    default=300,
    show_default=True,
    type=click.IntRange(0, 5000),
    help="How many volunteers send while every party tries to link them; 0: none.",
)
@json_option
def attack(as_json: bool, protocol: bool, volunteers: int) -> None:
    """Attack small collections and compare what happens with the threat model: the protocol beside the design
    of 2013, the system beside services whose repairs are switched off, and every party that could link
    volunteers with their reports.

    The whole takes some five minutes; --protocol alone a few seconds.

    \b
    Example: crowdlog crowd attack --protocol
    """
    from crowdlog.attacks.collection import demonstrate
    from crowdlog.attacks.system import demonstrate_system, link, links
    from crowdlog.privacy.randomness import SystemRandomness

    randomness = SystemRandomness()
    rows = demonstrate(randomness)
    system = [] if protocol else demonstrate_system(randomness)
    linked = [] if protocol or not volunteers else link(randomness, volunteers)
    if as_json:
        linking = [{**one.as_dict(), "links": links(one)} for one in linked]
        system_rows = [one.as_dict() for one in system]
        show_json({"protocol": [row.as_dict() for row in rows], "system": system_rows, "linking": linking})
    else:
        _show(rows, system, linked)
    outcomes = [row.as_expected for row in rows]
    outcomes += [one.as_expected for one in system]
    outcomes += [not links(one) for one in linked]
    if not all(outcomes):
        raise CrowdlogError(
            f"{outcomes.count(False)} of {len(outcomes)} attacks did not end as the threat model says; "
            "do not collect with this version."
        )


def _show(rows: list[Demonstration], system: list[SystemAttack], linked: list[AttackResult]) -> None:
    from crowdlog.attacks.system import links

    show_table(
        ["attack on the protocol", "2013 design", "crowdlog", "as expected", ""],
        [
            [row.name, _SAID[row.against_2013], _SAID[row.against_ours], _YES[row.as_expected], row.note]
            for row in rows
        ],
    )
    if system:
        show_table(
            ["attack on the system", "repair off", "crowdlog", "as expected", "repair"],
            [
                [one.name, _SAID[one.against_old], _SAID[one.against_ours], _YES[one.as_expected], one.repair]
                for one in system
            ],
        )
    if linked:
        show_table(
            ["who links volunteers with reports", "right", "95 % interval", "chance", "at chance"],
            [
                [
                    one.name,
                    f"{one.success:.2%}",
                    f"{one.interval[0]:.2%} to {one.interval[1]:.2%}" if one.interval else "",
                    f"{one.chance:.2%}",
                    _YES[not links(one)],
                ]
                for one in linked
            ],
        )
