from collections import Counter

from crowdlog.crowd.shuffle import fraction, shuffled, uniform_below
from crowdlog.privacy.randomness import SeededRandomness


def test_every_order_is_as_likely():
    randomness = SeededRandomness(3)
    orders = Counter(tuple(shuffled("abc", randomness)) for _ in range(6000))
    assert len(orders) == 6
    # 1000 ± 5 standard deviations; the seed is fixed
    assert all(850 < count < 1150 for count in orders.values())


def test_below_stays_below_and_reaches_all():
    randomness = SeededRandomness(4)
    assert {uniform_below(7, randomness) for _ in range(200)} == set(range(7))
    assert uniform_below(1, randomness) == 0


def test_fractions_fill_the_unit_interval():
    drawn = [fraction(SeededRandomness(seed)) for seed in range(200)]
    assert all(0 <= value < 1 for value in drawn)
    assert min(drawn) < 0.1
    assert max(drawn) > 0.9
