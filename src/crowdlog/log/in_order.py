"""Work of several threads whose results come in the order of the work: a store does not depend on how many
there were.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
MOST = 8  # threads unless more are asked for: reading and encoding, one thread each, feed no more


def cores() -> int:
    """How many threads an import takes unless it is told: the cores this process may use, MOST at most."""
    return min(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MOST
    )


def in_order(pool: Executor, work: Callable[[T], R], items: Iterable[T], ahead: int) -> Iterator[R]:
    """The result of each item, in their order; at most `ahead` of them wait for the reader."""
    waiting: deque[Future[R]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
