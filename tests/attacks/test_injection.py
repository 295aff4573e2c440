import pytest

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.injection import injection
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.keys import SELECTIONS
from crowdlog.plan.selections import AtLeast, KeySelection, NoisyThreshold, WeightedRounds, fakes_needed
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.laplace_threshold import LaplaceThreshold
from tests.support.logs import crowd_rows, make_log


@pytest.mark.parametrize(
    ("selection", "fakes"),
    [
        (NoisyThreshold(scale=4.2, K=100, d=1), 121),  # K + 5b
        (NoisyThreshold(scale=4.2, K=100, d=1, on="users", at_least=3), 121),
        (parse("KA(K=7)").plan[0].selection, 8),  # more than K
        (AtLeast(5, "users"), 5),  # at least k
        (AtLeast(5, "impressions"), 5),
        (WeightedRounds(AdaptiveGaussian(), mu=0.5, threshold=10.0, tail=1e-6), 40),  # 2 · (10 + 5 · 2)
        (KeySelection(LaplaceThreshold(1), 2.0, 1e-3), 17),  # 5 people, noise of 0.6
    ],
)
def test_fakes_needed(selection, fakes):
    assert fakes_needed(selection) == fakes


@pytest.mark.parametrize(
    "spelling",
    [
        *("FTu(k=5)", "KA(K=3)", "Korolova(epsilon=4, delta=1e-6, d=2)", "Crowd(epsilon=2, delta=1e-6)"),
        *(
            f"Keys(epsilon=2, delta=1e-6, selection='{selection}', artifact='click')"
            for selection in SELECTIONS
        ),
    ],
)
def test_every_label_tells_how_many_and_warns(spelling):
    promise = parse(spelling).promise()
    assert all(fakes_needed(plan.selection) > 0 for plan in promise.tables)
    assert promise.tables
    assert any("fake users" in line.lower() for line in promise.unprotected)


SPELLINGS = (
    ("open", "ASession(epsilon=8, delta=1e-3, l_q=2)", 1),
    ("keys", "Keys(epsilon=8, delta=1e-3)", 1),
    ("people", "Keys(epsilon=8, delta=1e-3, selection='laplace')", 1),
    ("closed", "AClick(epsilon=8, q_f=2)", 0),
)


def test_a_public_list_of_queries_cannot_be_lifted_into(tmp_path, monkeypatch):
    """Fake users get a text published where texts are counted,
    and never where they come from a public list.
    """
    monkeypatch.setattr("crowdlog.attacks.injection.TRIALS", 2)
    log = make_log(tmp_path, crowd_rows(60, ["weather boston", "used cars"]))
    for name, spelling, success in SPELLINGS:
        release = parse(spelling).release(log, tmp_path / name, i_know=True, randomness=SeededRandomness(1))
        assert (
            injection(AttackerView.of(release), Impressions(log), Attacker(SeededRandomness(2))).success
            == success
        )
