"""Messages come out as they went in, and those of other kinds are not unpacked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from crowdlog.engine.spark.exchange import exchange, pack, received, sent, unpack


class Letter(NamedTuple):
    numbers: Any


class Parcel(NamedTuple):
    name: str


@pytest.mark.parametrize("size", [0, 1, 100, 1_000_000])
def test_a_message_is_packed_and_unpacked(size):
    numbers = np.arange(size)
    packed = pack(Letter(numbers))
    assert packed.kind is Letter
    assert np.array_equal(unpack(packed).numbers, numbers)
    assert len(packed.data) < max(2_000, numbers.nbytes / 2)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
# Py4J, through which Python talks to Java, leaves sockets to the garbage collector.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_tasks_get_what_is_for_them(spark):
    def messages(numbers):
        for number in numbers:
            yield number % 3, Letter(np.full(1000 * number, number))
            yield number % 3, Parcel(str(number))

    def lengths(task, found):
        yield task, sorted(len(message.numbers) for _task, message in found)

    there = sent(spark.context.parallelize(range(6), 4).mapPartitions(messages), 3)
    letters = received(there, Letter).mapPartitionsWithIndex(lengths).collect()
    assert sorted(letters) == [(0, [0, 3000]), (1, [1000, 4000]), (2, [2000, 5000])]
    parcels = received(there, Parcel).map(lambda each: each[1].name).collect()
    assert sorted(parcels) == list("012345")
    both = exchange(spark.context.parallelize(range(6), 4).mapPartitions(messages), 3)
    assert both.count() == 12
