"""Numbers modulo p = 2^255 − 19 in compiled code: five limbs of 51 bits.

A product needs 128 bits, which numba's own integers do not have, so multiplication is written in LLVM's
instructions here. Limbs of a product are below 2^51 + 2^13; sums of two products, and differences of such a
sum and a product, may be multiplied again without a carry: their limbs are below 2^54. Nothing here runs in
constant time: it checks proofs, whose parts are public.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types, uint64
from numba.extending import intrinsic

P = 2**255 - 19
_LIMBS, _BITS = 5, 51
_MASK = np.uint64(2**_BITS - 1)
_WIDE = ir.IntType(128)
_WORD = ir.IntType(64)
_ELEMENT = types.UniTuple(uint64, _LIMBS)
# 2 p, limb by limb: what is added before a subtraction so that no limb falls below zero.
_BIAS0 = np.uint64(2 * (2**51 - 19))
_BIAS = np.uint64(2 * (2**51 - 1))


def limbs(value: int) -> tuple[np.uint64, ...]:
    """A number as five limbs."""
    return tuple(np.uint64(value >> (_BITS * i) & (2**_BITS - 1)) for i in range(_LIMBS))


def _packed(builder: Any, columns: list[Any]) -> Any:
    """Carry from column to column and from the last, times 19, to the first; return the five limbs.

    A carry is below 2^64, and the last one times 19 too (the last column holds no factor 19), so that only
    the columns themselves need 128 bits.
    """
    mask, shift = ir.Constant(_WORD, 2**_BITS - 1), ir.Constant(_WIDE, _BITS)
    limbs_out = []
    carry = None
    for column in columns:
        if carry is not None:
            column = builder.add(column, _wide(builder, carry))
        carry = builder.trunc(builder.lshr(column, shift), _WORD)
        limbs_out.append(builder.and_(builder.trunc(column, _WORD), mask))
    first = builder.add(limbs_out[0], builder.mul(carry, ir.Constant(_WORD, 19)))
    limbs_out[0] = builder.and_(first, mask)
    limbs_out[1] = builder.add(limbs_out[1], builder.lshr(first, ir.Constant(_WORD, _BITS)))
    packed = ir.Constant(ir.ArrayType(_WORD, _LIMBS), ir.Undefined)
    for place, limb in enumerate(limbs_out):
        packed = builder.insert_value(packed, limb, place)
    return packed


def _wide(builder: Any, word: Any) -> Any:
    return builder.zext(word, _WIDE)


@intrinsic
def multiply(_typing: Any, a: Any, b: Any) -> Any:
    """a · b; limbs below 2^54."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        left, right = ([builder.extract_value(value, i) for i in range(_LIMBS)] for value in arguments)
        # Times 19 in 64 bits: a factor that is known to be short makes one machine multiplication.
        wrapped = [_wide(builder, builder.mul(limb, ir.Constant(_WORD, 19))) for limb in right]
        left, right = ([_wide(builder, limb) for limb in side] for side in (left, right))
        columns = []
        for place in range(_LIMBS):
            total = ir.Constant(_WIDE, 0)
            for i in range(_LIMBS):
                other = right[place - i] if i <= place else wrapped[_LIMBS + place - i]
                total = builder.add(total, builder.mul(left[i], other))
            columns.append(total)
        return _packed(builder, columns)

    return _ELEMENT(a, b), generate


