"""The replay audit: with frozen noise one person moves the counts by no more than the noise was made for, and
nothing else at all.

It runs at the real parameters unless they need a huge crowd: what it finds is exact, not a matter of chance.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.audit.answers import decided, named, protected_log
from crowdlog.audit.declared import by_lot, chooses_by_weights, key_tables, queries_per_key, units, words_of
from crowdlog.audit.finding import Finding
from crowdlog.audit.public_inputs import with_files
from crowdlog.audit.sampling import Remembered
from crowdlog.audit.shrink import replaced
from crowdlog.audit.trial import crowds_at_threshold
from crowdlog.audit.worst_case_users import (
    BYSTANDERS,
    OWN,
    SITTING,
    Asked,
    Person,
    Place,
    backwards,
    crowd_log,
    everything,
    persons,
    replayed_keys,
    sitting_persons,
)
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import roles
from crowdlog.plan.table import RowNoise
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.promise import Protected

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.log.store import LogStore

LEAST_EPSILON = 1.0  # a smaller ε is replayed as this: what a person can move does not depend on ε
WIDE = 3  # artifacts of a person who is bounded by weights: her replays do as much as with this bound
COMPANY = 10  # people who do the same, where counts are scaled: one moves less than a whole number tells
SLACK = 1.1  # bounds and weights follow noisy sums, which the company moves a little
FROZEN = (b"\x80", b"\x90")  # every random byte: noise of 0, and the same small noise for all

Rows = dict[tuple[str, ...], int]


@dataclasses.dataclass(frozen=True)
class FrozenRandomness:
    """Every byte is the same, so every draw is; nothing it makes is private.

    `numbered`: the last byte of each 32-bit word counts up. Gaussian noise does not notice, but a random
    order of one's own rows needs it.
    """

    byte: bytes
    numbered: bool = False
    private = False

    def bytes(self, n: int) -> bytes:
        if not self.numbered:
            return self.byte * n
        words = np.full(((n + 3) // 4, 4), self.byte[0], np.uint8)
        words[:, 0] = np.arange(len(words)) % 251
        return words.tobytes()[:n]


def audit_replay(mechanism: Mechanism, logs: SyntheticLogs) -> list[Finding]:
    """Every person against the log without her; of each situation the worst finding."""
    return _worst([finding for findings in replays(mechanism, logs) for finding in findings])


def replays(mechanism: Mechanism, logs: SyntheticLogs) -> Iterator[list[Finding]]:
    """The findings of one replay after the other."""
    mechanism, d = _replayable(mechanism, logs)
    asked = Asked(queries_per_key(mechanism, whole_sessions=True), words_of(mechanism))
    queries = asked.queries
    everybody = (*persons(d), *(sitting_persons(d) if queries > 1 else ()), backwards(d, queries))
    crowd = 2 * max(crowds_at_threshold(mechanism, logs, SeededRandomness(1)))
    place: Place = "last" if chooses_by_weights(mechanism) else "middle"
    before = _frozen(mechanism, crowd_log(logs, crowd, d, asked, None))
    for order, who in _same_people(by_lot(mechanism)):
        again = _frozen(mechanism, crowd_log(logs, crowd, d, asked, None, order))
        yield [_finding(who, "rows changed", 0, max(map(_changed, before, again)))]
    for person in everybody:
        after = _frozen(mechanism, crowd_log(logs, crowd, d, asked, person, place))
        found = (
            difference
            for old, new in zip(before, after, strict=True)
            for difference in _differences(mechanism, person, old, new)
        )
        yield [_finding(f"A person who {person.name}", *difference) for difference in found]
    if any(isinstance(plan.noise, RowNoise) for plan in mechanism.plan):
        company = everything(d, queries, COMPANY)
        moved = _frozen(mechanism, crowd_log(logs, crowd, d, asked, company, place))[0]
        length = _length(mechanism, company, before[0], moved)
        yield [_finding(f"One of {COMPANY} who {company.name}", *length)]


def _frozen(mechanism: Mechanism, log: LogStore) -> list[Protected]:
    """What is published of this log with each kind of frozen noise."""
    sources = [FrozenRandomness(byte, numbered=chooses_by_weights(mechanism)) for byte in FROZEN]
    if type(mechanism).protect is not Mechanism.protect:
        return [protected_log(mechanism, log, frozen) for frozen in sources]
    with mechanism.open(log) as source:
        counted = Remembered(source)
        return [named(mechanism, source, decided(mechanism, counted, frozen)) for frozen in sources]


def _same_people(drawn: bool) -> Iterator[tuple[Place, str]]:
    """The log itself, and where nothing is drawn by lot, its rows in another order: in both the same must be
    shown.
    """
    yield "last", "The same log again"
    if not drawn:
        yield "shuffled", "The same log, its rows in another order"


def _finding(who: str, what: str, claimed: float, measured: float) -> Finding:
    meaning = f"{who}: {what} {measured:g}; at most {claimed:g} is allowed."
    return Finding("replay", f"{who}: {what}", claimed, measured, measured > claimed, meaning)


def _changed(before: Protected, after: Protected) -> int:
    """How many rows of any table differ."""
    tables = before.tables.keys() | after.tables.keys()
    sides = [
        [_rows(protected.tables[name]) if name in protected.tables else {} for name in tables]
        for protected in (before, after)
    ]
    return sum(len(old.items() ^ new.items()) for old, new in zip(*sides, strict=True))


def _replayable(mechanism: Mechanism, logs: SyntheticLogs) -> tuple[Mechanism, int]:
    """Moderate parameters, so that the crowd is not too large, and the representation that merges the most
    before bounding; and her bound.
    """
    wanted: dict[str, Any] = {}
    for name, role in roles(mechanism).items():
        value = getattr(mechanism, name)
        match role.name:
            case "bound" if value is not None:
                wanted[name] = min(value, role.moderate)
            case "epsilon":
                wanted[name] = max(value, LEAST_EPSILON)
            case "representation":
                wanted[name] = "light"
    moderate = replaced(mechanism, wanted)
    d = max(units(plan) for plan in key_tables(moderate)) or WIDE
    queries = queries_per_key(moderate, whole_sessions=True)
    keys = replayed_keys(d, queries)
    return with_files(moderate, logs, ("replay", d, queries), keys, keys, queries), d


def _worst(findings: list[Finding]) -> list[Finding]:
    """One finding for each situation: the alarm, or the largest difference."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        if finding.where not in worst or finding.measured > worst[finding.where].measured:
            worst[finding.where] = finding
    return list(worst.values())


