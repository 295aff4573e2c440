"""Functions that run as machine code, with their types kept for the type checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile when first called and keep the result on disk."""
    return cast(F, njit(cache=True)(function))
