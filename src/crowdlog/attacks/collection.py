"""Attacks on a collection, each carried out for real on the design of 2013 and on ours, beside what
docs/threat-model.md says of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from crowdlog.attacks import protocol_attacks as ours
from crowdlog.attacks.protocol_testbed import GUESSES, SECRET, K, ProtocolTestbed, run_testbed
from crowdlog.crowd.crypto.unsafe2013 import UnsafeReport, unsafe_open, unsafe_report
from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class Demonstration:
    """Whether an attack succeeded on each design, and whether it should.

    None: the design of 2013 fixes no bytes to tamper with.
    """

    name: str
    against_2013: bool | None
    against_ours: bool
    expected_2013: bool | None
    expected_ours: bool
    note: str

    @property
    def as_expected(self) -> bool:
        return (self.against_2013, self.against_ours) == (self.expected_2013, self.expected_ours)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "as_expected": self.as_expected}


def _one(k: int = K) -> UnsafeReport:
    return unsafe_report(SECRET, k, b"volunteer")


def _more(people: int) -> list[UnsafeReport]:
    """Reports under other names: of fake volunteers, of one person's aliases or of another collection, for
    nothing in them tells which.
    """
    return [unsafe_report(SECRET, K, b"name %d" % number) for number in range(people)]


def _dictionary_2013() -> bool:
    """One report is enough: hash every guess and compare."""
    return [guess for guess in GUESSES if unsafe_report(guess, K, b"attacker").tag == _one().tag] == [SECRET]


def _joined_2013() -> bool:
    return unsafe_open([_one(), *_more(K - 1)], K) == SECRET


def _repeated_2013() -> bool:
    return unsafe_open(_more(K - 1) * K, K) is not None


# name, attack on 2013 and on ours, whether each should succeed, why.
_ATTACKS: tuple[
    tuple[str, Callable[[], bool] | None, Callable[[ProtocolTestbed], bool], bool | None, bool, str], ...
] = (
    (
        "dictionary",
        _dictionary_2013,
        ours.dictionary,
        True,
        False,
        "without the randomness key no guess can be tested",
    ),
    (
        "dictionary evaluated in time",
        _dictionary_2013,
        ours.dictionary_in_time,
        True,
        True,
        "stated limit: a client may ask about a guess",
    ),
    (
        "k - 1 fake volunteers",
        _joined_2013,
        ours.sybils,
        True,
        True,
        "stated limit: they learn that their guess was sent",
    ),
    (
        "click inside an open query",
        None,
        ours.inside_an_open_query,
        None,
        False,
        "what is nested has a threshold and randomness of its own",
    ),
    ("one person as k", _joined_2013, ours.invented_people, True, False, "a name needs a credential"),
    (
        "wrong collection",
        _joined_2013,
        ours.wrong_collection,
        True,
        False,
        "its name is in every derivation and proof",
    ),
    ("replayed reports", _repeated_2013, ours.replayed, False, False, "one person counts once"),
    ("duplicated reports", _repeated_2013, ours.duplicated, False, False, "one person counts once"),
    (
        "reordered reports",
        lambda: unsafe_open(_more(K)[::-1], K) != SECRET,
        ours.reordered,
        False,
        False,
        "every order opens the same",
    ),
    ("truncated reports", None, ours.truncated, None, False, "refused"),
    ("oversized reports", None, ours.oversized, None, False, "refused"),
    ("malformed reports", None, ours.malformed, None, False, "every byte is under the sender's proof"),
    (
        "mix that drops",
        lambda: unsafe_open(_more(K)[1:], K) is None,
        ours.mix_drops,
        True,
        True,
        "stated limit: counts fall, nothing is read",
    ),
    ("mix that repeats", _repeated_2013, ours.mix_repeats, False, False, "one person counts once"),
    (
        "server that lies about k",
        lambda: unsafe_open([_one(1)], 1) == SECRET,
        ours.lies_about_k,
        True,
        False,
        "floor, name and polynomial hold k",
    ),
)


def demonstrate(randomness: Randomness) -> list[Demonstration]:
    """Carry out every attack, each against a fresh collection."""
    rows = []
    for name, on_2013, on_ours, expected_2013, expected_ours, note in _ATTACKS:
        with run_testbed(randomness) as target:
            rows.append(
                Demonstration(
                    name, on_2013() if on_2013 else None, on_ours(target), expected_2013, expected_ours, note
                )
            )
    return rows
