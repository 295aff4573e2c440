"""A stream of random numbers for each user and round, the same on any number of threads.

SplitMix64 (Steele, Lea, Flood 2014), started from a mixture of seed, user and round. For simulations only:
whoever knows the seed knows the draws. The node draws from `crowdlog.privacy.randomness`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@njit(cache=True, inline="always")
def mixed(word: Any) -> Any:
    """SplitMix64's finaliser: a bijection of 64 bits."""
    word = (word ^ (word >> _S30)) * _FIRST
    word = (word ^ (word >> _S27)) * _SECOND
    return word ^ (word >> _S31)


@njit(cache=True, inline="always")
def stream(seed: int, user: int, part: int) -> Any:
    """Return the state from which the draws of one user in one part (a round, a purpose) come."""
    word = mixed(np.uint64(seed) + _STEP)
    word = mixed(word ^ np.uint64(user) * _STEP)
    return mixed(word ^ np.uint64(part) * _FIRST)


@njit(cache=True, inline="always")
def advanced(state: Any) -> Any:
    return state + _STEP


@njit(cache=True, inline="always")
def below(state: Any, bound: int) -> Any:
    """A number below `bound` from a state; its bias is at most bound / 2³²."""
    return np.int64(((mixed(state) >> _S32) * np.uint64(bound)) >> _S32)
