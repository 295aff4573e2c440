"""The privacy ledger of a log, or of several logs of the same people: what was promised so far, charged
before anything is written.

It is a journal (journal.py): what happened, line after line, bound by hashes; ledger_book.py says what the
lines come to. A charge goes through states: charged (nothing was shown) → publishing (one output, known by
its hash, is about to be shown) → published. `lost` ends a charge whose output cannot be found again, or will
not be made: it stays spent and is never drawn again. Proof: proofs/ledger.md.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import Guarantee, approximate, compose
from crowdlog.privacy.journal import Journal, Line, append, damaged, is_blank, read_lines
from crowdlog.privacy.ledger_book import (
    UNFINISHED,
    Book,
    Budget,
    Entry,
    Look,
    Rule,
    State,
    expect_state,
    over_budget,
    refuse_taken,
)
from crowdlog.privacy.ledger_head import LedgerHead, check_head
from crowdlog.privacy.ledger_place import (
    begin_journal,
    head_beside,
    is_there,
    only_stores,
    open_journal,
    shown,
)
from crowdlog.privacy.rounding import sum_up

BOOKED = "booked by hand"


class Ledger:
    """Open with `Ledger.open`; close it, or use it in a `with`."""

    def __init__(self, journal: Journal, store: str, head: Path | None, beside: Path | None) -> None:
        """`head`: of the store; `beside`: of all stores together, beside the ledger's file."""
        self._journal = journal
        self._store = store
        self._heads = [LedgerHead(path) for path in dict.fromkeys((head, beside)) if path is not None]

    @classmethod
    def create(
        cls, address: Path | str, source: str, store: str, head: Path | None = None, *, begin: bool = True
    ) -> list[str]:
        """Note a store with this content hash and id, once, when it is made, in the ledger at this address:
        a new one (`begin`), or one that is there and as new as the file beside it knows. Returns the stores
        of the same content that the ledger knows already.
        """
        if begin:
            begin_journal(address)
        else:
            cls.check(address)
        with cls(open_journal(address), store, head, head_beside(address)) as ledger:
            with ledger._writing("the store was not noted in it.") as (book, add):
                again = [known for known, content in book.stores.items() if content == source]
                add({"what": "store", "time": time.time(), "store": store, "content_hash": source})
            return again

    @classmethod
    def check(cls, address: Path | str) -> None:
        """Raise InputError unless there is a ledger that another store may join: one that is missing is never
        begun by the way, and one that lacks the last line that the file beside it knows is an older one.
        """
        if not is_there(address):
            raise InputError(
                f"There is no ledger {shown(address)}. Is its name misspelt? If it was deleted, put its "
                "newest copy back. If nothing was ever released of these people, begin it: add --new-ledger."
            )
        beside = head_beside(address)
        if beside is not None and not beside.exists() and is_blank(Path(address)):
            raise _not_begun(address)
        with cls(open_journal(address), "", None, beside) as ledger:
            known = [head.read() for head in ledger._heads]
            lines = read_lines(ledger._journal)
            ledger._book(lines)
            if beside is not None and not beside.exists() and only_stores(lines):
                raise _not_begun(address)
            for head, seen in zip(ledger._heads, known, strict=True):
                check_head(ledger._journal, head, seen, lines)
            if not lines:
                raise damaged(ledger._journal, "it has no line")

    @classmethod
    def open(cls, address: Path | str, source: str, store: str, head: Path | None = None) -> Self:
        """Open the ledger of the store with this content hash and id. `head`: the file in which the store
        keeps the last line that it saw (default: beside the ledger).
        """
        ledger = cls(open_journal(address), store, head, head_beside(address))
        try:
            known = [each.read() for each in ledger._heads]  # before the lines: they may grow meanwhile
            lines = read_lines(ledger._journal)
            for each, seen in zip(ledger._heads, known, strict=True):
                check_head(ledger._journal, each, seen, lines)
            _check_source(ledger._book(lines), address, source, store)
        except BaseException:
            ledger.close()
            raise
        ledger._keep(lines[-1])
        return ledger

    @classmethod
    def accept(cls, address: Path | str, store: str, head: Path) -> None:
        """Take the ledger as it is for the newest one: by the owner's decision, after its end was cut off."""
        with cls(open_journal(address), store, head, head_beside(address)) as ledger:
            lines = read_lines(ledger._journal)
            if not lines:
                raise damaged(ledger._journal, "it has no line")
            for each in ledger._heads:
                each.forget()
            ledger._keep(lines[-1])

    @property
    def head(self) -> str:
        """The hash of the last line."""
        lines = read_lines(self._journal)
        return lines[-1].hash if lines else ""

    def has_line(self, digest: str) -> bool:
        """Whether a line of this hash was ever the last one."""
        return any(line.hash == digest for line in read_lines(self._journal))

    def is_still_there(self) -> bool:
        """Whether the path still leads to the file that is open: even a copy of it is another ledger."""
        return self._journal.is_still_there()

    def set_budget(self, epsilon: float, delta: float, rule: Rule = "sum") -> None:
        """Set the most that may be spent in all; the history of budgets is kept.

        The rule by which releases are added up is fixed by the first charge.
        """
        _check_budget(epsilon, delta)
        with self._writing("the budget is as it was.") as (book, add):
            before = book.budget.rule if book.budget else "sum"
            if rule != before and book.entries:
                raise InputError(
                    "The rule of a budget is fixed by the first release, before anything of the log was "
                    f"seen; here it is '{before}'. "
                    "Import the log for another one, with a ledger of its own; set its budget, then book "
                    "there what was spent here."
                )
            add(_budget_line(epsilon, delta, rule))

    def budget(self) -> Budget | None:
        """The budget in force, or None."""
        return self._read().budget

    def budgets(self) -> list[Budget]:
        """Every budget that was ever set, oldest first: the last is in force."""
        return self._read().budgets

    def looks(self) -> list[Look]:
        """Every look at a log of this ledger, oldest first."""
        return self._read().looks

    def stores(self) -> dict[str, str]:
        """The content hash of every store that shares this ledger, by its id."""
        return self._read().stores

    def note_look(self, how: str) -> None:
        """Record a look at the log before it is had."""
        with self._writing("so the log was not looked at.") as (_book, add):
            add({"what": "look", "time": time.time(), "how": how, "store": self._store})

    def book(self, guarantee: Guarantee) -> int:
        """Note what was spent elsewhere on the same people; refused by no budget, since it is spent."""
        with self._writing("nothing was booked.") as (book, add):
            add(self._charge(guarantee, BOOKED, "", (), "published"))
            return len(book.entries) + 1

    def charge(
        self,
        guarantee: Guarantee,
        mechanism: str,
        out: str,
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        allow_unprotected: bool = False,
        budget: tuple[float, float] | None = None,
    ) -> int:
        """Record a release before it is made; return its id.

        Refused, and nothing recorded, if the budget does not hold it. `allow_unprotected`: the owner knows
        that it promises nothing, or that an earlier one did not. `budget`: ε and δ, set with this charge
        where there is no budget yet; one that is in force must be the same. A release that promises nothing
        begins none: no budget holds it.

        An output folder has at most one unfinished charge: a stopped release is resumed, not charged again.
        """
        if not guarantee.protects and not allow_unprotected:
            raise PrivacyRefusal(
                f"{mechanism} promises nothing to the people in the log. "
                "Allow an unprotected release explicitly if that is meant."
            )
        if budget is not None:
            _check_budget(*budget)
        kept = tuple(json.loads(json.dumps([dict(step) for step in steps])))
        with self._writing("nothing was charged and nothing may be published.") as (book, add):
            if budget is not None and guarantee.protects and _is_first_budget(book, budget):
                line = _budget_line(*budget, "sum")
                book.take(line)
                add(line)
            why = over_budget(book, guarantee, kept, allow_unprotected=allow_unprotected)
            if why is not None:
                raise PrivacyRefusal(f"{mechanism} {why}.")
            refuse_taken(book, out)
            add(self._charge(guarantee, mechanism, out, kept, "charged"))
            return len(book.entries) + 1

    def _charge(
        self, guarantee: Guarantee, mechanism: str, out: str, steps: Sequence[Any], state: State
    ) -> dict[str, Any]:
        return {
            "what": "charge",
            "time": time.time(),
            "store": self._store,
            "mechanism": mechanism,
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta,
            "kind": guarantee.kind,
            "k": guarantee.k,
            "out": out,
            "steps": list(steps),
            "state": state,
        }

    def why_not(
        self, guarantees: Sequence[tuple[Guarantee, Sequence[Mapping[str, Any]]]], *, i_know: bool = False
    ) -> str | None:
        """Why these releases, one after the other, would be refused; None when they fit."""
        book = self._read()
        for guarantee, steps in guarantees:
            why = over_budget(book, guarantee, steps, allow_unprotected=i_know)
            if why is not None:
                return why
            book.take(self._charge(guarantee, "to come", "", steps, "charged"))
        return None

    def refuse_taken(self, out: str, but_for: int = 0) -> None:
        """A folder has at most one unfinished charge: refuse if it has another one than this."""
        refuse_taken(self._read(), out, but_for)

    def publishing(self, charge_id: int, folder_hash: str) -> None:
        """Record the one output that may be shown for this charge, before it is shown.

        Succeeds once per charge: of two runs that drew noise for it, only one may show what it drew.
        """
        self._change(charge_id, "charged", state="publishing", folder_hash=folder_hash)

    def publish(self, charge_id: int) -> None:
        """Mark a release as published: the folder that `publishing` recorded has its final name."""
        self._change(charge_id, "publishing", state="published")

    def lose(self, entry: Entry) -> None:
        """Give a charge up: it stays spent, and nothing is shown for it from now on."""
        self._change(entry.id, entry.state, state="lost")

    def move(self, entry: Entry, out: str) -> None:
        """Another folder for an unfinished charge."""
        with self._writing(f"charge {entry.id} is as it was.") as (book, add):
            refuse_taken(book, out, but_for=entry.id)
            expect_state(book, entry.id, entry.state)
            add({"what": "move", "charge": entry.id, "out": out})

    def _change(self, charge_id: int, before: State, **change: str) -> None:
        with self._writing(f"run 'crowdlog resume' to see how charge {charge_id} stands.") as (book, add):
            expect_state(book, charge_id, before)
            add({"what": "state", "charge": charge_id, **change})

    def entries(self) -> list[Entry]:
        """Every charge, oldest first."""
        return self._read().entries

    def unpublished(self) -> list[Entry]:
        """The charges of this store whose release did not come to its end."""
        return [e for e in self.entries() if e.state in UNFINISHED and e.store == self._store]

    def spent(self) -> Guarantee:
        """Everything charged so far, published or not, added up."""
        return compose(entry.guarantee for entry in self.entries())

    def left(self) -> Guarantee | None:
        """What the budget still holds by the sum (rounded down), or None without a budget."""
        budget, spent = self.budget(), self.spent()
        if budget is None:
            return None
        return approximate(_difference(budget.epsilon, spent.epsilon), _difference(budget.delta, spent.delta))

    def _book(self, lines: Sequence[Line]) -> Book:
        try:
            return Book(lines)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, InputError):
            raise damaged(self._journal, "a line of it cannot be understood") from None

    def _read(self) -> Book:
        return self._book(read_lines(self._journal))

    @contextmanager
    def _writing(self, failed: str) -> Iterator[tuple[Book, Callable[[Mapping[str, Any]], None]]]:
        """One transaction: what is known, and a function that adds a line. The store keeps the new head."""
        added: list[Line] = []
        with self._journal.writing(failed):
            lines = read_lines(self._journal)

            def add(content: Mapping[str, Any]) -> None:
                added.append(append(self._journal, [*lines, *added], content))

            yield self._book(lines), add
        for line in added[-1:]:
            self._keep(line)

    def _keep(self, last: Line) -> None:
        for head in self._heads:
            head.keep(last.number, last.hash)

    def close(self) -> None:
        for head in self._heads:
            head.close()
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_budget(epsilon: float, delta: float) -> None:
    if not (0 <= epsilon < math.inf and 0 <= delta <= 1):
        raise InputError(
            f"A budget needs a finite ε of at least 0 and a δ from 0 to 1. Got ε = {epsilon} and δ = {delta}."
        )


