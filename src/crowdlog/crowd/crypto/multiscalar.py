"""Whether Σ scalar · point is the identity of ristretto255, for many points at once.

Points are decoded (RFC 9496 section 4.3.1) to the Edwards curve behind the group and added up by Pippenger's
buckets: a few hundred additions for each instead of a multiplication. tests/crowd/crypto/test_multiscalar.py
compares with libsodium. Not in constant time: callers multiply what is secret by fresh random numbers first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, uint64

from crowdlog.crowd.crypto import field25519 as field
from crowdlog.crowd.crypto.field25519 import (
    P,
    add,
    is_negative,
    is_zero,
    limbs,
    multiply,
    power_p58,
    same,
    square,
    subtract,
)
from crowdlog.crowd.crypto.group import SIZE
from crowdlog.types import Hashes

_D = limbs(-121665 * pow(121666, -1, P) % P)
_ROOT = limbs(pow(2, (P - 1) // 4, P))  # a square root of −1
_ZERO, _ONE = limbs(0), limbs(1)
_SCALAR_BITS = 253
_WINDOW_OF = (
    (64, 5),
    (300, 6),
    (1000, 7),
    (3000, 8),
    (6000, 9),
)  # points up to which a window is the fastest
_WIDEST = 10


@njit(cache=True)
def _element(words: Any) -> Any:
    """Five limbs of 32 little-endian bytes, read as four words; the highest bit is left out."""
    mask = uint64(2**51 - 1)
    return (
        words[0] & mask,
        ((words[0] >> uint64(51)) | (words[1] << uint64(13))) & mask,
        ((words[1] >> uint64(38)) | (words[2] << uint64(26))) & mask,
        ((words[2] >> uint64(25)) | (words[3] << uint64(39))) & mask,
        (words[3] >> uint64(12)) & mask,
    )


@njit(cache=True)
def _is_canonical(words: Any, s: Any) -> Any:
    """Whether the bytes are a number below p, not negative, in their only spelling."""
    if (words[3] >> uint64(63)) != 0 or (words[0] & uint64(1)) != 0:
        return False
    r = field.canonical(s)
    return r[0] == s[0] and r[1] == s[1] and r[2] == s[2] and r[3] == s[3] and r[4] == s[4]


@njit(inline="always")
def _coordinate(points: Any, row: int, number: int) -> Any:
    """One coordinate of a row of `points`, five limbs wide."""
    at = 5 * number
    return (
        points[row, at],
        points[row, at + 1],
        points[row, at + 2],
        points[row, at + 3],
        points[row, at + 4],
    )


@njit(inline="always")
def _keep(points: Any, row: int, number: int, value: Any) -> None:
    at = 5 * number
    points[row, at] = value[0]
    points[row, at + 1] = value[1]
    points[row, at + 2] = value[2]
    points[row, at + 3] = value[3]
    points[row, at + 4] = value[4]


@njit(cache=True)
def _decode(words: Any, out: Any, row: int) -> bool:
    """Write y + x, y − x and 2dxy of a point to a row; False if the bytes are none or the identity."""
    s = _element(words)
    if (words[0] | words[1] | words[2] | words[3]) == 0 or not _is_canonical(words, s):
        return False
    squared = square(s)
    u1, u2 = subtract(_ONE, squared), add(_ONE, squared)
    u2_squared = square(u2)
    v = subtract(subtract(_ZERO, multiply(_D, square(u1))), u2_squared)
    # 1 / sqrt(v · u2²), if there is one
    w = multiply(v, u2_squared)
    w3 = multiply(square(w), w)
    root = multiply(w3, power_p58(multiply(square(w3), w)))
    check = multiply(w, square(root))
    minus_one = subtract(_ZERO, _ONE)
    if same(check, minus_one):
        root = multiply(root, _ROOT)
    elif not same(check, _ONE):
        return False
    x_part = multiply(root, u2)
    y = multiply(u1, multiply(multiply(root, x_part), multiply(v, _ONE)))
    x = multiply(add(s, s), x_part)
    if is_negative(x):
        x = multiply(subtract(_ZERO, x), _ONE)
    t = multiply(x, y)
    if is_negative(t) or is_zero(y):
        return False
    total, difference = multiply(add(y, x), _ONE), multiply(subtract(y, x), _ONE)
    scaled = multiply(add(t, t), _D)
    _keep(out, row, 0, total)
    _keep(out, row, 1, difference)
    _keep(out, row, 2, scaled)
    return True


@njit(cache=True)
def _add_affine(points: Any, row: int, others: Any, other: int, negative: bool) -> None:
    """points[row] += ± others[other], which is y + x, y − x, 2dxy (Hisil, Wong, Carter and Dawson 2008)."""
    total, difference = _coordinate(others, other, 0), _coordinate(others, other, 1)
    if negative:
        total, difference = difference, total
    x, y, z = _coordinate(points, row, 0), _coordinate(points, row, 1), _coordinate(points, row, 2)
    a = multiply(subtract(y, x), difference)
    b = multiply(add(y, x), total)
    c = multiply(_coordinate(points, row, 3), _coordinate(others, other, 2))
    d = add(z, z)
    e, h = subtract(b, a), add(b, a)
    f, g = subtract(d, c), add(d, c)
    if negative:
        f, g = g, f
    _keep(points, row, 0, multiply(e, f))
    _keep(points, row, 1, multiply(g, h))
    _keep(points, row, 2, multiply(f, g))
    _keep(points, row, 3, multiply(e, h))


@njit(cache=True)
def _add_point(points: Any, row: int, others: Any, other: int) -> None:
    """points[row] += others[other], both in extended coordinates."""
    x, y = _coordinate(points, row, 0), _coordinate(points, row, 1)
    x2, y2 = _coordinate(others, other, 0), _coordinate(others, other, 1)
    t2, z = _coordinate(others, other, 3), _coordinate(points, row, 2)
    a = multiply(subtract(y, x), subtract(y2, x2))
    b = multiply(add(y, x), add(y2, x2))
    c = multiply(multiply(_coordinate(points, row, 3), add(t2, t2)), _D)
    d = multiply(add(z, z), _coordinate(others, other, 2))
    e, h = subtract(b, a), add(b, a)
    f, g = subtract(d, c), add(d, c)
    _keep(points, row, 0, multiply(e, f))
    _keep(points, row, 1, multiply(g, h))
    _keep(points, row, 2, multiply(f, g))
    _keep(points, row, 3, multiply(e, h))


@njit(cache=True)
def _identity(points: Any, row: int) -> None:
    points[row, :] = 0
    points[row, 5] = 1
    points[row, 10] = 1


@njit(cache=True)
def _digits(words: Any, window: int, out: Any) -> None:
    """The scalar in signed digits of `window` bits, the least significant first."""
    carry = 0
    half = 1 << (window - 1)
    for place in range(len(out)):
        bit = place * window
        word, offset = bit >> 6, bit & 63
        value = uint64(0)
        if word < 4:
            value = words[word] >> uint64(offset)
            if offset + window > 64 and word + 1 < 4:
                value |= words[word + 1] << uint64(64 - offset)
        digit = int(value & uint64((1 << window) - 1)) + carry
        carry = 0
        if digit > half:
            digit -= 1 << window
            carry = 1
        out[place] = digit


@njit(cache=True, nogil=True)
def _sum_is_identity(scalars: Any, points: Any, window: int, places: int) -> int:
    """1 if the sum is the identity, 0 if it is not, −1 if some bytes are no point or the identity."""
    n = len(points)
    decoded = np.empty((n, 15), np.uint64)
    digits = np.empty((n, places), np.int32)
    for i in range(n):
        if not _decode(points[i], decoded, i):
            return -1
        _digits(scalars[i], window, digits[i])
    count = 1 << (window - 1)
    buckets = np.empty((count, 20), np.uint64)
    used = np.empty(count, np.bool_)
    sums = np.empty((3, 20), np.uint64)
    total, running, inner = 0, 1, 2  # rows of sums
    _identity(sums, total)
    for place in range(places - 1, -1, -1):
        for _ in range(window):
            _add_point(sums, total, sums, total)
        used[:] = False
        for i in range(n):
            digit = digits[i, place]
            if digit == 0:
                continue
            bucket = abs(digit) - 1
            if not used[bucket]:
                used[bucket] = True
                _identity(buckets, bucket)
            _add_affine(buckets, bucket, decoded, i, digit < 0)
        _identity(sums, running)
        _identity(sums, inner)
        for bucket in range(count - 1, -1, -1):
            if used[bucket]:
                _add_point(sums, running, buckets, bucket)
            _add_point(sums, inner, sums, running)
        _add_point(sums, total, sums, inner)
    # Two points are one element of the group when they differ by one of four: x = 0 or y = 0 here.
    return 1 if is_zero(_coordinate(sums, total, 0)) or is_zero(_coordinate(sums, total, 1)) else 0


def sums_to_identity(scalars: Sequence[int], points: bytes) -> bool | None:
    """Whether Σ scalar · point is the identity; None if some bytes are no canonical point or the identity.

    Scalars are numbers from 0 below the order of the group, points 32 bytes each, one after the other.
    """
    if len(points) != SIZE * len(scalars):
        return None
    if not points:
        return True
    window = next((width for most, width in _WINDOW_OF if len(scalars) <= most), _WIDEST)
    places = _SCALAR_BITS // window + 1
    packed = _words(b"".join([scalar.to_bytes(SIZE, "little") for scalar in scalars]))
    found = _sum_is_identity(packed, _words(points), window, places)
    return None if found < 0 else bool(found)


def _words(data: bytes) -> Hashes:
    return np.frombuffer(data, np.uint64).reshape(-1, SIZE // 8)
