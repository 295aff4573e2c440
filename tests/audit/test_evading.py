"""A mechanism whose decide raises, or returns what cannot be named, is refused by its audit in one sentence:
it is not passed in silence, and not told as an error of ours. One that publishes a log in another way than it
answers the audit raises an alarm; so does one whose fault shows at other parameters or counts than those of
made-up logs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from crowdlog.audit.made_up_counts import audit_made_up_counts
from crowdlog.audit.report import ALPHA, audit
from crowdlog.audit.shrink import LARGE_DELTA, small
from crowdlog.engine.log_source import LogSource
from crowdlog.errors import InputError
from crowdlog.mechanisms.nebula import Nebula
from crowdlog.plan.decide import Kept, decide
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.promise import Protected
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


@dataclass(frozen=True, repr=False)
class Louder(TopK):
    """Names what was decided, less two thirds of its noise: an audit that looks at what is decided alone
    would not see it.
    """

    def name(self, source, kept):
        found = source.counts(self.plan[0], SeededRandomness(1))
        true = found.impressions[np.searchsorted(found.key, kept["clicks"].key)]
        less = true + (kept["clicks"].count - true) // 3
        return super().name(source, {"clicks": Kept(kept["clicks"].key, less)})


@dataclass(frozen=True, repr=False)
class OneTableMore(TopK):
    def name(self, source, kept):
        tables = super().name(source, kept)
        return {**tables, "queries": tables["clicks"]}


@dataclass(frozen=True, repr=False)
class OneTableMoreByItself(TopK):
    def protect(self, log, randomness, *, engine=None):
        tables = super().protect(log, randomness, engine=engine).tables
        return Protected({**tables, "queries": tables["clicks"]})


@dataclass(frozen=True, repr=False)
class OnlyOfTwo(TopK):
    """Leaves out what one person alone has, after the noise was drawn: a look at people that nobody paid for,
    and that no crowd at the threshold shows.
    """

    def decide(self, source, randomness):
        kept = decide(self.plan, source, randomness)["clicks"]
        found = source.counts(self.plan[0], randomness)
        some = found.users[np.searchsorted(found.key, kept.key)] > 1
        return {"clicks": Kept(kept.key[some], kept.count[some])}


@dataclass(frozen=True, repr=False)
class QuietAtOthers(TopK):
    """Noise for ε = 2, at which audits of logs run, whatever ε is asked for."""

    def decide(self, source, randomness):
        by = TopK if self.loss == 2 else QuietTopK
        return decide([by.followed(plan) for plan in self.plan], source, randomness)


@dataclass(frozen=True, repr=False)
class LowAtOthers(TopK):
    """A quarter of the threshold, unless ε is 2."""

    def decide(self, source, randomness):
        (plan,) = self.plan
        bar = plan.selection.K // (1 if self.loss == 2 else 4)
        return decide([replace(plan, selection=replace(plan.selection, K=bar))], source, randomness)


@dataclass(frozen=True, repr=False)
class ExactForMany(TopK):
    """Exact counts of what more people have than any made-up log holds."""

    def decide(self, source, randomness):
        kept = decide(self.plan, source, randomness)["clicks"]
        found = source.counts(self.plan[0], randomness)
        true = found.impressions[np.searchsorted(found.key, kept.key)]
        return {"clicks": Kept(kept.key, np.where(true > 100_000, true, kept.count))}


@pytest.mark.parametrize(
    ("mechanism", "said"),
    [
        (Raising(**PARAMETERS), "raises KeyError"),
        (OtherKeys(**PARAMETERS), "keys that it was not given"),
        (Halves(**PARAMETERS), "not arrays of whole numbers"),
        (Twice(**PARAMETERS), "a key twice"),
        (NoTable(**PARAMETERS), "other tables than its plan"),
        (Louder(**PARAMETERS), "its name shows other"),
        (OneTableMore(**PARAMETERS), "its name shows other tables"),
        (OneTableMoreByItself(**PARAMETERS), "a table that its plan does not have"),
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


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (TopK, set()),
        (OnlyOfTwo, {"selection"}),
        (QuietAtOthers, {"noise"}),
        (LowAtOthers, {"selection"}),
        (ExactForMany, {"noise"}),
    ],
)
def test_a_fault_that_no_made_up_log_shows_is_found_on_made_up_counts(kind, found):
    mechanism = kind(loss=1.0, slack=1e-6, contribution=3)
    findings = [
        finding
        for tried in (mechanism, small(mechanism, LARGE_DELTA))
        for finding in audit_made_up_counts(tried, "here", SeededRandomness(3), ALPHA)
    ]
    assert {finding.audit for finding in findings} == {"noise", "selection"}
    assert {finding.audit for finding in findings if finding.alarm} == found


def test_an_audit_looks_at_made_up_counts():
    report = audit(
        QuietAtOthers(loss=1.0, slack=1e-6, contribution=3),
        seconds=1,
        runs=2,
        randomness=SeededRandomness(3),
    )
    assert {alarm.audit for alarm in report.alarms} == {"noise"}
    assert all("at your parameters" in alarm.where for alarm in report.alarms)
