"""A set on which nothing was tuned: which modules the Python files of this machine import, and which words
they hold: `python -m benchmarks.unseen_set FOLDER...`.

A file is a user; its items are the modules it imports (short) or the different words in it (long). The
numbers depend on what is installed: the point is how the routes compare on one set.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from benchmarks.histories import METHODS, SETTINGS
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.selection.incidence import Incidence

RUNS = 5
IMPORTS = re.compile(r"^\s*(?:from|import)\s+([a-zA-Z_][\w.]*)", re.MULTILINE)
WORDS = re.compile(r"[a-z]{3,}")


def incidence(sets: Iterable[set[str]]) -> Incidence:
    rows = [(user, item) for user, items in enumerate(sets) for item in items]
    names, item = np.unique([name for _user, name in rows], return_inverse=True)
    return Histories.from_rows(np.array([user for user, _name in rows]), item, len(names)).distinct()


def main() -> None:
    files = sorted({file for folder in sys.argv[1:] for file in Path(folder).rglob("*.py")})
    texts = [file.read_text(encoding="utf-8", errors="ignore") for file in files]
    kinds = {
        "imported modules": incidence(set(IMPORTS.findall(text)) for text in texts),
        "words": incidence(set(WORDS.findall(text.lower())) for text in texts),
    }
    heading = ["items of a file", "people", "mean items", "setting", *METHODS, "auto over best"]
    print(f"| {' | '.join(heading)} |")
    for kind, log in kinds.items():
        for setting, (epsilon, delta) in SETTINGS.items():
            keys = {
                name: float(np.mean([select(log, epsilon, delta) for _ in range(RUNS)]))
                for name, select in METHODS.items()
            }
            best = max(number for name, number in keys.items() if name != "routed, auto")
            shown = " | ".join(f"{number:,.0f}" for number in keys.values())
            mean = len(log.items) / max(1, int(np.sum(np.diff(log.offsets) > 0)))
            ratio = keys["routed, auto"] / max(best, 1)
            print(f"| {kind} | {log.users:,} | {mean:.1f} | {setting} | {shown} | {ratio:.3f} |", flush=True)


if __name__ == "__main__":
    main()
