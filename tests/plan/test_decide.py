"""Deciding on arrays: what is kept, with which number, and which noise it drew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crowdlog.artifacts.kinds import Artifact
from crowdlog.plan.bounds import FirstOccurrences, SquaredBudget, Unbounded
from crowdlog.plan.candidates import OfShown, Pool, PublicResults
from crowdlog.plan.decide import (
    Kept,
    KeyHistories,
    TableCounts,
    by_counts,
    by_weights,
    decide,
    published,
)
from crowdlog.plan.selections import AtLeast, KeySelection, NoisyThreshold, WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.histories import Histories, count_noise
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.laplace_threshold import LaplaceThreshold
from crowdlog.privacy.selection.own_size import OwnSizes
from tests.support.randomness import FrozenRandomness

NOTHING = np.zeros(0, np.int64)
QUIET, LOUD = DiscreteLaplace(1 / 60), DiscreteLaplace(50)  # QUIET: 0 but for a chance of 1e-26


def plan(selection, noise=QUIET, **more):
    settings = {"artifact": Artifact("query"), "counts": "impressions", "bound": FirstOccurrences(1), **more}
    return TablePlan(selection=selection, noise=noise, **settings)


def found(impressions, users=None, owners=(), first=100):
    """Keys from `first` on, so that a key is never taken for its place."""
    impressions = np.array(impressions, np.int64)
    users = NOTHING if users is None else np.array(users, np.int64)
    key = first + np.arange(len(impressions))
    return TableCounts(key, impressions, users, tuple(np.array(owner, np.int64) for owner in owners))


def rows(kept: Kept):
    assert len(kept.key) == len(kept.count)
    return dict(zip(kept.key.tolist(), kept.count.tolist(), strict=True))


# --- thresholds ---


def test_a_key_is_shown_above_the_threshold_not_at_it():
    kept = by_counts(plan(NoisyThreshold(1 / 60, K=7, d=1)), found([6, 7, 8, 90]), SeededRandomness(1))
    assert rows(kept) == {102: 8, 103: 90}


def test_the_threshold_looks_at_people_where_it_says_so_and_impressions_are_published():
    on_people = plan(NoisyThreshold(1 / 60, K=3, d=1, on="users"))
    assert rows(by_counts(on_people, found([50, 60, 7], [3, 4, 5]), SeededRandomness(1))) == {101: 60, 102: 7}
    of_people = replace(on_people, counts="users")
    assert rows(by_counts(of_people, found([50, 60, 7], [3, 4, 5]), SeededRandomness(1))) == {101: 4, 102: 5}


@pytest.mark.parametrize("on", ["impressions", "users"])
def test_the_raw_filter_drops_what_noise_could_have_lifted(on):
    """The threshold is far below every count: only the filter, which looks at raw numbers, decides."""
    selection = NoisyThreshold(0.5, K=-1000, d=1, on=on, at_least=5)
    numbers, others = [1, 4, 5, 6], [9, 9, 9, 9]
    candidates = found(others, numbers) if on == "users" else found(numbers, others)
    for seed in range(20):
        kept = by_counts(plan(selection), candidates, SeededRandomness(seed))
        assert kept.key.tolist() == [102, 103]


def test_noise_of_the_selection_is_not_that_of_the_counts():
    """Two draws for each key: what passed the threshold does not tell the published number."""
    candidates, K = found([100] * 4000), 100
    kept = by_counts(plan(NoisyThreshold(50, K=K, d=1), LOUD, clean=False), candidates, SeededRandomness(3))
    assert 1500 < len(kept.key) < 2500
    assert (kept.count <= K).sum() > 500
    assert abs(kept.count.mean() - 100) < 10  # not shifted by having passed


def test_reused_noise_is_the_number_that_passed():
    candidates, K = found([100] * 4000), 100
    reused = plan(NoisyThreshold(50, K=K, d=1), LOUD, reuses_noise=True)
    kept = by_counts(reused, candidates, SeededRandomness(3))
    assert 1500 < len(kept.key) < 2500
    assert kept.count.min() > K
    noise = NoisyThreshold(50, K=K, d=1).noise.draw(4000, SeededRandomness(3))
    passed = np.flatnonzero(100 + noise > K).tolist()
    assert rows(kept) == {100 + place: 100 + noise[place] for place in passed}


def test_no_noise_is_drawn_for_what_the_raw_filter_dropped():
    """Draws are counted: dropped keys must not use up randomness, or their number would show in a seed."""
    selection = NoisyThreshold(50, K=0, d=1, at_least=5)
    reused = plan(selection, LOUD, reuses_noise=True)
    alone = by_counts(reused, found([80] * 30), SeededRandomness(4))
    among = by_counts(reused, found([80] * 30 + [1] * 500), SeededRandomness(4))
    assert rows(alone) == rows(among)


def test_public_candidates_that_nobody_has_get_noise_too():
    public = NoisyThreshold(50, K=20, d=1, public=True)
    closed = plan(public, LOUD, candidates=Pool("pool.txt", 4000), clean=False)
    kept = by_counts(closed, found([0] * 4000), SeededRandomness(5))
    expected = 4000 * public.noise.tail(20)
    assert abs(len(kept.key) - expected) < 6 * np.sqrt(expected)
    assert len(set(kept.count.tolist())) > 50
    assert kept.count.min() < 0 < kept.count.max()


def test_public_results_are_all_published_with_noise():
    public = plan(None, LOUD, artifact=Artifact("click"), candidates=PublicResults("urls.tsv"), clean=False)
    kept = by_counts(public, found([0] * 500 + [1000]), SeededRandomness(6))
    assert kept.key.tolist() == list(range(100, 601))
    assert np.abs(kept.count[:500]).max() > 50
    assert abs(kept.count[500] - 1000) < 1000


@pytest.mark.parametrize(("on", "kept"), [("impressions", {101: 5, 102: 9}), ("users", {102: 9, 103: 4})])
def test_exact_thresholds_keep_exact_counts(on, kept):
    exact = plan(AtLeast(5, on), None, bound=Unbounded())
    assert rows(by_counts(exact, found([4, 5, 9, 4], [1, 2, 6, 5]), SeededRandomness(1))) == kept


def test_no_candidates_give_an_empty_table():
    noisy = [NoisyThreshold(2, K=3, d=1, at_least=least) for least in (1, 4)]
    for selection in (*noisy, AtLeast(2, "impressions"), None):
        assert rows(by_counts(plan(selection), found([]), SeededRandomness(1))) == {}


# --- published numbers ---


def test_counts_without_noise_are_exact_and_never_cleaned():
    exact = plan(None, None, least=5)
    assert rows(published(exact, np.array([3, 4]), np.array([1, 9]), FrozenRandomness())) == {3: 1, 4: 9}


def test_counts_below_the_least_are_left_out_by_their_noisy_number():
    key, true = np.arange(5000), np.full(5000, 20)
    kept = published(plan(None, LOUD, least=30, clean=False), key, true, SeededRandomness(7))
    noisy = true + LOUD.draw(5000, SeededRandomness(7))
    assert rows(kept) == {place: noisy[place] for place in np.flatnonzero(noisy >= 30).tolist()}
    assert 0 < len(kept.key) < 5000
    assert kept.count.min() == 30


def test_cleaning_makes_negative_counts_zero_and_changes_no_other():
    key, true = np.arange(5000), np.full(5000, 3)
    raw = published(plan(None, LOUD, clean=False), key, true, SeededRandomness(8))
    clean = published(plan(None, LOUD), key, true, SeededRandomness(8))
    assert raw.count.min() < 0 == clean.count.min()
    assert clean.key.tolist() == raw.key.tolist() == key.tolist()
    assert clean.count.tolist() == np.maximum(raw.count, 0).tolist()


def test_what_is_left_out_is_so_before_cleaning():
    """A least of 0 leaves out negative counts; cleaning first would keep them as 0."""
    key, true = np.arange(2000), np.zeros(2000, np.int64)
    kept = published(plan(None, LOUD, least=0), key, true, SeededRandomness(9))
    raw = published(plan(None, LOUD, clean=False), key, true, SeededRandomness(9))
    assert kept.key.tolist() == raw.key[raw.count >= 0].tolist()


# --- weights ---


def histories(users, key, prior=None):
    """Everybody does every item once."""
    rows = [(user, item) for user, items in enumerate(users) for item in items]
    people, items = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return KeyHistories(np.array(key), Histories.from_rows(people, items, len(key)), prior)


WEIGHTED = KeySelection(LaplaceThreshold(2), 20.0, 1e-6)


def test_by_weights_keeps_keys_of_many_and_counts_what_the_budget_leaves():
    people = [[0, 0, 0, 2]] * 300 + [[1]]
    weighted = plan(WEIGHTED, count_noise(10, 1000.0), bound=SquaredBudget(10, 2))
    kept = by_weights(weighted, histories(people, [70, 80, 90]), SeededRandomness(1))
    assert rows(kept) == {70: 900, 90: 300}  # 3² + 1² = 10
    tight = plan(WEIGHTED, count_noise(2, 1000.0), bound=SquaredBudget(2, 2))
    assert sum(by_weights(tight, histories(people, [70, 80, 90]), SeededRandomness(1)).count) <= 600


def test_only_kept_keys_use_up_a_persons_budget():
    people = [[0, *range(1 + 8 * user, 9 + 8 * user)] for user in range(300)]
    selection = KeySelection(LaplaceThreshold(9), 40.0, 1e-6)
    weighted = plan(selection, count_noise(1, 1000.0), bound=SquaredBudget(1, 9))
    kept = by_weights(weighted, histories(people, range(1 + 8 * 300)), SeededRandomness(1))
    assert rows(kept) == {0: 300}


def test_a_prior_aims_the_choice_at_what_it_favours():
    method = AdaptiveGaussian(items_per_user=20)
    selection = WeightedRounds(method, mu=2.0, threshold=18.0, tail=1e-6)
    weighted = plan(selection, count_noise(16, 2.0), bound=SquaredBudget(16, 20))
    people = [list(range(20))] * 60
    favoured = np.where(np.arange(20) < 4, 1.0, 0.05)
    both = [histories(people, range(20), prior) for prior in (None, favoured)]
    plain, helped = (by_weights(weighted, one, SeededRandomness(2)).key for one in both)
    assert helped.tolist() == [0, 1, 2, 3]
    assert not {0, 1, 2, 3} <= set(plain.tolist())


@pytest.mark.parametrize(
    ("selection", "bound"),
    [
        (WEIGHTED, FirstOccurrences(2)),
        (NoisyThreshold(1, 1, 1), SquaredBudget(2, 2)),
        (None, SquaredBudget(2, 2)),
    ],
)
def test_weights_need_a_squared_budget_and_a_selection_by_weights(selection, bound):
    with pytest.raises(TypeError, match="needs a squared budget"):
        by_weights(plan(selection, bound=bound), histories([[0]], [5]), SeededRandomness(1))


# --- owners and the order of tables ---


def test_owned_by_needs_all_owners_to_be_shown():
    pairs = found([4, 5, 6], [1, 2, 3], owners=([7, 7, 8], [8, 9, 9]))
    left = pairs.owned_by(np.array([7, 8]))
    assert (left.key.tolist(), left.impressions.tolist(), left.users.tolist()) == ([100], [4], [1])
    assert pairs.owned_by(np.array([7, 8, 9])).key.tolist() == [100, 101, 102]
    assert pairs.owned_by(NOTHING).key.tolist() == []


def test_owned_by_without_counted_people():
    clicks = found([4, 5], owners=([7, -1],))
    left = clicks.owned_by(np.array([-1, 3]))
    assert (left.key.tolist(), left.impressions.tolist(), left.users.tolist()) == ([101], [5], [])


class Tables:
    """A source of made-up counts that remembers what it was asked for."""

    def __init__(self, **tables):
        self.tables, self.asked = tables, []

    def counts(self, plan, _randomness):
        self.asked.append(plan.name)
        return self.tables[plan.name]

    def histories(self, plan, shown):
        self.asked.append((plan.name, None if shown is None else shown.tolist()))
        return self.tables[plan.name]


def test_later_tables_are_about_shown_queries_only():
    queries = plan(NoisyThreshold(1 / 60, K=5, d=1))
    clicks = plan(NoisyThreshold(1 / 60, K=1, d=1), artifact=Artifact("click"), candidates=OfShown())
    source = Tables(queries=found([9, 2]), clicks=found([8, 8, 8], owners=([100, 101, 100],), first=500))
    kept = decide([queries, clicks], source, SeededRandomness(1))
    assert source.asked == ["queries", "clicks"]
    assert (rows(kept["queries"]), rows(kept["clicks"])) == ({100: 9}, {500: 8, 502: 8})


def test_tables_of_their_own_do_not_depend_on_shown_queries():
    queries = plan(AtLeast(50, "impressions"), None)
    clicks = plan(AtLeast(5, "impressions"), None, artifact=Artifact("click"))
    source = Tables(queries=found([9]), clicks=found([8], owners=([100],), first=500))
    assert rows(decide([queries, clicks], source, SeededRandomness(1))["clicks"]) == {500: 8}


def test_histories_are_asked_for_with_what_is_shown():
    noise, bound = count_noise(4, 1000.0), SquaredBudget(4, 2)
    queries = plan(WEIGHTED, noise, bound=bound)
    clicks = plan(WEIGHTED, noise, bound=bound, artifact=Artifact("click"), candidates=OfShown())
    many = [[0]] * 300
    source = Tables(queries=histories(many, [40]), clicks=histories(many, [50]))
    kept = decide([queries, clicks], source, SeededRandomness(1))
    assert source.asked == [("queries", None), ("clicks", [40])]
    assert (rows(kept["queries"]), rows(kept["clicks"])) == ({40: 300}, {50: 300})


def test_what_was_counted_is_not_shown_by_repr():
    assert repr(found([3, 4])) == "TableCounts(2 keys)"
    assert repr(Kept(np.array([3]), np.array([4]))) == "Kept(1 keys)"


class Sized(Tables):
    """A source whose users have numbers of artifacts, too."""

    def __init__(self, per_user, **tables):
        super().__init__(**tables)
        self.per_user = per_user

    def artifacts_per_user(self, plan):
        self.asked.append(("sizes", plan.name))
        return np.array(self.per_user[plan.name])


def test_one_size_per_user_is_taken_before_anything_is_published(monkeypatch):
    """Her size is the largest of her tables, and the table of clicks does not take it again from what is
    left of them: that would depend on which queries were shown.
    """
    seen = []
    real = WeightedRounds.select

    def spied(self, incidence, randomness, prior, sizes):
        seen.append(sizes.tolist())
        return real(self, incidence, randomness, prior, sizes)

    monkeypatch.setattr(WeightedRounds, "select", spied)
    own = OwnSizes((1, 10), (1.1, 1.0))
    selection = WeightedRounds(AdaptiveGaussian(items_per_user=10), 2.0, 18.0, 1e-6, own)
    noise, bound = count_noise(4, 1000.0), SquaredBudget(4, 10)
    queries = plan(selection, noise, bound=bound)
    clicks = plan(selection, noise, bound=bound, artifact=Artifact("click"), candidates=OfShown())
    many = [[0]] * 300
    per_user = {"queries": [1] * 300, "clicks": [7, *[0] * 299, 3]}
    source = Sized(per_user, queries=histories(many, [40]), clicks=histories(many, [50]))
    decide([queries, clicks], source, SeededRandomness(1))
    assert source.asked[:2] == [("sizes", "queries"), ("sizes", "clicks")]
    assert [kind for kind, _ in source.asked[2:]] == ["queries", "clicks"]
    assert seen == [[7, *[1] * 299, 3]] * 2
