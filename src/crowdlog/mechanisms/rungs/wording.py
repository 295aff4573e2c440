"""The steps of a ladder in words, for its label and for whoever plans one."""

from __future__ import annotations

from typing import Protocol

from crowdlog.mechanisms.rungs.setting import PAIRS_FROM, STEP_OF, Setting, expected_rows
from crowdlog.number_format import rounded_down
from crowdlog.plan.bounds import DividedPerson
from crowdlog.privacy.selection.adaptive_gaussian import NOISE_SHARE
from crowdlog.release.promise import Step

COUNTED = (
    "Every person counts once for each shown key. Who has many is scaled down to a length that is chosen "
    "with noise, so that few people exceed it; counts are divided by the share that scaling leaves, and so "
    "estimate people. `noise` is the standard deviation of the noise alone. `low` and `high` also allow for "
    "what scaling takes from one key more than from another: they hold the truth in 95 of 100 rows. "
    "`at_least` follows from the choice: so many people at the least."
)

BROKEN_DOWN = (
    f"In each of these tables count {DividedPerson(cells=1)}; every row gets the same noise, whether anybody "
    "is in it or not."
)
# What two of these tables count instead.
OF_THEIR_OWN = {
    "shares": " In `shares` each row is a sum of its own: the part of her searches for which it holds, added "
    "up over people.",
    "repeats": " In `repeats` it is her searches of the 10 released queries with the most people, of the "
    "next 90 and of the others, 256, 128 and 64 at most, in parts of these numbers: with the numbers of "
    "people they say how often one who asks a query asks it.",
}


class LadderTerms(Protocol):
    """What the wording needs to know of a ladder."""

    @property
    def epsilon(self) -> float: ...
    @property
    def delta(self) -> float: ...
    @property
    def people(self) -> int | None: ...
    @property
    def least_rows(self) -> float: ...
    @property
    def mu(self) -> float: ...


def about(rows: float) -> float:
    """Two digits."""
    return float(f"{rows:.2g}")


def expectations(setting: Setting, epsilon: float, least_rows: float) -> tuple[str, ...]:
    """Rows to expect of each table, and which tables are left out."""
    rows = ", ".join(
        f"{about(expected_rows(table, setting.people, epsilon)):,g} {table.replace('_', ' ')}"
        for table in setting.tables
    )
    told = [f"With {setting.people:,} people expect about {rows}."]
    if setting.left_out:
        names = ", ".join(table.replace("_", " ") for table in setting.left_out)
        told.append(
            f"Left out, with fewer than {least_rows:g} rows to expect (pairs: with fewer than "
            f"{PAIRS_FROM:,} people), not asked for, or resting on such a table: {names}."
        )
    return tuple(told)


def steps_of_ladder(setting: Setting, asked: LadderTerms) -> tuple[Step, ...]:
    """Every step, its bounds and its part of δ."""
    whole = (
        "All noise below together protects as one Gaussian noise does whose standard deviation is "
        f"{rounded_down(1 / asked.mu)} times what one person can change."
    )
    divided = " ".join(expectations(setting, asked.epsilon, asked.least_rows))
    if asked.people is None:
        divided = (
            "Count the people with noise; shares, bars and tables follow from that. What is told here is "
            f"told for {setting.people:,} people; the notes have the number that was used. {divided}"
        )
    steps = [Step("Add noise", whole, asked.epsilon, NOISE_SHARE * asked.delta), Step("Divide", divided)]
    for step, bar in setting.open_bar.items():
        tables = ", ".join(table for table in setting.tables if STEP_OF[table] == step)
        if tables:
            steps += _chosen(tables, setting.items_named if step == "named" else setting.items)
            rule = (
                f"Show those whose noisy weight reaches their bar: {bar:.4g} for what nothing public names, "
                "less for what released words or public lists name, so that noise invents few."
            )
            steps.append(Step(f"Select {tables}", rule, 0.0, setting.tails[step]))
    further = ", ".join(table for table in setting.tables if STEP_OF[table] in ("edges", "pairs"))
    if further:
        steps += _chosen(further, setting.items)
        rule = (
            "Show combinations of what is shown whose noisy weight reaches a bar that noise alone seldom "
            "reaches."
        )
        steps.append(Step(f"Select {further}", rule))
    if setting.breakdowns:
        names = ", ".join(setting.breakdowns)
        own = "".join(text for table, text in OF_THEIR_OWN.items() if table in setting.breakdowns)
        steps.append(Step(f"Divide and count {names}", BROKEN_DOWN + own))
    return (*steps, Step("Bound and count people", COUNTED))


def _chosen(tables: str, items: int) -> list[Step]:
    most = (
        f"A person supports at most {items} different ones, by lot where she has more, with one unit of "
        "weight in each round."
    )
    return [Step(f"Bound {tables}", most)]
