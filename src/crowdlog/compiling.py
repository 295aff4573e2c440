"""Whether loops are compiled, and which compiled ones may be used. Compiling those of an import takes ten
seconds where no compiled ones are kept, in a fresh container for example; a log of a few thousand rows is
read without in less.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

SMALL = 300_000  # bytes: about 4,500 rows, half a second of plain Python

OWN_PROCESS = False  # set by the command line: a program that uses the package may have other work to do


def skip_if_small(places: Iterable[str]) -> None:
    """Run loops as plain Python for the rest of this process, if these are small files.

    Only before the first loop is loaded, and not where the environment says what to do.
    """
    if not OWN_PROCESS or "numba" in sys.modules or "NUMBA_DISABLE_JIT" in os.environ:
        return
    files = [Path(place) for place in places]
    if all(file.is_file() for file in files) and sum(file.stat().st_size for file in files) <= SMALL:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        # hashes wrap around by intent; only the plain loops say so
        warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


def forget_older(package: Path = Path(__file__).parent) -> None:
    """Remove kept loops that are older than a source file with loops: after an update all are compiled anew.

    numba compares a kept loop with its own file, not with those of the loops that it calls, whose old code it
    holds; and it reads what it kept before it compares, which fails where a class has another name now.
    """
    kept, newest = list[tuple[Path, float]](), 0.0
    for name, _folders, files in os.walk(package):  # ten times as fast as rglob
        folder = Path(name)
        for file in files if folder.name == "__pycache__" else ():
            if file.endswith(".nbi"):
                kept.append((folder / file, _changed(folder / file)))
                newest = max(newest, _changed(folder.parent / f"{file.partition('.')[0]}.py"))
    for loop, changed in kept:
        if changed < newest:
            with suppress(OSError):  # somebody else's package, or another process was faster
                loop.unlink()


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0
