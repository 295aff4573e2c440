import numpy as np
from hypothesis import given

from crowdlog.artifacts.semantic import affinity
from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import build_vectors
from tests.artifacts.semantic.helpers import concept_sets, concept_weights, rows, slow_affine, thetas


def pairs_of(blocks):
    found = []
    for block in blocks:
        x = np.repeat(np.arange(block.first, block.first + len(block.count)), block.count)
        found += list(zip(x.tolist(), block.neighbours.tolist(), strict=True))
    return found


@given(concept_sets, concept_weights, thetas)
def test_same_pairs_as_brute_force_each_once(sets, weights, theta):
    sets = sorted({frozenset(s) for s in sets}, key=sorted)
    vectors = build_vectors(*rows([list(s) for s in sets]), np.array(weights, np.int64))
    found = pairs_of(AllPairs(vectors, Theta.of(theta)).blocks())
    number = {int(v): s for v, s in zip(vectors.vector_of, sets, strict=True)}
    expected = [
        (x, y)
        for x in range(len(sets))
        for y in range(x)
        if slow_affine(number[x], number[y], weights, theta)
    ]
    assert sorted(found) == expected


def zipf_vectors(n=3000, seed=5):
    rng = np.random.default_rng(seed)
    sets = [set((rng.zipf(1.5, rng.integers(1, 6)) % 400).tolist()) for _ in range(n)]
    return build_vectors(*rows([list(s) for s in sets]), rng.integers(1000, 90_000, 400))


def test_small_tasks_and_rooms_change_nothing_and_progress_adds_up(monkeypatch):
    pairs = AllPairs(zipf_vectors(), Theta.of(0.8))
    whole = pairs_of(pairs.blocks(threads=1))
    assert len(whole) > 1000
    monkeypatch.setattr(affinity, "_TASK", 500)
    monkeypatch.setattr(affinity, "_ROOM", 50)
    told = []
    assert pairs_of(pairs.blocks(threads=3, advance=told.append)) == whole
    assert sum(told) == pairs.work.sum()
    assert len(told) > 10


def test_filters_leave_little_to_look_at():
    vectors = zipf_vectors()
    assert AllPairs(vectors, Theta.of(0.9)).work.sum() < len(vectors) ** 2 / 20


def test_no_vectors_no_pairs():
    vectors = build_vectors(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    assert pairs_of(AllPairs(vectors, Theta.of(0.9)).blocks()) == []
