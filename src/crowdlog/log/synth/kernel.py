"""Functions that run as machine code, with their types kept for the type checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def entry(function: F) -> F:
    """Compile when first called and keep the result on disk."""
    return cast(F, njit(cache=True)(function))


def kernel(function: F) -> F:
    """The same for what is called by other kernels alone: without the code by which Python would call it,
    which is a third of what a first log waits for.
    """
    return cast(F, njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))