@intrinsic
def square(_typing: Any, a: Any) -> Any:
    """a · a; limbs below 2^54. Products of two different limbs are made once and doubled."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        limb = [builder.extract_value(arguments[0], i) for i in range(_LIMBS)]
        columns = [ir.Constant(_WIDE, 0) for _ in range(_LIMBS)]
        for i in range(_LIMBS):
            for j in range(i, _LIMBS):
                factor = (1 if i == j else 2) * (19 if i + j >= _LIMBS else 1)
                scaled = _wide(builder, builder.mul(limb[i], ir.Constant(_WORD, factor)))
                product = builder.mul(scaled, _wide(builder, limb[j]))
                place = (i + j) % _LIMBS
                columns[place] = builder.add(columns[place], product)
        return _packed(builder, columns)

    return _ELEMENT(a), generate


@njit(inline="always")
def add(a: Any, b: Any) -> Any:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4])


@njit(inline="always")
def subtract(a: Any, b: Any) -> Any:
    """a − b, where b is a product or a number whose limbs are below 2^51."""
    return (
        a[0] + _BIAS0 - b[0],
        a[1] + _BIAS - b[1],
        a[2] + _BIAS - b[2],
        a[3] + _BIAS - b[3],
        a[4] + _BIAS - b[4],
    )


@njit(cache=True)
def square_times(a: Any, times: int) -> Any:
    """a squared so many times."""
    for _ in range(times):
        a = square(a)
    return a


@njit(cache=True)
def power_p58(a: Any) -> Any:
    """a to the power (p − 5)/8 = 2^252 − 3."""
    a2 = square(a)
    a9 = multiply(square_times(a2, 2), a)
    a11 = multiply(a9, a2)
    x5 = multiply(square(a11), a9)  # a^(2^5 − 1)
    x10 = multiply(square_times(x5, 5), x5)
    x20 = multiply(square_times(x10, 10), x10)
    x40 = multiply(square_times(x20, 20), x20)
    x50 = multiply(square_times(x40, 10), x10)
    x100 = multiply(square_times(x50, 50), x50)
    x200 = multiply(square_times(x100, 100), x100)
    x250 = multiply(square_times(x200, 50), x50)
    return multiply(square_times(x250, 2), a)


@njit(inline="always")
def _carried(r0: Any, r1: Any, r2: Any, r3: Any, r4: Any) -> Any:
    """What exceeds 51 bits goes to the next limb; the last keeps its own."""
    r1 += r0 >> uint64(51)
    r0 &= _MASK
    r2 += r1 >> uint64(51)
    r1 &= _MASK
    r3 += r2 >> uint64(51)
    r2 &= _MASK
    r4 += r3 >> uint64(51)
    r3 &= _MASK
    return r0, r1, r2, r3, r4


@njit(cache=True)
def canonical(a: Any) -> Any:
    """The limbs of a as a number below p."""
    one = (uint64(1), uint64(0), uint64(0), uint64(0), uint64(0))
    r0, r1, r2, r3, r4 = multiply(a, one)
    # Now below 2^255 + a little: carry once more, then subtract p where it is reached.
    for _ in range(2):
        r0, r1, r2, r3, r4 = _carried(r0, r1, r2, r3, r4)
        r0 += uint64(19) * (r4 >> uint64(51))
        r4 &= _MASK
    reaches = (r0 + uint64(19)) >> uint64(51)
    reaches = (r1 + reaches) >> uint64(51)
    reaches = (r2 + reaches) >> uint64(51)
    reaches = (r3 + reaches) >> uint64(51)
    reaches = (r4 + reaches) >> uint64(51)
    r0 += uint64(19) * reaches
    r0, r1, r2, r3, r4 = _carried(r0, r1, r2, r3, r4)
    r4 &= _MASK
    return (r0, r1, r2, r3, r4)


@njit(cache=True)
def is_zero(a: Any) -> Any:
    r = canonical(a)
    return (r[0] | r[1] | r[2] | r[3] | r[4]) == 0


@njit(cache=True)
def is_negative(a: Any) -> Any:
    """Whether the canonical number is odd (RFC 9496 section 4.1)."""
    return (canonical(a)[0] & uint64(1)) == 1


@njit(cache=True)
def same(a: Any, b: Any) -> Any:
    return is_zero(subtract(a, multiply(b, (uint64(1), uint64(0), uint64(0), uint64(0), uint64(0)))))
