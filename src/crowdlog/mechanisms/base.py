"""What every mechanism is: a frozen dataclass of parameters that promises, then counts, decides and names."""

from __future__ import annotations

import dataclasses
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.artifacts.representations import WITH_WORD_LISTS
from crowdlog.errors import InputError
from crowdlog.extras import need
from crowdlog.mechanisms.asked import as_asked
from crowdlog.mechanisms.parameters import check, with_role
from crowdlog.plan.bounds import Counts
from crowdlog.plan.decide import CountSource, Kept, decide
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.release.promise import Promise, Protected

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.engine.connection import Engine
    from crowdlog.engine.log_source import LogSource
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.release.folder import Release


class MechanismType(ABCMeta):
    """Says which parameters there are when one is misspelt or missing: in Python as on the command line."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        if not dataclasses.is_dataclass(cls):
            return super().__call__(*values, **named)
        fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
        for name in named:
            if name not in fields:
                raise InputError(f"{cls.__name__} has no parameter '{name}'. It has: {', '.join(fields)}.")
        for name, field in list(fields.items())[len(values) :]:
            optional = (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
            if name not in named and not optional:
                what = field.metadata.get("help", "")
                raise InputError(f"{cls.__name__} needs the parameter '{name}': {what}")
        return super().__call__(*values, **named)


class Mechanism(metaclass=MechanismType):
    """A published method with its parameters. `repr` is its spelling everywhere: code, shell, label, plot."""

    title: ClassVar[str]  # one line: what it is
    example: ClassVar[str]  # a spelling to try
    source: ClassVar[str]  # where it was published
    # In the letters of its proof: DL(b) is discrete Laplace noise of scale b, N(0, s²) rounded Gaussian
    # noise, Z′ a fresh draw; counts are those of what is left when each user's contributions are bounded.
    formula: ClassVar[str] = ""
    unsafe: ClassVar[bool] = False  # kept for attacks and comparison only
    # why a collection's counts are not enough for it
    whole_log: ClassVar[str] = "it publishes people's own rows"
    collected_counts: ClassVar[tuple[Counts, ...]] = ()  # what a collection that it decides over may count
    counts_only: ClassVar[bool] = (
        False  # whether its own `protect` asks for counts alone, so engines may differ
    )
    hashed_words: ClassVar[bool] = False  # whether its rows have a hash in the place of each word
    people_column: ClassVar[str] = "users"  # how it calls the number of people beside impressions

    def __init_subclass__(cls, **options: Any) -> None:
        """Every promise of every mechanism is compared with its parameters; no author can forget it."""
        super().__init_subclass__(**options)
        for name in {"promise", "opened"} & vars(cls).keys():
            setattr(cls, name, as_asked(vars(cls)[name]))

    def __post_init__(self) -> None:
        check(self)
        if not WITH_WORD_LISTS.isdisjoint(with_role(self, "representation").values()):
            need("text")

    @abstractmethod
    def promise(self) -> Promise:
        """What will be guaranteed, from the parameters alone, and the plan of every table."""

    def opened(self, k: int) -> Promise:
        """The promise where artifacts of fewer than k people cannot be seen at all, as in a collection."""
        from crowdlog.mechanisms import MECHANISMS, find

        fitting = ", ".join(name for name in MECHANISMS if find(name).collected_counts)
        refused = f"A collection cannot be published with {type(self).__name__}: {self.whole_log}."
        raise InputError(f"{refused} Use one of {fitting}.")

    @cached_property
    def plan(self) -> tuple[TablePlan, ...]:
        """The plan of every table. Kept, because thresholds take time to find."""
        return self.promise().tables

    def protect(self, log: LogStore, randomness: Randomness, *, engine: Engine | None = None) -> Protected:
        """Compute the tables that may be published.

        Reads the log; charges nothing: call `release` to publish.
        """
        with self.open(log, engine) as source:
            return Protected(self.name(source, self.decide(source, randomness)))

    def open(self, log: LogStore, engine: Engine | None = None) -> Any:
        """The log as a source of counts, in the representation of the plan; to be used in a `with`."""
        from crowdlog.engine.log_source import open_log

        return open_log(log, self.plan[0].artifact.representation, engine)

    def decide(self, source: CountSource, randomness: Randomness) -> dict[str, Kept]:
        """Which keys are published with which counts: follows the plan, draws all noise, sees no text."""
        return decide(self.plan, source, randomness)

    def name(self, source: LogSource, kept: Mapping[str, Kept]) -> dict[str, pa.Table]:
        """The kept keys as texts. Tables with Gaussian noise tell its standard deviation in every row."""
        tables = {}
        for plan in self.plan:
            found = kept[plan.name]
            noise = (
                {"noise": np.full(len(found.key), plan.noise.sd)}
                if isinstance(plan.noise, RoundedGaussian)
                else {}
            )
            tables[plan.name] = source.table(plan, found, **noise)
        return tables

    def check_inputs(self) -> None:
        """Raise InputError when a public file the mechanism needs cannot be read."""
        return

    def doubts(self, users: int) -> tuple[str, ...]:
        """Warnings for a log of so many users: nothing, unless a mechanism's parameters ask for a size."""
        return ()

    def check_log(self, log: LogStore) -> None:
        """Raise InputError when this log cannot be published by it at all: before anything is charged."""
        return

    def check_engine(self, engine: Engine) -> None:
        """Raise InputError when this engine cannot make its tables: before anything is charged."""
        own = type(self).protect is not Mechanism.protect and not self.counts_only
        if engine.elsewhere and own:
            raise InputError(
                f"{type(self).__name__} reads the whole log on one machine. Use --engine duckdb for it."
            )
        engine.check(self.plan if engine.elsewhere else ())

    def advice(self, log: LogStore) -> tuple[str, ...]:
        """Sentences for the owner of the log, before anything is charged.

        They may depend on the log: never published, never a refusal.
        """
        return ()

    def people_of_a_word(self) -> int | None:
        """How many people must have typed a word for it to be shown; None where that is no rule of it."""
        return None

    def rows_to_expect(self, people: int) -> Mapping[str, float]:
        """About how many rows each table has with so many people, as measured on synthetic logs; nothing
        where that was not measured table by table.
        """
        return {}

    def release(self, log: LogStore, out: str | Path, **options: Any) -> Release:
        """Charge the log's ledger, protect, and write the release folder.

        Options: see `crowdlog.release.publish.publish`.
        """
        from crowdlog.release.publish import publish

        return publish(self, log, out, **options)

    def __repr__(self) -> str:
        declared = dataclasses.fields(self)  # type: ignore[arg-type]
        fields = [(field, getattr(self, field.name)) for field in declared]
        given = [f"{field.name}={_spell(value)}" for field, value in fields if value != field.default]
        return f"{type(self).__name__}({', '.join(given)})"


def _spell(value: Any) -> str:
    return (
        repr(int(value))
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15
        else repr(value)
    )
