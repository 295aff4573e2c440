import pytest

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.injection import fakes_needed, injection
from crowdlog.attacks.seen import Seen
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.keys import SELECTIONS
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import crowd_rows, make_log


@pytest.mark.parametrize(
    ("settings", "fakes"),
    [
        ({"K": 100, "b": 4.2}, 121),  # K + 5b
        ({"K": 7}, 8),  # more than K
        ({"k": 5}, 5),  # at least k
        ({"queries threshold": 10.0, "queries selection noise sd": 2.0, "pairs threshold": 3.0, "pairs selection noise sd": 1.0}, 40),
        ({}, None),
    ],
)
def test_fakes_needed(settings, fakes):
    assert fakes_needed(settings) == fakes


@pytest.mark.parametrize(
    "spelling",
    [
        *("FTu(k=5)", "KA(K=3)", "Korolova(epsilon=4, delta=1e-6, d=2)", "Crowd(epsilon=2, delta=1e-6)"),
        *(f"Keys(epsilon=2, delta=1e-6, selection='{selection}', artifact='click')" for selection in SELECTIONS),
    ],
)
def test_every_label_tells_how_many_and_warns(spelling):
    promise = parse(spelling).promise()
    assert fakes_needed(promise.settings)
    assert any("fake users" in line.lower() for line in promise.unprotected)


SPELLINGS = (
    ("open", "ASession(epsilon=8, delta=1e-3, l_q=2)", 1),
    ("keys", "Keys(epsilon=8, delta=1e-3)", 1),
    ("people", "Keys(epsilon=8, delta=1e-3, selection='laplace')", 1),
    ("closed", "AClick(epsilon=8, q_f=2)", 0),
)


def test_a_public_list_of_queries_cannot_be_lifted_into(tmp_path, monkeypatch):
    """Fake users get a text published where texts are counted, and never where they come from a public list."""
    monkeypatch.setattr("crowdlog.attacks.injection.TRIALS", 2)
    log = make_log(tmp_path, crowd_rows(60, ["weather boston", "used cars"]))
    for name, spelling, success in SPELLINGS:
        release = parse(spelling).release(log, tmp_path / name, i_know=True, randomness=SeededRandomness(1))
        assert injection(Seen.of(release), Impressions(log), Attacker(SeededRandomness(2))).success == success