def _differences(
    mechanism: Mechanism, person: Person, before: Protected, after: Protected
) -> Iterator[tuple[str, float, float]]:
    """What changed, how much of that is allowed, how much was found."""
    yield "notes changed", 0, before.notes != after.notes
    yield (
        "tables changed",
        0,
        {n: t.schema for n, t in before.tables.items()} != {n: t.schema for n, t in after.tables.items()},
    )
    for name in before.tables.keys() & after.tables.keys():
        old, new = _rows(before.tables[name]), _rows(after.tables[name])
        moved = [abs(new[key] - old[key]) for key in old.keys() & new.keys()]
        allowed = mechanism.promise().table(name).reach
        yield f"{name}: sum of changes", allowed.total, sum(moved)
        yield f"{name}: sum of squared changes", allowed.squares, sum(change**2 for change in moved)
        yield f"{name}: change of one count", allowed.each, max(moved, default=0)
        yield f"{name}: rows shown or hidden", 0, len(old.keys() ^ new.keys())
        if isinstance(mechanism.promise().table(name).artifact, Breakdown):
            continue  # its rows are public values
        yield f"{name}: rows of her own", 0, sum(any(_number(text) >= OWN for text in key) for key in new)
        strangers = [key for key in old | new if _of_strangers(key, person)]
        yield f"{name}: rows of bystanders changed", 0, sum(old.get(key) != new.get(key) for key in strangers)
        if not isinstance(mechanism.promise().table(name).noise, RowNoise):  # else they follow from counts
            changed = _others(before.tables[name]) != _others(after.tables[name])
            yield f"{name}: other columns changed", 0, changed


def _length(
    mechanism: Mechanism, company: Person, before: Protected, after: Protected
) -> tuple[str, float, float]:
    """How long the change by one person is, in standard deviations of the noise that rows tell: at most μ.

    Over k rows Σ |change| / noise is at most √k times the length, by Cauchy and Schwarz. The noise is frozen
    at 0.
    """
    moved, mu = [], 0.0
    for plan in mechanism.plan:
        if isinstance(plan.noise, RowNoise):
            mu = plan.noise.mu
            old, new = _rows(before.tables[plan.name]), _rows(after.tables[plan.name])
            told: Any = after.tables[plan.name]
            noise: dict[Any, float] = dict(zip(_keys(told), told["noise"].to_pylist(), strict=True))
            hers = [key for key in old.keys() & new.keys() if all(_number(t) in company.keys for t in key)]
            moved += [abs(new[key] - old[key]) / company.people / noise[key] for key in hers]
    length = sum(moved) / max(len(moved), 1) ** 0.5
    return "length of changes, in told noise", SLACK * mu, length


def _of_strangers(key: tuple[str, ...], person: Person) -> bool:
    """Whether only people who have nothing to do with the person ask this key."""
    number = _number(key[0])
    return number in BYSTANDERS or (SITTING[0] <= number < OWN and number not in person.keys)


def _rows(table: Any) -> Rows:
    return dict(zip(_keys(table), table.column("count").to_pylist(), strict=True))


def _others(table: Any) -> dict[tuple[str, ...], tuple[Any, ...]]:
    """Columns beside texts and counts, by key; they hold facts of the mechanism, so no person may change
    them.
    """
    rest = [
        table.column(name).to_pylist()
        for name in table.column_names
        if name != "count" and name not in _text_columns(table)
    ]
    return dict(zip(_keys(table), zip(*rest, strict=True), strict=True)) if rest else {}


def _keys(table: Any) -> list[tuple[str, ...]]:
    """The texts of each row; a sequence is its texts."""
    if table.column_names[0] == "sequence":
        return [tuple(sequence) for sequence in table.column(0).to_pylist()]
    return list(zip(*(table.column(name).to_pylist() for name in _text_columns(table)), strict=True))


def _text_columns(table: Any) -> list[str]:
    return [
        name
        for name in table.column_names
        if name == "sequence" or str(table.schema.field(name).type) in ("string", "large_string")
    ]


def _number(text: str) -> int:
    """The first number in a text; a query may repeat its word."""
    found = re.search(r"\d+", text)
    return int(found[0]) if found else -1
