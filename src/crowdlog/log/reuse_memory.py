"""Memory that is asked for, freed and asked for again, batch after batch by one thread for another."""

from __future__ import annotations

import ctypes
import sys

# Of glibc's mallopt: up to how many freed bytes at the end are kept; from how many on a piece is mapped by
# itself, and given back; and how many heaps threads may have.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_KEPT, _LARGE = 1 << 30, 1 << 25


def keep_freed_memory() -> None:
    """For the rest of this process freed memory stays with it, and all threads take from one heap.

    What one thread frees and another asks for the system would otherwise map and clear anew each time, which
    is a tenth of an import. It holds no more than before: heaps of their own keep what others could use.
    Elsewhere than with glibc it does nothing.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return
    for option, value in ((_TRIM_THRESHOLD, _KEPT), (_MMAP_THRESHOLD, _LARGE), (_ARENA_MAX, 1)):
        mallopt(option, value)
