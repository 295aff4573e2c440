"""Results in the order of the work, and no more of them waiting than asked for."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from crowdlog.log.in_order import cores, in_order


def test_later_work_may_be_done_first_but_comes_later():
    second_done = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            second_done.set()
        assert item or second_done.wait(10)  # the first waits for the second
        return item * item

    with ThreadPoolExecutor(2) as pool:
        assert list(in_order(pool, work, range(20), 4)) == [item * item for item in range(20)]


def test_it_does_not_run_ahead_of_its_reader():
    taken: list[int] = []

    def items():
        for item in range(100):
            taken.append(item)
            yield item

    with ThreadPoolExecutor(2) as pool:
        results = in_order(pool, str, items(), 3)
        assert next(results) == "0"
        assert len(taken) == 4


def test_an_error_comes_in_its_turn():
    with ThreadPoolExecutor(2) as pool:
        results = in_order(pool, lambda item: 1 // item, [1, 1, 0, 1], 4)
        assert [next(results), next(results)] == [1, 1]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_there_is_a_core():
    assert cores() >= 1
