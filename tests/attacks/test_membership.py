"""Is she in the log? Games that can be reckoned by hand, and one mechanism whose best attack is known."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.likelihood import Likelihood
from crowdlog.attacks.log_without import LogWithout
from crowdlog.attacks.membership import Played, apart, play, together
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log

OWN = csr_array(np.array([[1, 0, 0], [0, 2, 0], [1, 1, 0], [0, 0, 1]]))
EXACT, GAUSSIAN, LAPLACE = Likelihood(False), Likelihood(True), Likelihood(True, scale=2.0)


def right(shown, target, inside, noise=EXACT):
    return play(
        OWN, np.array(shown, float), np.array([target]), np.array([inside]), noise, np.random.default_rng(1)
    ).tolist()


@pytest.mark.parametrize("noise", [EXACT, GAUSSIAN, LAPLACE])
def test_exact_counts_are_always_guessed_right(noise):
    """The others have 1, 1 and 1 of the queries; she, the second person, adds two."""
    assert right([2, 3, 1], 1, True, noise) == [True]
    assert right([2, 1, 1], 1, False, noise) == [True]


def test_a_query_that_disappears_without_noise_gives_her_absence_away():
    assert right([2, math.nan, 1], 1, False) == [True]
    assert right([2, math.nan, 1], 1, True) == [False]


def test_counts_that_do_not_depend_on_her_are_worth_a_coin():
    """A release that was made without the log must not be counted as an attack that works."""
    rng = np.random.default_rng(1)
    inside = rng.random(20_000) < 0.5
    for shown in ([2.0, 3.0, 1.0], [math.nan] * 3):
        guesses = play(OWN, np.array(shown), np.zeros(20_000, np.int64), inside, GAUSSIAN, rng)
        assert guesses.mean() == pytest.approx(0.5, abs=0.025)  # 7 standard deviations


def laplace(x, scale):
    return math.exp(-abs(x) / scale) / (2 * scale)


def cdf(x, scale):
    return math.exp(x / scale) / 2 if x < 0 else 1 - math.exp(-x / scale) / 2


@pytest.mark.parametrize("shown", [math.nan, 12.0, 9.5, 30.0])
@pytest.mark.parametrize("others", [4.0, 9.0, 20.0])
def test_the_evidence_is_the_ratio_of_the_likelihoods(shown, others):
    """Zealous: one noise selects and is published. Korolova: two noises."""
    mine, K, b, scale = 2.0, 9.0, 1.5, 2.5
    one, two = Likelihood(True, b, K, b), Likelihood(True, scale, K, b, separate=True)

    def likelihood(noise, count):
        if math.isnan(shown):
            return cdf(K - count, b)
        return laplace(shown - count, noise.scale) * (1 - cdf(K - count, b) if noise.separate else 1)

    for noise in (one, two):
        expected = math.log(likelihood(noise, others + mine) / likelihood(noise, others))
        assert noise.evidence(np.array([mine]), np.array([others]), np.array([shown])) == pytest.approx(
            [expected]
        )


def test_no_two_targets_share_a_published_query_and_the_most_exposed_come_first():
    chosen = apart(OWN, np.random.default_rng(1))
    assert (OWN[chosen].astype(bool).sum(axis=0) <= 1).all()
    assert chosen.tolist() == [2, 3]


def test_many_play_together_those_with_most_published_queries():
    own = csr_array(np.concatenate([np.eye(3, 4, dtype=int), np.ones((2, 4), int), np.zeros((25, 4), int)]))
    rng = np.random.default_rng(1)
    assert set(together(own, rng, 2).tolist()) == {3, 4}
    assert set(together(own, rng, 30).tolist()[:2]) == {3, 4}
    assert len(together(own, rng, 30)) == 3  # a tenth of all people
    assert all(together(own, np.random.default_rng(seed), 30)[2] < 3 for seed in range(20))


@pytest.mark.parametrize("coins", [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
@pytest.mark.parametrize("noise", [EXACT, GAUSSIAN, LAPLACE])
def test_the_attacker_knows_the_coins_of_the_others_who_play(coins, noise):
    """Three people share queries. Counts without noise give every one of them away."""
    inside = np.array(coins, bool)
    present = np.append(inside, True)
    shown = np.asarray(OWN.todense())[present].sum(axis=0).astype(float)
    guesses = play(OWN, shown, np.arange(3), inside, noise, np.random.default_rng(1))
    assert guesses.all()


def test_games_that_are_right_or_wrong_together_raise_no_alarm_and_more_than_is_admitted_does():
    """Runs of 50 games: all right in half of the runs, or each right in 55 of 100."""
    rng = np.random.default_rng(3)
    as_one = [np.full(50, right) for right in rng.random(1_000) < 0.5]
    each = [rng.random(50) < 0.55 for _ in range(1_000)]
    assert not Played(as_one, 1_000, shared=True).surely_above(0.5)
    assert not Played(each, 1_000, shared=True).surely_above(0.55)
    assert Played(each, 1_000, shared=True).surely_above(0.53)


def test_a_world_without_some_people(tmp_path):
    log = make_log(
        tmp_path, [("a", "x", 0, None), ("b", "x", 0, None), ("b", "y", 9, None), ("c", "y", 0, None)]
    )
    (tmp_path / "worlds").mkdir()
    world = LogWithout(log, tmp_path / "worlds").without(np.array([1]))
    released = parse("FTa(k=1)").protect(world, SeededRandomness(1)).tables["queries"].to_pydict()
    assert released == {"query": ["x", "y"], "count": [1, 1]}


# Each of 20 queries is asked by 60 people, who ask nothing else.
ONE_EACH = [(f"u{user}", f"query {user % 20}", 0, None) for user in range(1200)]


def attacked(folder, mechanism):
    log = make_log(folder, ONE_EACH)
    with seeded_release(log, SeededRun(mechanism, 3), folder) as release:
        return attack(release, log, ["membership"], attacker=Attacker(SeededRandomness(4)))[0]


def test_the_attack_reaches_what_the_promise_admits(tmp_path):
    """With one query of each person Zealous spends all of ε on it: no attack can do better than e^ε/(1 +
    e^ε), and this one does as well.
    """
    found = attacked(tmp_path, "Zealous(epsilon=2, delta=1e-6, d=1)")
    bound = math.exp(2) / (1 + math.exp(2))
    assert found.details["trials"] == 100_000
    assert found.details["the promise admits"] == pytest.approx(bound, abs=1e-5)
    assert found.interval[0] < bound < found.interval[1]
    assert found.interval[1] - found.interval[0] < 0.006
    assert not found.broken
    assert found.note == "Better than chance, within what the promise admits: 88.1% right guesses."


def test_a_little_more_than_the_promise_admits_is_heard(tmp_path, monkeypatch):
    """Noise of ε = 2 under a label that says ε = 1.95: 88.1 % against 87.5 %, unheard with 500 games."""
    monkeypatch.setattr("crowdlog.attacks.membership._allowed", lambda _label: 1 / (1 + math.exp(-1.95)))
    assert attacked(tmp_path, "Zealous(epsilon=2, delta=1e-6, d=1)").broken


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param("Korolova(epsilon=2, delta=1e-5, d=1)", marks=pytest.mark.slow),
        "Zealous(epsilon=2, delta=1e-6, d=1)",
        "FTu(k=5)",
    ],
)
def test_games_on_the_histogram_are_games_of_the_mechanism(tmp_path, monkeypatch, spelling):
    """The same share of right guesses as by running the whole mechanism on logs with and without people."""
    quick = attacked(tmp_path / "quick", spelling)
    monkeypatch.setattr("crowdlog.attacks.histogram_games.fits", lambda *_words: False)
    slow = attacked(tmp_path / "slow", spelling)
    assert quick.details["trials"] >= 100_000 > 2 * slow.details["trials"]
    assert slow.interval[0] - 0.03 < quick.success < slow.interval[1] + 0.03


def test_more_than_the_promise_admits_is_broken(tmp_path, monkeypatch):
    """The same noise under a label that says ε = 1."""
    monkeypatch.setattr("crowdlog.attacks.membership._allowed", lambda _label: math.e / (1 + math.e))
    assert attacked(tmp_path, "Zealous(epsilon=2, delta=1e-6, d=1)").broken


def test_a_mechanism_that_cannot_be_run_again_says_so(tmp_path):
    public = tmp_path / "public.tsv"
    public.write_text("query 1\thttp://a.example\n", encoding="utf-8")
    log = make_log(tmp_path, ONE_EACH)
    release = parse(f"Korolova(epsilon=9, delta=1e-6, d=1, urls='public', surfaced={str(public)!r})").release(
        log, tmp_path / "out", i_know=True
    )
    public.unlink()
    found = attack(release, log, ["membership"])[0]
    assert found.success is None
    assert found.note.startswith("The mechanism cannot be run again: ")
