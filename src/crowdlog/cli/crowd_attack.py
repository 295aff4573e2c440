"""`crowdlog crowd attack`: the attacks of the threat model, carried out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_json, show_table
from crowdlog.errors import CrowdlogError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crowdlog.attacks.collection import Demonstration
    from crowdlog.attacks.result import AttackResult
    from crowdlog.attacks.system import Linking, SystemAttack

_SAID = {True: "succeeds", False: "fails", None: "–"}
_YES = {True: "yes", False: "NO"}


@click.command(short_help="Attack small collections and compare with the threat model.")
@click.option("--protocol", is_flag=True, help="Only the attacks on reports and keys, without processes.")
@click.option("--linking", is_flag=True, help="Only who links volunteers with their reports.")
@click.option(
    "--volunteers",
    default=300,
    show_default=True,
    type=click.IntRange(0, 5000),
    help="How many volunteers send while every party tries to link them; 0: none.",
)
@json_option
def attack(as_json: bool, protocol: bool, linking: bool, volunteers: int) -> None:
    """Attack small collections and compare what happens with the threat model: the protocol beside the design
    of 2013, the system beside services whose repairs are switched off, and every party that could link
    volunteers with their reports, once with the repairs switched off and once with them.

    The whole takes some twenty minutes; --protocol alone a few seconds.

    \b
    Example: crowdlog crowd attack --protocol
    """
    from crowdlog.attacks.collection import demonstrate
    from crowdlog.attacks.system import demonstrate_system, link
    from crowdlog.privacy.randomness import SystemRandomness

    if linking and (protocol or not volunteers):
        raise InputError("--linking needs volunteers, and goes without --protocol.")
    randomness = SystemRandomness()
    rows = [] if linking else demonstrate(randomness)
    system = [] if protocol or linking else demonstrate_system(randomness)
    linked = [] if protocol or not volunteers else link(randomness, volunteers)
    if as_json:
        parts: dict[str, Sequence[Demonstration | SystemAttack | Linking]] = {
            "protocol": rows,
            "system": system,
            "linking": linked,
        }
        show_json({part: [one.as_dict() for one in found] for part, found in parts.items()})
    else:
        _show(rows, system, linked)
    outcomes = [row.as_expected for row in rows]
    outcomes += [one.as_expected for one in system]
    outcomes += [one.as_expected for one in linked]
    if not all(outcomes):
        raise CrowdlogError(
            f"{outcomes.count(False)} of {len(outcomes)} attacks did not end as the threat model says; "
            "do not collect with this version."
        )


def _show(rows: list[Demonstration], system: list[SystemAttack], linked: list[Linking]) -> None:
    if rows:
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
            ["who links volunteers with reports", "repairs off", "crowdlog", "promised", "as expected"],
            [
                [
                    one.ours.name,
                    _right(one.before),
                    _right(one.ours),
                    _YES[one.promised],
                    _YES[one.as_expected],
                ]
                for one in linked
            ],
        )


def _right(result: AttackResult) -> str:
    """How often an attacker was right, with its 95 % interval, and how often naming anybody would be."""
    low, high = result.interval or (0.0, 1.0)
    return f"{result.success:.2%} ({low:.2%} to {high:.2%}; chance {result.chance:.2%})"
