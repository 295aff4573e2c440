"""Sets on which nothing was tuned, from files of this machine: `python -m benchmarks.unseen_set FOLDER...`.

A file is a user. Of Python files the items are the modules it imports (short) or the different words in it
(long); of C headers the headers it includes; of manual pages (.gz) the words that say in a
line what the command does. The numbers depend on what is installed: the point is how the routes
compare on one set.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from benchmarks.histories import METHODS, SETTINGS
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.selection.incidence import Incidence

RUNS = 5
IMPORTS = re.compile(r"^\s*(?:from|import)\s+([a-zA-Z_][\w.]*)", re.MULTILINE)
WORDS = re.compile(r"[a-z]{3,}")
INCLUDES = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)", re.MULTILINE)
NAME = re.compile(r"^\.S[Hh]\s.*NAME.*\n((?:.*\n){1,3})", re.MULTILINE)


def incidence(sets: Iterable[set[str]]) -> Incidence:
    rows = [(user, item) for user, items in enumerate(sets) for item in items]
    names, item = np.unique([name for _user, name in rows], return_inverse=True)
    return Histories.from_rows(np.array([user for user, _name in rows]), item, len(names)).distinct()


def described(text: str) -> set[str]:
    """The words of the first lines under NAME."""
    found = NAME.search(text)
    return set(WORDS.findall(found.group(1).lower())) if found else set()


def words(text: str) -> set[str]:
    return set(WORDS.findall(text.lower()))


KINDS: dict[str, tuple[str, Callable[[str], set[str]]]] = {
    "imported modules": ("*.py", lambda text: set(IMPORTS.findall(text))),
    "words": ("*.py", words),
    "included headers": ("*.h", lambda text: set(INCLUDES.findall(text))),
    "words of descriptions": ("*.gz", described),
}


def text_of(file: Path) -> str:
    read = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return read.decode("utf-8", errors="ignore")


def main() -> None:
    heading = ["items of a file", "people", "mean items", "setting", *METHODS, "auto over best"]
    print(f"| {' | '.join(heading)} |")
    for kind, (pattern, items) in KINDS.items():
        files = sorted(
            {
                file.resolve()
                for folder in sys.argv[1:]
                for file in Path(folder).rglob(pattern)
                if file.is_file()
            }
        )
        if not files:
            continue
        log = incidence(items(text_of(file)) for file in files)
        for setting, (epsilon, delta) in SETTINGS.items():
            keys = {
                name: float(np.mean([select(log, epsilon, delta) for _ in range(RUNS)]))
                for name, select in METHODS.items()
            }
            best = max(number for name, number in keys.items() if name != "routed, auto")
            shown = " | ".join(f"{number:,.0f}" for number in keys.values())
            people = max(1, int(np.sum(np.diff(log.offsets) > 0)))
            facts = f"{people:,} | {len(log.items) / people:.1f}"
            ratio = keys["routed, auto"] / max(best, 1)
            print(f"| {kind} | {facts} | {setting} | {shown} | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
