"""`crowdlog crowd attack`: the attacks of the threat model, carried out."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json, show_table
from crowdlog.errors import CrowdlogError

_SAID = {True: "succeeds", False: "fails", None: "–"}


@click.command(short_help="Attack a small collection and compare with the threat model.")
@json_option
def attack(as_json: bool) -> None:
    """Attack a small collection, and one of the 2013 design, and compare what happens with the threat model.

    \b
    Example: crowdlog crowd attack
    """
    from crowdlog.attacks.collection import demonstrate
    from crowdlog.privacy.randomness import SystemRandomness

    rows = demonstrate(SystemRandomness())
    if as_json:
        show_json([row.as_dict() for row in rows])
    else:
        table = [
            [
                row.name,
                _SAID[row.against_2013],
                _SAID[row.against_ours],
                "yes" if row.as_expected else "NO",
                row.note,
            ]
            for row in rows
        ]
        show_table(["attack", "2013 design", "crowdlog", "as expected", ""], table)
    wrong = sum(not row.as_expected for row in rows)
    if wrong:
        raise CrowdlogError(
            f"{wrong} of {len(rows)} attacks did not end as the threat model says; "
            "do not collect with this version."
        )
