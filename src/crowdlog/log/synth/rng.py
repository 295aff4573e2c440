"""Repeatable random numbers for the kernels: SplitMix64 (Steele, Lea, Flood 2014), one stream per (seed,
user). For invented data only.
"""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import F64, I64, U64
from crowdlog.log.synth.kernel import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S11, _S27, _S30, _S31 = (np.uint64(n) for n in (11, 27, 30, 31))
_UNIT = 2.0**-53


@kernel
def scramble(x: int | np.uint64) -> np.uint64:
    """Scramble 64 bits: the same in, the same out."""
    z = np.uint64(x) + _STEP
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@kernel
def start_stream(state: U64, seed: int, user: int) -> None:
    """Begin the stream of one user."""
    state[0] = scramble(scramble(np.uint64(seed)) ^ np.uint64(user))


@kernel
def unit_of(bits: int | np.uint64) -> float:
    """64 bits as a number in [0, 1)."""
    return float(np.uint64(bits) >> _S11) * _UNIT


@kernel
def uniform(state: U64) -> float:
    """A number in [0, 1)."""
    state[0] += _STEP
    return unit_of(scramble(state[0]))


@kernel
def below(state: U64, n: int) -> int:
    """A whole number in [0, n)."""
    return int(uniform(state) * n)


@kernel
def skewed(state: U64, n: int) -> int:
    """A whole number in [0, n), small ones more often: the density falls as x^(-2/3), a flat Zipf law without
    a table.
    """
    u = uniform(state)
    return int(u * u * u * n)


@kernel
def by_weight(state: U64, cumulative: F64, first: int, n: int) -> int:
    """A whole number in [0, n) by the weights cumulative[first : first + n], which rise to 1."""
    u = uniform(state)
    low, high = 0, n - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[first + middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def one_of(state: U64, ints: I64, first: int, n: int) -> int:
    """One of ints[first : first + n], all alike."""
    return int(ints[first + below(state, n)])


@kernel
def early_one_of(state: U64, ints: I64, first: int, n: int) -> int:
    """One of ints[first : first + n], the first ones more often."""
    return int(ints[first + skewed(state, n)])


@kernel
def power_rank(state: U64, n: int, exponent: float) -> int:
    """A whole number in [0, n) with P(r) about (r + 1)^-exponent, for an exponent below 1."""
    rest = 1.0 - exponent
    low = 0.5**rest
    x = (low + uniform(state) * ((n + 0.5) ** rest - low)) ** (1.0 / rest)
    return min(int(x - 0.5), n - 1)
