"""Ψ, Ψ_f and Υ against their definitions: explicit lists, exact distributions."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.forwarding import kernels, protocol

DEGREES = st.lists(st.integers(1, 10), min_size=1, max_size=10)


def written_out(degrees, copies):
    """The list as the seed describes it: neighbour j repeated H_j times, oneself once, all of it again."""
    once = [j for j, times in enumerate(degrees) for _ in range(times)] + [len(degrees)]
    return once * copies


@given(DEGREES, st.integers(1, 15), st.data())
def test_the_counted_list_is_the_written_list_without_its_cut(degrees, copies, data):
    whole = written_out(degrees, copies)
    assert protocol.whole_length(degrees, copies) == len(whole)
    cut_from = data.draw(st.integers(0, len(whole)))
    cut_to = data.draw(st.integers(cut_from, len(whole)))
    left = Counter(whole[:cut_from] + whole[cut_to:])
    entries = [7] * (len(degrees) + 1)
    assert protocol.fill_own(entries, degrees, copies, cut_from, cut_to) == sum(left.values())
    assert entries == [left[j] for j in range(len(degrees) + 1)]


@given(DEGREES, st.integers(1, 15), st.integers(0, 2**30))
def test_compiled_and_plain_protocol_agree(degrees, copies, draw):
    whole = protocol.whole_length(degrees, copies)
    cut = protocol.cut_size(whole, draw % protocol.UNIT)
    first = draw % (whole - cut + 1)
    plain = [0] * (len(degrees) + 1)
    compiled = np.zeros(len(degrees) + 1, np.int64)
    length = protocol.fill_own(plain, degrees, copies, first, first + cut)
    as_array = np.array(degrees, np.int32)
    assert kernels.fill_own(compiled, as_array, copies, first, first + cut) == length
    while length:
        assert kernels.take(compiled, draw % length) == protocol.take(plain, draw % length)
        assert compiled.tolist() == plain
        length -= 1


@given(st.integers(1, 2000), st.integers(0, protocol.UNIT))
def test_a_cut_leaves_something(length, theta):
    cut = protocol.cut_size(length, theta)
    assert 0 <= cut < length
    assert cut <= length * theta / protocol.UNIT


def test_uncut_the_first_entry_has_the_sending_probability():
    """P_s(N_j) = H_j / (ΣH + 1), §4.3.2, exactly."""
    degrees = [3, 1, 6]
    for copies in (1, 4):
        entries = [0] * 4
        length = protocol.fill_own(entries, degrees, copies, 0, 0)
        shares = [Fraction(times, length) for times in entries]
        assert shares == [Fraction(3, 11), Fraction(1, 11), Fraction(6, 11), Fraction(1, 11)]


def test_a_forwarded_query_goes_everywhere_alike():
    entries = [0] * 5
    assert protocol.fill_forwarded(entries, 4) == 5
    assert entries == [1] * 5


def test_taking_reads_a_shuffled_list():
    """Over all tickets, each order of (0, 0, 1, 2) comes as often as a shuffle gives it."""
    found = Counter()
    for a in range(4):
        for b in range(3):
            for c in range(2):
                entries = [2, 1, 1]
                found[tuple(protocol.take(entries, ticket) for ticket in (a, b, c, 0))] += 1
    shuffled = Counter(permutations([0, 0, 1, 2]))
    assert {order: Fraction(n, 24) for order, n in found.items()} == {
        order: Fraction(n, 24) for order, n in shuffled.items()
    }


@given(st.integers(-5000, 15000))
def test_probabilities_stay_probabilities(value):
    assert 0 <= protocol.clipped(value) <= protocol.UNIT
    if 0 <= value <= protocol.UNIT:
        assert protocol.clipped(value) == value


def test_acceptance_is_exact():
    assert sum(protocol.accepts(1234, ticket) for ticket in range(protocol.UNIT)) == 1234


def test_response_times_as_printed_and_corrected():
    assert protocol.response_ms(3.59) == pytest.approx(4205.4)
    assert protocol.corrected_response_ms(3.59) == pytest.approx(2302.7)
