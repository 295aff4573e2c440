"""A mechanism whose decide raises, or returns what cannot be named, is refused by its audit in one sentence:
it is not passed in silence, and not told as an error of ours. One that publishes a log in another way than it
answers the audit raises an alarm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from crowdlog.audit.report import audit
from crowdlog.engine.log_source import LogSource
from crowdlog.errors import InputError
from crowdlog.mechanisms.nebula import Nebula
from crowdlog.plan.decide import Kept, decide
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.toy import QuietTopK, TopK

PARAMETERS = {"loss": 2.0, "slack": 1e-6, "contribution": 3}


@dataclass(frozen=True, repr=False)
class Raising(TopK):
    def decide(self, source, randomness):
        raise KeyError("a text that must not be quoted")


@dataclass(frozen=True, repr=False)
class OtherKeys(TopK):
    def decide(self, source, randomness):
        return {n: replace(k, key=k.key + 10**12) for n, k in decide(self.plan, source, randomness).items()}


@dataclass(frozen=True, repr=False)
class Halves(TopK):
    def decide(self, source, randomness):
        return {n: replace(k, count=k.count / 2) for n, k in decide(self.plan, source, randomness).items()}


@dataclass(frozen=True, repr=False)
class Twice(TopK):
    def decide(self, source, randomness):
        kept = decide(self.plan, source, randomness)
        return {n: Kept(np.repeat(k.key, 2), np.repeat(k.count, 2)) for n, k in kept.items()}


@dataclass(frozen=True, repr=False)
class TrueCountFirst(Nebula):
    """Publishes the exact number of people beside the drawn one: of a key's two counts an audit that looks
    them up by key would see the last alone.
    """

    def decide(self, source, randomness):
        found = source.counts(self.plan[0], randomness)
        exact = dict(zip(found.key.tolist(), found.users.tolist(), strict=True))
        return {
            name: Kept(
                np.tile(kept.key, 2),
                np.concatenate([[exact[key] for key in kept.key.tolist()], kept.count]).astype(np.int64),
            )
            for name, kept in decide(self.plan, source, randomness).items()
        }


@dataclass(frozen=True, repr=False)
class NoTable(TopK):
    def decide(self, source, randomness):
        return {}


@dataclass(frozen=True, repr=False)
class QuietOnLogs(TopK):
    """A third of the noise where a log itself is asked, all of it where an audit stands before the log."""

    def decide(self, source, randomness):
        by = QuietTopK if isinstance(source, LogSource) else TopK
        return decide([by.followed(plan) for plan in self.plan], source, randomness)


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (Raising(**PARAMETERS), "raises KeyError"),
        (OtherKeys(**PARAMETERS), "keys that it was not given"),
        (Halves(**PARAMETERS), "not arrays of whole numbers"),
        (Twice(**PARAMETERS), "a key twice"),
        (NoTable(**PARAMETERS), "other tables than its plan"),
        (TrueCountFirst(epsilon=1, delta=1e-6, p=0.105, d=2, k=20), "a key twice"),
    ],
)
def test_what_cannot_be_audited_is_said_in_one_sentence(mechanism, said):
    with pytest.raises(InputError, match=said) as told:
        audit(mechanism, seconds=1, runs=2, randomness=SeededRandomness(3))
    assert "a text that must not be quoted" not in str(told.value)


def test_a_log_must_be_published_as_the_audit_was_answered():
    report = audit(QuietOnLogs(**PARAMETERS), seconds=1, runs=2, randomness=SeededRandomness(3))
    assert [(alarm.audit, alarm.where) for alarm in report.alarms] == [("source", "same random numbers")]
