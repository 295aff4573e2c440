"""The hosts of many URLs in a compiled loop: those of ordinary ones, whose parts are plain to see."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

SLASH, QUESTION, HASH, AT, COLON, DOT, W = b"/?#@:.w"


@njit(cache=True)
def hosts(data: Any, offsets: Any) -> tuple[Any, Any, Any, Any]:
    """All bytes in small letters, where each URL's site begins and ends in them, and the URLs that need the
    pattern: other than ASCII, with a user name, or without a host.
    """
    lower = np.empty(len(data), np.uint8)
    for at in range(len(data)):
        lower[at] = data[at] | 32 if 65 <= data[at] <= 90 else data[at]
    begins, ends = np.empty(len(offsets) - 1, np.int64), np.empty(len(offsets) - 1, np.int64)
    unsure, n = np.empty(len(begins), np.int64), 0
    for url in range(len(begins)):
        last = offsets[url + 1]
        begin = _after_scheme(lower, offsets[url], last)
        end, plain = begin, True
        while end < last and lower[end] != SLASH and lower[end] != QUESTION and lower[end] != HASH:
            plain &= lower[end] < 128 and lower[end] != AT
            end += 1
        if begin + 4 <= end and lower[begin] == W and lower[begin + 1] == W and lower[begin + 2] == W:
            begin += 4 if lower[begin + 3] == DOT else 0
        stop = begin
        while stop < end and lower[stop] != COLON:
            stop += 1
        begins[url], ends[url] = begin, stop
        if not plain or stop == begin:
            unsure[n] = url
            n += 1
    return lower, begins, ends, unsure[:n].copy()


@njit(cache=True)
def _after_scheme(lower: Any, begin: int, last: int) -> int:
    """Where the rest of a URL begins after a scheme like http://, if it has one."""
    at = begin
    while at < last and (
        97 <= lower[at] <= 122
        or (at > begin and (48 <= lower[at] <= 57 or lower[at] == 43 or lower[at] == 45 or lower[at] == DOT))
    ):
        at += 1
    is_scheme = at > begin and at + 3 <= last and lower[at] == COLON
    return at + 3 if is_scheme and lower[at + 1] == SLASH and lower[at + 2] == SLASH else begin
