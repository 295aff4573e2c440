"""What makes a release doubtful: refused, or said in its label when the owner insists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from crowdlog.artifacts.kinds import PART_ARTIFACTS, Artifact
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.privacy.ledger_book import Entry
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.promise import Promise, Protects

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

MOST_EPSILON = 10.0  # somebody who thought 50 % could become 99.995 % sure: hardly a promise
SEEDED = "Its noise comes from a fixed seed, which anybody can repeat: it promises nothing to anybody."
UNSAFE = "This mechanism is known to be unsafe. It exists to be attacked and compared."
NO_PROMISE = "No formal guarantee: whoever knows enough about a person can learn more from this release."
PART = (
    "This store is a part of another one, whose budget does not count what is released here "
    "(crowdlog split --share-ledger makes parts that share it)."
)
BESIDE = (
    "A release without differential privacy was charged for the same people: what this one promises does not "
    "hold of both together."
)
BESIDE_NOTHING = (
    "A release without differential privacy was charged for the same people: both together may tell more of "
    "a person than each by itself."
)
USERS = "Whether the log has fewer than 1/δ users: where it has not, there is a warning."


def as_drawn(promise: Promise, randomness: Randomness, users: int | None) -> Promise:
    """The promise that this release can keep: none with noise from a seed. The number of users that δ is
    compared with is said to be unprotected unless it is public.
    """
    if not randomness.private:
        return replace(promise, guarantee=NO_GUARANTEE, accounting=())
    if promise.guarantee.protects and promise.guarantee.delta > 0 and users is None:
        return replace(promise, unprotected=(*promise.unprotected, USERS))
    return promise


def warnings_of_others(charge: int, promise: Promise, entries: Iterable[Entry]) -> list[str]:
    """What the other charges of the same ledger mean for the label of this one, which makes this promise."""
    if all(entry.guarantee.protects for entry in entries if entry.id != charge):
        return []
    return [BESIDE if promise.guarantee.protects else BESIDE_NOTHING]


# Tables that need neither sessions nor an order of queries.
_WITHOUT_TIMES = {"query", "click", *PART_ARTIFACTS}


def refuse_without_times(promise: Promise, log: LogStore) -> None:
    """A log without times has no sessions and no next queries: InputError for what needs them."""
    if log.info.has_times:
        return
    kinds = [
        plan.artifact.kind if isinstance(plan.artifact, Artifact) else "sequence" for plan in promise.tables
    ]
    wrong = [
        plan.name for plan, kind in zip(promise.tables, kinds, strict=True) if kind not in _WITHOUT_TIMES
    ]
    if not kinds or wrong:
        what = f"its tables ({', '.join(wrong)}) need" if wrong else "it needs"
        raise InputError(
            f"This log was imported without times, and {what} them. Choose a mechanism that counts queries "
            "or clicks alone, such as Korolova, or import the log with its times. Nothing was charged."
        )


def refuse_or_warn(
    mechanism: Protects,
    promise: Promise,
    log: LogStore,
    randomness: Randomness,
    *,
    i_know: bool,
    users: int | None = None,
) -> list[str]:
    """The warnings of the label; PrivacyRefusal if there is one and the owner did not say that she knows."""
    warnings = _of_the_promise(mechanism, promise, log, randomness, users)
    if log.info.part_of is not None and log.info.ledger is None:
        warnings.append(PART)
    warnings += mechanism.doubts(log.info.users if users is None else users)
    if warnings and not i_know:
        raise PrivacyRefusal(f"{warnings[0]} Add --i-know to release all the same; the label will say so.")
    return warnings


def _of_the_promise(
    mechanism: Protects, promise: Promise, log: LogStore, randomness: Randomness, users: int | None
) -> list[str]:
    guarantee = promise.guarantee
    if not randomness.private:
        return [SEEDED]
    if mechanism.unsafe:
        return [UNSAFE]
    if guarantee.k is not None:
        only = f"Only {guarantee.kind}, no differential privacy"
        return [f"{only}: whoever knows enough about a person can learn more from this release."]
    if not guarantee.protects:
        return [NO_PROMISE]
    warnings = []
    if guarantee.epsilon > MOST_EPSILON:
        warnings.append(
            f"ε = {guarantee.epsilon:g} is above {MOST_EPSILON:g}: "
            "the promise is so weak that it hardly protects anybody."
        )
    if guarantee.delta * max(log.info.users if users is None else users, 1) >= 1:
        # The number of users is not published: the sentence must not tell it.
        warnings.append(
            f"δ = {guarantee.delta:g} is not below one over the number of users: "
            "a release that gives a person away outright may satisfy it."
        )
    return warnings
