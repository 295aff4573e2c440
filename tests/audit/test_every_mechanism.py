"""Every mechanism that promises anything can be audited, and short audits of correct mechanisms raise no
alarm.
"""

from __future__ import annotations

import pytest

from crowdlog.audit.report import AUDITS, audit
from crowdlog.errors import InputError
from crowdlog.mechanisms import find, parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.mechanisms.test_every_mechanism import EXAMPLES

CHOSEN = [
    "AClick(epsilon=2, q_f=2)",
    "AClick(epsilon=2, q_f=2, mode='open', urls='public', surfaced='made for the audit')",
    "ASession(epsilon=2, delta=1e-6, l_s=2, l_q=2, features='made for the audit', weight_clicks=0)",
    "Crowd(epsilon=1, delta=1e-6)",
    "DPa(epsilon=1, delta=1e-6, d=2, artifact='pair', keep='random')",
    "DPu(epsilon=1, delta=1e-6, d=2)",
    "Keys(epsilon=1, delta=1e-6, artifact='click', selection='sips')",
    "Korolova(epsilon=2, delta=1e-6, d=2, weight_suggestions=1)",
    "Ladder(epsilon=1, delta=1e-6, people=1000)",
    "Nebula(epsilon=1, delta=1e-6, p=0.105, d=2, k=20)",
    "Zealous(epsilon=2, delta=1e-6, d=2, setting='probabilistic', users=1000)",
]
PROMISING = [
    name
    for name, examples in EXAMPLES.items()
    if any(parse(example).promise().guarantee.protects for example in examples)
]
# A mechanism that nobody chose a spelling for is audited by the one in its documents.
OTHERS = {*PROMISING} - {"ClosedDomain"} - {spelling.partition("(")[0] for spelling in CHOSEN}
SPELLINGS = [*CHOSEN, *(find(name).example for name in sorted(OTHERS))]


def test_every_mechanism_with_a_promise_is_here():
    assert {spelling.partition("(")[0] for spelling in SPELLINGS} == {*PROMISING} - {"ClosedDomain"}


def test_what_chooses_nothing_is_refused_with_the_reason():
    """The audits try how keys are chosen; a whole public list has exact tests instead
    (tests/mechanisms/test_closed_domain.py).
    """
    with pytest.raises(InputError, match="no plan of a table with a selection and noise"):
        audit(parse("ClosedDomain(epsilon=2, d=2, pool='ngrams')"))


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_it_is_audited(spelling):
    report = audit(parse(spelling), seconds=0.1, runs=2, randomness=SeededRandomness(3))
    assert report.alarms == ()
    assert {finding.audit for finding in report.findings} == set(AUDITS)
