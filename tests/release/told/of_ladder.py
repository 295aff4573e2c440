"""Sentences of a ladder, whose tables follow from the number of people."""

from __future__ import annotations

from typing import Any

from crowdlog.number_format import rounded_down
from tests.release.told.truths import Filled, True_, by

EDGES = {"query_sites", "word_sites", "pairs"}
ladder = by("Ladder")
with_breakdowns = by("Ladder", where=lambda made: bool(made.setting.breakdowns))


def has(breakdown: str) -> True_:
    return by("Ladder", where=lambda made: breakdown in made.setting.breakdowns)


def people(made: Any) -> str:
    return f"{made.setting.people:,}"


OF_LADDER: dict[str, dict[str, True_]] = {
    "mechanisms/ladder.py": {
        "The number of people is public": by("Ladder", where=lambda made: made.people is not None),
        "Rows that nobody or one person alone has": ladder,
        "invented words at most": ladder,
        "invented rows of other tables at most": ladder,
        "invented rows of other tables, at least": ladder,
        "invented rows of other tables, most": ladder,
        "rows to expect: {}": ladder,
    },
    "mechanisms/rungs/people.py": {"kept share, pass {}": ladder},
    "mechanisms/rungs/publish.py": {"{}: invented rows, on average, at most": ladder},
    "mechanisms/rungs/repeats.py": {
        # with `people` left out the plan is that for 20,000, which has this table, and the release has it not
        "searches for each person, queries {}": by(
            "Ladder", where=lambda made: "repeats" in made.setting.breakdowns and made.people is not None
        )
    },
    "mechanisms/rungs/wording.py": {
        "Every person counts once for each shown key": ladder,
        "In each of these tables count": with_breakdowns,
        " In `shares` each row is a sum": has("shares"),
        " In `repeats` it is her searches": has("repeats"),
        "All noise below together protects": Filled(ladder, lambda made: (rounded_down(1 / made.mu),)),
        "A person supports at most": Filled(ladder, lambda made: (made.items,)),
        "With {} people expect about": ladder,
        "Count the people with noise": by("Ladder", where=lambda made: made.people is None),
        "Show combinations of what is shown": by(
            "Ladder",
            where=lambda made: bool({"query_sites", "word_sites", "pairs"} & set(made.setting.tables)),
        ),
        "Left out, with fewer than": by("Ladder", where=lambda made: bool(made.setting.left_out)),
        "Show those whose noisy weight reaches": ladder,
        "Bound and count people": ladder,
        "Divide and count {}": with_breakdowns,
    },
}
