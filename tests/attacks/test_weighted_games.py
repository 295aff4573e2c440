"""Games of mechanisms that weigh all queries together: exact runs, and counts against their own bound."""

import numpy as np
import pytest

from crowdlog.attacks import attack, weighted_games
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.log_without import LogWithout
from crowdlog.attacks.membership import apart
from crowdlog.attacks.weighted_games import WeightedGames, fits
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.plan import decide as deciding
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import few_and_many, make_log

SPELLINGS = [
    "Crowd(epsilon=4, delta=1e-3, budget=4)",
    "Keys(epsilon=4, delta=1e-3, items=3, budget=4)",
    "Keys(epsilon=4, delta=1e-3, selection='weighted', budget=4)",
]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Queries of many people, some of whom ask more often than the budget allows, and queries of few."""
    return make_log(tmp_path_factory.mktemp("weighted"), few_and_many())


def games_of(spelling, log):
    mechanism = parse(spelling)
    plan = mechanism.plan[0]
    assert fits(mechanism, plan)
    return mechanism, WeightedGames.of(mechanism, plan, log)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_run_is_the_mechanism_on_the_log_without_them(log, tmp_path, spelling):
    """With the same random numbers, to the last count."""
    mechanism, games = games_of(spelling, log)
    worlds, truth = LogWithout(log, tmp_path), Impressions(log)
    published = 0
    for seed, absent in enumerate(([], [0], [3, 7, 200], list(range(60)))):
        table = mechanism.protect(worlds.without(np.array(absent, np.int64)), SeededRandomness(seed)).tables
        shown = games.shown_without(np.array(absent, np.int64), SeededRandomness(seed))
        expected = np.full(log.info.queries, np.nan)
        expected[truth.texts.find(table["queries"]["query"])] = table["queries"]["count"].to_numpy()
        np.testing.assert_array_equal(shown, expected)
        published += table["queries"].num_rows
    assert published > 8


@pytest.mark.parametrize("spelling", ["FTu(k=3)", "Keys(epsilon=4, delta=1e-3, representation='light')"])
def test_what_is_no_such_mechanism_is_played_otherwise(spelling):
    mechanism = parse(spelling)
    assert not fits(mechanism, mechanism.plan[0])


def played_on_counts(log, monkeypatch):
    """The share of right guesses on counts alone, and what they admit."""
    monkeypatch.setattr(weighted_games, "GAMES", 40_000)
    _mechanism, games = games_of(SPELLINGS[0], log)
    ids = np.flatnonzero(np.isfinite(games.shown_without(np.zeros(0, np.int64), SeededRandomness(5))))
    assert len(ids) == 5
    rng = np.random.default_rng(2)
    targets = apart(Impressions(log).profile[:, ids].tocsr(), rng, by_counts=True)
    right = games.play_counts(ids, targets, rng, SeededRandomness(6))
    return right.mean(), games.counts_admit()


def test_counts_alone_come_up_to_their_own_bound_and_not_above(log, monkeypatch):
    right, admitted = played_on_counts(log, monkeypatch)
    assert 0.52 < admitted - 0.02 < right < admitted + 0.01  # four standard deviations


@pytest.mark.parametrize("fault", ["half the noise", "no bound"])
def test_a_fault_in_counts_is_heard(log, monkeypatch, fault):
    """Both stay far below what ε = 4 admits as a whole: .98."""
    if fault == "half the noise":
        drawn = deciding.published

        def halved(plan, key, true, randomness):
            kept = drawn(plan, key, true, randomness)
            return deciding.Kept(kept.key, true + (kept.count - true) // 2)

        monkeypatch.setattr(weighted_games, "published", halved)
    else:
        bounded = Histories.counts
        monkeypatch.setattr(Histories, "counts", lambda self, _budget, drawn: bounded(self, 10**6, drawn))
    right, admitted = played_on_counts(log, monkeypatch)
    assert right > admitted + 0.03
    assert right < 0.98


@pytest.mark.slow
def test_the_result_tells_of_both_kinds_of_games(log, tmp_path, monkeypatch):
    monkeypatch.setattr(weighted_games, "GAMES", 2_000)
    monkeypatch.setattr(weighted_games, "MOST", 200)
    release = parse(SPELLINGS[0]).release(log, tmp_path / "out", i_know=True)
    (found,) = attack(release, log, ["membership"], attacker=Attacker(SeededRandomness(1)))
    assert found.details["trials"] == 200 * 30  # a tenth of the people in each run
    assert found.details["trials on counts alone"] >= 2_000
    assert 0.5 < found.details["counts alone admit"] < found.details["the accounting admits"]
    assert found.details["the accounting admits"] < found.details["the promise admits"]
    assert not found.broken
