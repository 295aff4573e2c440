"""Games of a ladder: exact runs in memory, and an alarm where its noise is too small."""

import numpy as np
import pytest

from crowdlog.attacks import attack, ladder_games, membership
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.ladder_games import LadderGames
from crowdlog.attacks.log_without import LogWithout
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.rungs import people
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import few_and_many, make_log

LADDER = "Ladder(epsilon=4, delta=1e-3, people=300, least_rows=0)"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Queries of many people, and queries of few; clicks and repeated searches."""
    return make_log(tmp_path_factory.mktemp("ladder"), few_and_many())


def test_a_run_is_the_mechanism_on_the_log_without_them(log, tmp_path):
    """With the same random numbers, to the last count and its noise."""
    mechanism, worlds, truth = parse(LADDER), LogWithout(log, tmp_path), Impressions(log)
    published = 0
    with LadderGames(mechanism, log) as games:
        for seed, absent in enumerate(([], [0], [3, 7, 200], list(range(60)))):
            who = np.array(absent, np.int64)
            table = mechanism.protect(worlds.without(who), SeededRandomness(seed)).tables["queries"]
            found = games.shown_without(who, truth.texts.find, SeededRandomness(seed))
            for column, shown in (("count", found.count), ("noise", found.noise)):
                expected = np.full(log.info.queries + 1, np.nan)
                expected[truth.texts.find(table["query"])] = table[column].to_numpy()
                np.testing.assert_array_equal(shown, expected[:-1])
            published += int(np.isfinite(found.count).sum())
    assert published > 8


def test_people_are_counted_without_those_who_are_left_out(log):
    """A ladder that counts the people itself: its noisy number is that of the log without them."""
    mechanism, truth = parse(LADDER.replace(", people=300", "")), Impressions(log)
    asked = []
    made = type(mechanism).of_holdings

    def remember(self, source, held, users, randomness):
        asked.append((users, int((np.diff(held.rows.starts) > 0).sum())))
        return made(self, source, held, users, randomness)

    with LadderGames(mechanism, log) as games, pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(mechanism), "of_holdings", remember)
        games.shown_without(np.arange(40), truth.texts.find, SeededRandomness(1))
    assert asked == [(260, 260)]


RUNS = 60


def played(log, folder, monkeypatch):
    """Many people in each of a few runs."""
    monkeypatch.setattr(ladder_games, "FEWEST", RUNS)
    monkeypatch.setattr(ladder_games, "MOST", RUNS)
    monkeypatch.setattr(membership, "MANY_RUNS", RUNS)
    with seeded_release(log, SeededRun(LADDER, 1), folder) as release:
        (found,) = attack(release, log, ["membership"], attacker=Attacker(SeededRandomness(2)))
    return found


@pytest.mark.slow
def test_many_people_play_in_each_run_and_the_promise_holds(log, tmp_path, monkeypatch):
    found = played(log, tmp_path, monkeypatch)
    assert found.details["runs of the mechanism"] == RUNS
    assert found.details["trials"] == RUNS * 30
    assert found.details["the accounting admits"] < found.details["the promise admits"]
    assert not found.broken


@pytest.mark.slow
def test_counts_with_hardly_any_noise_are_heard(log, tmp_path, monkeypatch):
    """Every number of people with a hundredth of its noise: she is seen in nearly every game."""
    whole = people.count_people

    def bare(shown, mu, users, randomness):
        return whole(shown, 100 * mu, users, randomness)

    monkeypatch.setattr(people, "count_people", bare)
    found = played(log, tmp_path, monkeypatch)
    assert found.broken
    assert found.success > found.details["the promise admits"] - 0.05
