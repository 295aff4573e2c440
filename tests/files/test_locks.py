"""Locks of files: one at a time is within, the others wait, and patience may end."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from crowdlog.files.locks import locked, wait_for


def test_the_second_waits_until_the_first_is_done(tmp_path):
    order = []

    def second():
        with locked(tmp_path / "lock"):
            order.append("second")

    with ThreadPoolExecutor(1) as pool:
        with locked(tmp_path / "lock"):
            pool.submit(second)
            time.sleep(0.3)
            order.append("first")
        pool.shutdown()
    assert order == ["first", "second"]


def test_patience_ends(tmp_path):
    with locked(tmp_path / "lock"), pytest.raises(BlockingIOError):
        wait_for(tmp_path / "lock", 0.2)
