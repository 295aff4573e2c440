"""What one user can move: never more than one unit of L2 length, whatever the others hold and whatever is
steered by.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.privacy.selection import kernels
from tests.privacy.selection.small import make, skewed

SIZE = 12
SETS = st.lists(st.sets(st.integers(0, SIZE - 1)).map(sorted), min_size=1, max_size=8)
WORTH = st.lists(st.integers(0, kernels.FULL), min_size=SIZE, max_size=SIZE)


def whole_units(incidence):
    """The same length for everybody."""
    return np.full(incidence.users, kernels.UNIT, np.int64)


@given(SETS, WORTH, st.integers(0, kernels.UNIT))
def test_one_user_moves_the_weights_by_at_most_her_own_length(
    sets: list[list[int]], worth: list[int], length: int
) -> None:
    steered = np.array(worth, np.int16)
    lengths = np.array([length] + [kernels.UNIT] * (len(sets) - 1))
    one, other = make(sets, SIZE), make(sets[1:], SIZE)
    moved = kernels.weigh(one.offsets, one.items, steered, lengths[: one.users]) - kernels.weigh(
        other.offsets, other.items, steered, lengths[1 : 1 + other.users]
    )
    assert sum(int(x) ** 2 for x in moved) <= length**2


@given(SETS, WORTH)
def test_one_user_moves_the_weights_by_at_most_one_unit(sets: list[list[int]], worth: list[int]) -> None:
    steered = np.array(worth, np.int16)
    whole, without = (
        kernels.weigh(i.offsets, i.items, steered, whole_units(i))
        for i in (make(sets, SIZE), make(sets[1:], SIZE))
    )
    moved = [int(x) for x in whole - without]
    assert all(x >= 0 for x in moved)
    assert sum(x * x for x in moved) <= kernels.UNIT**2


def test_even_weights_are_rounded_down_by_less_than_one_unit() -> None:
    for held in (1, 2, 3, 4, 100, 200):
        incidence = make([list(range(held))], held)
        even = np.full(held, kernels.FULL, np.int16)
        weights = kernels.weigh(incidence.offsets, incidence.items, even, whole_units(incidence))
        assert np.all((weights <= kernels.UNIT / held**0.5) & (weights > kernels.UNIT / held**0.5 - 1.001))


@given(SETS, st.floats(0.3, 4))
def test_filling_up_moves_by_at_most_one(sets: list[list[int]], target: float) -> None:
    whole, without = (
        kernels.fill_up(i.offsets, i.items, SIZE, target) for i in (make(sets, SIZE), make(sets[1:], SIZE))
    )
    assert np.linalg.norm(whole - without) <= 1 + 1e-9
    assert whole.max() <= target * (1 + 1e-12)


def test_filling_up_moves_little_in_a_large_log() -> None:
    log = skewed()
    whole = kernels.fill_up(log.offsets, log.items, log.size, 9.0)
    for user in (0, 1999, 3999):
        kept = np.r_[log.items[: log.offsets[user]], log.items[log.offsets[user + 1] :]]
        sizes = np.delete(np.diff(log.offsets), user)
        without = kernels.fill_up(np.r_[0, np.cumsum(sizes)], kept, log.size, 9.0)
        assert np.linalg.norm(whole - without) <= 1 + 1e-9


def test_steering_prefers_what_may_just_arrive() -> None:
    weights = np.array([-9.0, 2.0, 5.0, 9.9, 10.5, 14.0])
    worth = np.zeros(6, np.int16)
    kernels.steer(weights, 10.0, 1.5, 1.0, 1.0, np.full(6, kernels.FULL, np.int16), worth)
    hopeless, far, near, closest, above, safe = worth
    assert hopeless == -1
    assert far == -1
    assert kernels.HOPELESS <= near < closest == kernels.FULL
    assert 0 < above < kernels.FULL
    assert safe == 0
    halved = np.zeros(6, np.int16)
    kernels.steer(weights, 10.0, 1.5, 1.0, 1.0, np.full(6, kernels.FULL // 2, np.int16), halved)
    assert halved.tolist() == [-1, -1, near // 2, closest // 2, above // 2, 0]


@given(SETS, WORTH, st.permutations(range(SIZE)))
def test_weights_do_not_depend_on_how_items_are_numbered(
    sets: list[list[int]], worth: list[int], numbers: list[int]
) -> None:
    """Otherwise one user's queries, by renumbering, would move the weights of everybody else."""
    renumbered = np.array(numbers)
    one = make(sets, SIZE)
    other = make([sorted(numbers[item] for item in s) for s in sets], SIZE)
    moved = np.zeros(SIZE, np.int16)
    moved[renumbered] = worth
    here, there = (
        kernels.weigh(one.offsets, one.items, np.array(worth, np.int16), whole_units(one)),
        kernels.weigh(other.offsets, other.items, moved, whole_units(other)),
    )
    assert here.tolist() == there[renumbered].tolist()
