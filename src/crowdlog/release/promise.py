"""What a mechanism says before it sees any data, and what it hands over after it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from crowdlog.errors import PrivacyRefusal
from crowdlog.plan.agreement import contradictions
from crowdlog.plan.candidates import OfTheLog
from crowdlog.plan.selections import AtLeast, NoisyThreshold, SampledThreshold
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.privacy.accounting import for_ledger
from crowdlog.privacy.guarantee import Guarantee, compose
from crowdlog.privacy.noise import DiscreteLaplace

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.engine.connection import Engine
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

Setting = float | int | str
# What the rows of each table are, for people.
ROWS_IN_WORDS = {
    "queries": "queries",
    "clicks": "clicked URLs",
    "pairs": "pairs of queries",
    "sessions": "sequences",
    "words": "words",
    "word_pairs": "pairs of words",
    "sites": "clicked sites",
    "query_sites": "clicked sites of queries",
    "word_sites": "clicked sites of words",
    "triples": "triples of queries",
    "visits": "visited pages of queries",
    "lengths": "numbers of words",
    "hours": "hours",
    "activity": "numbers of searches",
    "shares": "shares of searches",
    "repeats": "bands of queries",
    "topics": "topics",
    "topic_hours": "hours of topics",
}


@dataclass(frozen=True)
class Step:
    """One step of a mechanism and what it costs."""

    name: str
    what: str
    epsilon: float = 0.0
    delta: float = 0.0


@dataclass(frozen=True, repr=False)
class Promise:
    """Everything that can be said without looking at the log.

    `tables`: the plan of each published table of counts, in order. A plan that contradicts itself, or costs
    more than the guarantee says, is refused (plan/agreement.py).
    """

    guarantee: Guarantee
    steps: tuple[Step, ...]
    tables: tuple[TablePlan, ...] = ()
    numbers: Mapping[str, Setting] = field(default_factory=dict)  # further numbers for people to read
    assumptions: tuple[str, ...] = ()
    errata: tuple[str, ...] = ()  # where the paper's claim is wrong or was changed
    unprotected: tuple[str, ...] = ()  # what the guarantee does not cover
    # what tight composition needs of each step (privacy/accounting.py)
    accounting: tuple[Mapping[str, Any], ...] = ()
    proof: str = ""  # the page in proofs/
    # the paper's own real-valued formulas at these parameters
    as_published: Mapping[str, Setting] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = contradictions(self.tables, self.guarantee)
        if found:
            raise PrivacyRefusal(f"This promise contradicts itself. {found[0].sentence}")

    def __repr__(self) -> str:
        return (
            f"Promise({self.guarantee}; tables: {', '.join(table.name for table in self.tables) or 'none'})"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from crowdlog.pages.in_notebook import fields_in_notebook
        from crowdlog.release.meaning import meaning_for_one_person

        told = {"tables": ", ".join(table.name for table in self.tables), "proof": self.proof}
        uncovered = {f"not covered ({i})": line for i, line in enumerate(self.unprotected, 1)}
        return fields_in_notebook(
            str(self.guarantee), {"meaning": meaning_for_one_person(self.guarantee)} | told | uncovered
        )

    @property
    def counts(self) -> str:
        """What a published count counts: "impressions", "users", or "" when no counts are published."""
        return self.tables[0].counts if self.tables and not self.tables[0].names_only else ""

    @property
    def settings(self) -> dict[str, Setting]:
        """Thresholds and noise of every table, and further numbers: for people, never for programs."""
        return {
            **self.numbers,
            **{name: value for plan in self.tables for name, value in plan.numbers().items()},
        }

    @property
    def error_bars(self) -> dict[str, float]:
        """The standard deviation of the noise in each table that has the same in every row."""
        return {
            plan.name: plan.noise.sd
            for plan in self.tables
            if plan.noise is not None and not isinstance(plan.noise, RowNoise)
        }

    def table(self, name: str) -> TablePlan:
        """The plan of this table."""
        return next(plan for plan in self.tables if plan.name == name)


def promise_of(
    tables: Sequence[TablePlan], *, first: Iterable[Step] = (), covered: Guarantee | None = None, **more: Any
) -> Promise:
    """The promise of tables whose selections and counts each pay for themselves: ε and δ add up over all of
    them.

    `first`: steps before them. `covered`: what is promised instead, where the sum is not the whole truth.
    """
    steps = [step for plan in tables for step in steps_of(plan)]
    guarantee = (
        compose([part for plan in tables for part in plan.guarantees()]) if covered is None else covered
    )
    accounting = (
        for_ledger(step for plan in tables for step in plan.accounting()) if guarantee.protects else ()
    )
    return Promise(guarantee, (*first, *steps), tuple(tables), accounting=accounting, **more)


def steps_of(plan: TablePlan) -> list[Step]:
    """Choosing and counting one table, each with its ε and δ."""
    number = (
        "number of people"
        if isinstance(plan.selection, NoisyThreshold) and plan.selection.on == "users"
        else "number of impressions"
    )
    keys = ROWS_IN_WORDS[plan.name] + (
        " of shown queries" if not isinstance(plan.candidates, OfTheLog) and plan.name != "queries" else ""
    )
    parts = plan.guarantees()
    steps = [Step(f"Bound {plan.name}", f"Count {plan.bound}.")]
    match plan.selection:
        case NoisyThreshold(K=K, at_least=at_least):
            if at_least > 1:
                what = (
                    f"Drop {keys} of fewer than {at_least} before any noise; "
                    "the cost of this look at the data is part of δ."
                )
                steps.append(Step(f"Drop {plan.name}", what))
            rule = f"Show {keys} whose {number} plus noise is above {K}"
            rule += ", with that noisy number." if plan.reuses_noise else "."
            verb = "Select and count" if plan.reuses_noise else "Select"
            steps.append(Step(f"{verb} {plan.name}", rule, parts[0].epsilon, parts[0].delta))
        case AtLeast(k, on):
            what = "different people" if on == "users" else "impressions"
            steps.append(
                Step(
                    f"Select {plan.name}",
                    f"Publish {keys} of at least {k} {what}, with exact counts of {plan.counts}.",
                )
            )
        case SampledThreshold() as chosen:
            rule = (
                f"Whether a person takes part is drawn for each of her {keys}, in a collection by herself, "
                f"with probability {chosen.millionths / 1e6:g}. Show those of which at least {chosen.K} took "
                "part, with that number; divided by the probability it estimates all who have it."
            )
            steps.append(Step(f"Sample {plan.name}", rule, parts[0].epsilon, parts[0].delta))
        case _:
            pass
    if isinstance(plan.noise, DiscreteLaplace) and not plan.reuses_noise:
        least = "" if plan.least is None else f", if at least {plan.least}"
        rule = f"Publish {plan.counts} with fresh noise of scale {plan.noise.scale:.4g}{least}."
        steps.append(Step(f"Count {plan.name}", rule, parts[-1].epsilon, parts[-1].delta))
    return steps


def said_of(steps: Iterable[Step], spelled: str, table: str) -> tuple[Step, ...]:
    """The steps of the table `spelled`, told of another table that is decided over in the same way."""
    if spelled == table:
        return tuple(steps)
    return tuple(
        replace(
            step,
            name=step.name.replace(spelled, table),
            what=step.what.replace(ROWS_IN_WORDS[spelled], ROWS_IN_WORDS[table]),
        )
        for step in steps
    )


@dataclass(frozen=True)
class Protected:
    """The tables to publish, by name. `notes` are facts about this run that cost no privacy."""

    tables: Mapping[str, pa.Table]
    notes: Mapping[str, Setting] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Protected({', '.join(f'{name}: {table.num_rows} rows' for name, table in self.tables.items())})"
        )


class Protects(Protocol):
    """What publishing needs to know of a mechanism. Its `repr` is its spelling."""

    title: ClassVar[str]
    source: ClassVar[str]
    unsafe: ClassVar[bool]

    def promise(self) -> Promise: ...

    def protect(
        self, log: LogStore, randomness: Randomness, *, engine: Engine | None = None
    ) -> Protected: ...

    def check_inputs(self) -> None:
        """Raise InputError when a file the mechanism needs cannot be read: before anything is charged."""
        ...

    def check_log(self, log: LogStore) -> None:
        """Raise InputError when the log cannot be published by it: before anything is charged."""
        ...

    def doubts(self, users: int) -> tuple[str, ...]:
        """Warnings for a log of so many users."""
        ...

    def check_engine(self, engine: Engine) -> None:
        """Raise InputError when this engine cannot make its tables: before anything is charged."""
        ...
