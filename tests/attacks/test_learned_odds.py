"""Attackers who learn: they find whatever in their view goes with the sender, and nothing where nothing
does.
"""

import numpy as np
import pytest

from crowdlog.attacks.learned_odds import BINS, LearnedOdds, name_holders, name_senders, pair_reports
from crowdlog.attacks.line_signs import Arrivals, Sending, pair_signs, sender_signs, sending_signs
from crowdlog.attacks.system import links
from crowdlog.privacy.randomness import SeededRandomness

PEOPLE, EACH = 60, 4
OWNER = np.repeat(np.arange(PEOPLE), EACH)


@pytest.fixture
def draw():
    return np.random.default_rng(5)


@pytest.fixture
def randomness():
    return SeededRandomness(9)


def test_odds_are_how_much_more_often_a_sign_stands_where_things_belong_together():
    signs = np.array([[0], [0], [0], [1], [1], [1], [1], [1]])
    belongs = np.array([True, True, True, True, False, False, False, False])
    odds = LearnedOdds.learn(signs, belongs).of(np.array([[0], [1]]))
    prior = BINS / 2
    assert odds[0] == pytest.approx(np.log((3.5 / (4 + prior)) / (0.5 / (4 + prior))))
    assert odds[1] == pytest.approx(np.log(1.5 / 4.5))


@pytest.mark.parametrize("leak", [True, False])
def test_a_sign_of_the_sender_is_found_whatever_it_means(draw, randomness, leak):
    """The last of three signs is 17 for the sender, if it tells anything; nobody told the attacker."""
    signs = draw.integers(0, 20, (len(OWNER), PEOPLE, 3))
    if leak:
        signs[np.arange(len(OWNER)), OWNER, 2] = 17
    found = name_senders("whose", signs, OWNER, randomness)
    assert found.details["trials"] == len(OWNER)
    assert found.chance == 2 / PEOPLE
    assert links(found) == leak


@pytest.mark.parametrize("leak", [True, False])
def test_batches_of_one_person_are_paired(draw, randomness, leak):
    order = np.arange(len(OWNER)) if leak else draw.permutation(len(OWNER))
    batches = [
        (float(number), [str(one) for one in part]) for number, part in enumerate(order.reshape(12, 20))
    ]
    arrived = Arrivals.of(batches, set(map(str, range(len(OWNER)))))
    owner = OWNER[np.array(arrived.names, int)]
    everything = np.ones((len(owner), len(owner)), bool)
    found = pair_reports("pairs", pair_signs(arrived), owner, everything, randomness)
    assert links(found) == leak
    assert found.chance == pytest.approx((EACH - 1) / (len(OWNER) / 2 - 1))


def test_what_cannot_be_one_person_s_is_never_paired(draw, randomness):
    possible = OWNER[:, None] == OWNER
    signs = draw.integers(0, 20, (len(OWNER), len(OWNER), 1))
    found = pair_reports("pairs", signs, OWNER, possible, randomness)
    assert (found.success, found.chance) == (1.0, 1.0)


def test_the_last_caller_is_a_sign_and_so_is_the_order_in_a_batch(randomness):
    """Everybody calls, then sends: her reports come out next. Then all call first, and come out in order."""
    batches = [(person + 0.5, [f"{person}.{one}" for one in range(EACH)]) for person in range(PEOPLE)]
    names = {name for _moment, part in batches for name in part}
    callers = [(float(person), person) for person in range(PEOPLE)]
    found = name_senders(
        "whose", sender_signs(Arrivals.of(batches, names), callers, PEOPLE), OWNER, randomness
    )
    assert found.success == 1.0
    at_once = [(float(PEOPLE), [f"{person}.0" for person in range(PEOPLE)])]
    arrived = Arrivals.of(at_once, names)
    found = name_senders("whose", sender_signs(arrived, callers, PEOPLE), np.arange(PEOPLE), randomness)
    assert links(found)


def test_nobody_who_called_leaves_the_order_of_joining_alone(draw, randomness):
    order = draw.permutation(len(OWNER))
    batches = [(float(number), list(map(str, part))) for number, part in enumerate(order.reshape(12, 20))]
    arrived = Arrivals.of(batches, set(map(str, range(len(OWNER)))))
    signs = sender_signs(arrived, [], PEOPLE)
    assert (signs[:, :, [0, 1, 3]] == BINS - 1).all()
    assert not links(name_senders("whose", signs, OWNER[order], randomness))


@pytest.mark.parametrize("cover", [True, False])
def test_who_sends_more_is_seen_unless_all_send_as_many(draw, randomness, cover):
    holds = draw.permutation(PEOPLE) % 2 == 0
    number = np.full(PEOPLE, EACH) if cover else np.where(holds, EACH, 1)
    calls = [
        Sending(moment, person, 1, 500, int(draw.integers(EACH)))
        for person in range(PEOPLE)
        for moment in draw.random(number[person])
    ]
    found = name_holders("more", sending_signs(calls, PEOPLE), holds, randomness)
    assert links(found) != cover


def test_junk_keeps_its_place_and_is_not_judged():
    arrived = Arrivals.of([(1.0, ["junk", "a"]), (2.0, ["b"])], {"a", "b"})
    assert (arrived.names, arrived.moments) == (["a", "b"], [1.0, 2.0])
    assert (arrived.batches.tolist(), arrived.places.tolist()) == ([0, 1], [1, 0])
    assert pair_signs(arrived)[0, 1].tolist() == [1, BINS - 1, 5]