def _budget_line(epsilon: float, delta: float, rule: Rule) -> dict[str, Any]:
    return {
        "what": "budget",
        "time": time.time(),
        "epsilon": float(epsilon),
        "delta": float(delta),
        "rule": rule,
    }


def _is_first_budget(book: Book, wanted: tuple[float, float]) -> bool:
    """Whether there is none in force; InputError where there is another than this."""
    known = book.budget
    if known is not None and (known.epsilon, known.delta) != wanted:
        raise InputError(
            f"The budget is ε = {known.epsilon:g}, δ = {known.delta:g} already. Leave --budget out, or "
            "change it first: crowdlog budget STORE --epsilon E --delta D"
        )
    return known is None


def _difference(limit: float, spent: float) -> float:
    """limit − spent, rounded down, not below 0."""
    return 0.0 if spent >= limit else -sum_up([-limit, spent])


def _not_begun(address: Path | str) -> InputError:
    return InputError(
        f"The ledger {address} knows of no budget and no release, and the file beside it is missing, so "
        "nobody can tell whether its end was cut off. An import that was killed leaves that. If nothing was "
        "ever released of these people, add --new-ledger; if something was, put the newest copy back."
    )


def _check_source(book: Book, address: Path | str, source: str, store: str) -> None:
    """Refuse a ledger of another store."""
    if book.stores.get(store) != source:
        raise InputError(
            f"The ledger {Path(str(address)).name} belongs to another log or another import of it: it does "
            "not know store "
            f"{store[:16]} with content {source[:16]}. Was the store replaced? Try again."
        )
