"""What the lines of a ledger come to: stores, budgets, charges and their states, looks; and whether a budget
holds one more release. Nothing is read or written here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from crowdlog.errors import InputError
from crowdlog.number_format import rounded_down, rounded_up
from crowdlog.privacy.gaussian_filter import gaussian_parts, promised_parts
from crowdlog.privacy.gaussian_filter import refusal as gaussian_refusal
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.journal import Line
from crowdlog.privacy.rounding import sum_up

State = Literal["charged", "publishing", "published", "lost"]
UNFINISHED: tuple[State, State] = ("charged", "publishing")
Rule = Literal["sum", "gaussian"]
NO_BUDGET = (
    "needs a budget first: the most that all releases about these people may spend together, decided before "
    "the first of them. Set it with 'crowdlog budget STORE --epsilon E --delta D', or add --budget E D to "
    "this release"
)


@dataclass(frozen=True)
class Entry:
    """One charge. `steps` is what tight accounting needs (accounting.py)."""

    id: int
    time: float  # seconds since 1970
    mechanism: str
    guarantee: Guarantee
    out: str
    state: State
    steps: tuple[Mapping[str, Any], ...]
    folder_hash: str | None = None  # of the one output that may be shown; None before it is made
    store: str = ""  # the id of the store that it was made from


@dataclass(frozen=True)
class Budget:
    """The most that may be spent in all. `rule`: added up as ε and δ, or as Σμ² of Gaussian releases only.
    `after`: how many releases were charged before it was set.
    """

    epsilon: float
    delta: float
    rule: Rule = "sum"
    time: float = 0.0
    after: int = 0


@dataclass(frozen=True)
class Look:
    """A look at the log that no promise covers (compare, score, show, …): parameters may be chosen
    by it.
    """

    time: float
    how: str
    store: str

    def told(self) -> str:
        """For a label: the day and the command, never what was seen."""
        return f"{time.strftime('%Y-%m-%d', time.gmtime(self.time))}: {self.how}"


class Book:
    """The state of the ledger after all lines of its journal: charges, budget and looks."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.stores: dict[str, str] = {}  # content hash by store
        self.budgets: list[Budget] = []
        self.looks: list[Look] = []
        self._charges: list[Entry] = []
        self._kinds: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "store": self._store,
            "budget": self._budget,
            "charge": self._charge,
            "state": self._state,
            "move": self._move,
            "look": self._look,
        }
        for line in lines:
            self.take(line.content)

    def take(self, content: Mapping[str, Any]) -> None:
        """What one more line says."""
        self._kinds[content["what"]](content)

    @property
    def entries(self) -> list[Entry]:
        return list(self._charges)

    @property
    def budget(self) -> Budget | None:
        return self.budgets[-1] if self.budgets else None

    def entry(self, number: int) -> Entry | None:
        return self._charges[number - 1] if 1 <= number <= len(self._charges) else None

    def _store(self, content: Mapping[str, Any]) -> None:
        self.stores[content["store"]] = content["content_hash"]

    def _budget(self, content: Mapping[str, Any]) -> None:
        """One that says what is in force already changes nothing: a script may say it every night."""
        new = Budget(content["epsilon"], content["delta"], content["rule"], float(content["time"]))
        known = self.budget
        if known is None or (known.epsilon, known.delta, known.rule) != (new.epsilon, new.delta, new.rule):
            self.budgets.append(replace(new, after=len(self._charges)))

    def _look(self, content: Mapping[str, Any]) -> None:
        self.looks.append(Look(float(content["time"]), content["how"], content["store"]))

    def _charge(self, content: Mapping[str, Any]) -> None:
        self._charges.append(
            Entry(
                len(self._charges) + 1,
                float(content["time"]),
                content["mechanism"],
                Guarantee(content["epsilon"], content["delta"], content["kind"], k=content["k"]),
                content["out"],
                content["state"],
                tuple(content["steps"]),
                None,
                content["store"],
            )
        )

    def _state(self, content: Mapping[str, Any]) -> None:
        entry = self._charges[content["charge"] - 1]
        self._charges[entry.id - 1] = replace(
            entry, state=content["state"], folder_hash=content.get("folder_hash", entry.folder_hash)
        )

    def _move(self, content: Mapping[str, Any]) -> None:
        entry = self._charges[content["charge"] - 1]
        self._charges[entry.id - 1] = replace(entry, out=content["out"])


def over_budget(
    book: Book, guarantee: Guarantee, steps: Sequence[Mapping[str, Any]], *, allow_unprotected: bool
) -> str | None:
    """Why the budget does not hold one more release, or why there must be one first; None when it fits."""
    budget = book.budget
    if not guarantee.protects:
        return None  # what promises nothing is a matter of the owner's word, not of a sum
    if budget is None:
        return NO_BUDGET
    before = [entry for entry in book.entries if entry.guarantee.protects]
    if len(before) < len(book.entries) and not allow_unprotected:
        return (
            "does not fit: an earlier release of these people had no differential privacy, so no budget can "
            "be kept"
        )
    if budget.rule == "gaussian":
        parts = [spent_parts(entry) for entry in before]
        why = gaussian_refusal([steps], budget.epsilon, budget.delta, parts)
        return None if why is None else f"does not fit: {why}"
    for name, limit, spent, more in (
        ("ε", budget.epsilon, [e.guarantee.epsilon for e in before], guarantee.epsilon),
        ("δ", budget.delta, [e.guarantee.delta for e in before], guarantee.delta),
    ):
        if _exact_sum([*spent, more]) > Fraction(limit):
            used, most = rounded_up(sum_up(spent)), rounded_down(limit)
            return f"needs {name} = {rounded_up(more)}, but {used} of the budget of {most} is spent"
    return None


def spent_parts(entry: Entry) -> tuple[Fraction, Fraction]:
    """Σμ² and Στ of a charge that promises something. What was booked tells no steps: then those of the worst
    that its ε and δ allow (proofs/accounting.md, Lemma 4).
    """
    parts = gaussian_parts(entry.steps)
    return promised_parts(entry.guarantee.epsilon, entry.guarantee.delta) if parts is None else parts


def refuse_taken(book: Book, out: str, but_for: int = 0) -> None:
    for entry in book.entries:
        if entry.out == out and entry.id != but_for and entry.state in UNFINISHED:
            raise InputError(
                f"A release to {out} is unfinished (charge {entry.id}, {entry.state}): resume it, or choose "
                "another folder."
            )


def expect_state(book: Book, charge_id: int, state: State) -> None:
    entry = book.entry(charge_id)
    if entry is None or entry.state != state or entry.state not in UNFINISHED:
        raise InputError(
            f"The ledger has no charge with the number {charge_id} in the state '{state}': "
            "another run has gone on with it. Run 'crowdlog budget' to see how it stands."
        )


def _exact_sum(numbers: Sequence[float]) -> Fraction | float:
    return math.inf if math.inf in numbers else sum(map(Fraction, numbers), Fraction(0))
