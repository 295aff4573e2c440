"""Kernels that read times, ranks and texts of a whole batch.

A row that fails gets a reason; an earlier reason is never overwritten.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.log.rejects import MAX_TEXT, NO_USER, RANK, TIME, TOO_LONG, UNDECODABLE
from crowdlog.types import Bytes, Ints

Int = Any  # numba's integers, which a type checker takes for numpy's or Python's in turn
_BAD = -(2**62)  # no time of a four-digit year comes near
# What databases and programs write where they know no user. All who have none would count as one person, and
# the promise to a person would not hold for any of them. In small letters.
NOBODY = (b"null", b"(null)", b"<null>", b"\\n", b"nil", b"none", b"nan", b"undefined", b"-", b"n/a")
_NOBODY_SIZE = np.array([len(name) for name in NOBODY])
_NOBODY = np.array([list(name.ljust(max(map(len, NOBODY)))) for name in NOBODY], np.uint8)
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


@njit(cache=True, nogil=True)
def _number(data: Bytes, at: int, digits: int) -> Int:
    """The decimal number at `at`, or a large negative one if one of its characters is no digit."""
    value: Int = 0
    for i in range(at, at + digits):
        digit = np.int64(data[i]) - 48
        if digit < 0 or digit > 9:
            return -1_000_000
        value = value * 10 + digit
    return value


@njit(cache=True, nogil=True)
def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int) -> Int:
    """Seconds since 1970 of a date of the Gregorian calendar, or _BAD if there is no such moment."""
    if (
        year < 1
        or month < 1
        or month > 12
        or day < 1
        or hour < 0
        or hour > 23
        or minute < 0
        or minute > 59
        or second < 0
        or second > 59
    ):
        return _BAD
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if day > _DAYS[month - 1] + (1 if leap and month == 2 else 0):
        return _BAD
    # Count years from March, so that the leap day is a year's last: days before the month are (153 m + 2) //
    # 5.
    shifted = year - (1 if month <= 2 else 0)
    march = (month + 9) % 12
    days = (
        365 * shifted
        + shifted // 4
        - shifted // 100
        + shifted // 400
        + (153 * march + 2) // 5
        + day
        - 1
        - 719468
    )
    return ((days * 24 + hour) * 60 + minute) * 60 + second


@njit(cache=True, nogil=True)
def _digits_only(data: Bytes, at: int, size: int) -> Int:
    """Times without punctuation, told apart by length: seconds or milliseconds since 1970, yymmddHHMMSS,
    yyyymmddHHMMSS.
    """
    value = _number(data, at, size)
    # eight digits are more likely a day than seconds of the year 1970
    if value < 0 or size > 14 or size == 8:
        return _BAD
    if size <= 11:
        return value
    if size == 13:
        return value // 1000
    year = _number(data, at, size - 10)
    if size == 12:
        year += 2000 if year < 70 else 1900  # POSIX: 69 is 1969, but no query log is older than 1970
    rest = at + size - 10
    return _seconds(
        year,
        _number(data, rest, 2),
        _number(data, rest + 2, 2),
        _number(data, rest + 4, 2),
        _number(data, rest + 6, 2),
        _number(data, rest + 8, 2),
    )


@njit(cache=True, nogil=True)
def _zone(data: Bytes, at: int, end: int) -> Int:
    """Seconds east of UTC of what follows the seconds: nothing, a fraction, Z, +hh:mm or +hhmm; _BAD if it is
    something else.
    """
    if at < end and data[at] == 46:
        at += 1
        first = at
        while at < end and 48 <= data[at] <= 57:
            at += 1
        if at == first:
            return _BAD
    if at == end or (at == end - 1 and data[at] == 90):
        return 0
    colon = end - at == 6 and data[at + 3] == 58
    if (data[at] != 43 and data[at] != 45) or not (colon or end - at == 5):
        return _BAD
    hours, minutes = _number(data, at + 1, 2), _number(data, end - 2, 2)
    if hours < 0 or hours > 14 or minutes < 0 or minutes > 59:
        return _BAD
    east = hours * 3600 + minutes * 60
    return east if data[at] == 43 else -east


@njit(cache=True, nogil=True)
def _time(data: Bytes, at: int, size: int) -> Int:
    if size < 15:
        return _digits_only(data, at, size) if size > 0 else _BAD
    if (
        size < 19
        or data[at + 4] != 45
        or data[at + 7] != 45
        or data[at + 13] != 58
        or data[at + 16] != 58
        or (data[at + 10] != 32 and data[at + 10] != 84)
    ):
        return _BAD
    moment = _seconds(
        _number(data, at, 4),
        _number(data, at + 5, 2),
        _number(data, at + 8, 2),
        _number(data, at + 11, 2),
        _number(data, at + 14, 2),
        _number(data, at + 17, 2),
    )
    if size == 19 or moment == _BAD:
        return moment
    east = _zone(data, at + 19, at + size)
    return _BAD if east == _BAD else moment - east


@njit(cache=True, nogil=True)
def read_times(data: Bytes, start: Ints, size: Ints, out: Ints, reason: Bytes) -> None:
    """Read `YYYY-MM-DD HH:MM:SS` (or with T, a fraction, a zone), or digits only.

    Without a zone the time counts as UTC.
    """
    for i in range(len(start)):
        out[i] = _time(data, start[i], size[i])
        if out[i] == _BAD and reason[i] == 0:
            reason[i] = TIME


@njit(cache=True, nogil=True)
def _before_zeros(data: Bytes, at: int, size: int) -> Int:
    """The size of a number without a fraction of nothing but zeros: programs that keep ranks as floating
    numbers write 1 as 1.0.
    """
    end = size
    while end > 0 and data[at + end - 1] == 48:
        end -= 1
    return end - 1 if 1 < end < size and data[at + end - 1] == 46 else size


@njit(cache=True, nogil=True)
def read_ranks(data: Bytes, start: Ints, size: Ints, out: Ints, reason: Bytes) -> None:
    """Read whole numbers from 0 to 999,999,999, also as 1.0; no text, or one that says so, gives -1."""
    for i in range(len(start)):
        out[i] = -1
        if size[i] > 0 and not (size[i] <= _NOBODY.shape[1] and _is_nobody(data, start[i], size[i])):
            digits = _before_zeros(data, start[i], size[i])
            value = _number(data, start[i], digits) if digits <= 9 else -1
            out[i] = value
            if value < 0 and reason[i] == 0:
                reason[i] = RANK


@njit(cache=True, nogil=True)
def _tail_is_sound(data: Bytes, at: int, end: int) -> Int:
    """Length of the well-formed multi-byte UTF-8 character at `at` (RFC 3629), or 0."""
    lead = data[at]
    length = 2 if 0xC2 <= lead <= 0xDF else 3 if 0xE0 <= lead <= 0xEF else 4 if 0xF0 <= lead <= 0xF4 else 0
    if length == 0 or at + length > end:
        return 0
    for i in range(at + 1, at + length):
        if data[i] & 0xC0 != 0x80:
            return 0
    second = data[at + 1]
    # Over-long forms, surrogates and what lies above U+10FFFF.
    if (
        (lead == 0xE0 and second < 0xA0)
        or (lead == 0xED and second > 0x9F)
        or (lead == 0xF0 and second < 0x90)
        or (lead == 0xF4 and second > 0x8F)
    ):
        return 0
    return length


@njit(cache=True, nogil=True)
def _is_nobody(data: Bytes, at: int, size: int) -> bool:
    """Whether a user's name is one of those by which exports say that they know none: no number is."""
    if size > 0 and 48 <= data[at] <= 57:
        return False
    for k in range(len(_NOBODY)):
        same = _NOBODY_SIZE[k] == size
        for i in range(size if same else 0):
            byte = data[at + i]
            same &= _NOBODY[k, i] == (byte + 32 if 65 <= byte <= 90 else byte)
        if same:
            return True
    return False


@njit(cache=True, nogil=True)
def check_texts(data: Bytes, start: Ints, size: Ints, required: bool, reason: Bytes) -> None:
    """Trim blanks; reject what is too long, holds a NUL or is not UTF-8, if required, names of nobody.

    Where it is not required, such a name is no text: a click on "null" is none.
    """
    for i in range(len(start)):
        at, end = start[i], start[i] + size[i]
        while at < end and data[at] <= 32 and data[at] != 0:
            at += 1
        while at < end and data[end - 1] <= 32 and data[end - 1] != 0:
            end -= 1
        start[i], size[i] = at, end - at
        if reason[i] != 0:
            continue
        if size[i] > MAX_TEXT:
            reason[i] = TOO_LONG
        elif required and (size[i] == 0 or (size[i] <= _NOBODY.shape[1] and _is_nobody(data, at, size[i]))):
            reason[i] = NO_USER
        elif not required and size[i] <= _NOBODY.shape[1] and _is_nobody(data, at, size[i]):
            size[i] = 0
        while True:
            while at < end and 0 < data[at] < 0x80:
                at += 1
            if at >= end or reason[i] != 0:
                break
            step = _tail_is_sound(data, at, end)
            if step == 0:
                reason[i] = UNDECODABLE
            at += step
