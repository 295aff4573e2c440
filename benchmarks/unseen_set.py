"""Sets on which nothing was tuned, from files of this machine:
`python -m benchmarks.unseen_set RUNS FOLDER,FOLDER... [KIND...]`.

A file is a person, or a function or a comment in it; items are the modules it imports, the headers it
includes, its words, what it calls, its options. The numbers depend on what is installed: the point is how the
routes compare on one set.
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

IMPORTS = re.compile(r"^\s*(?:from|import)\s+([a-zA-Z_][\w.]*)", re.MULTILINE)
WORDS = re.compile(r"[a-z]{3,}")
FUNCTION = re.compile(r"^ *(?:async )?def .*\n(?:(?: +.*)?\n)+", re.MULTILINE)
CALLED = re.compile(r"(\w+)\(")
COMMENT = re.compile(r"^\s*#(.*)", re.MULTILINE)
DECLARATION = re.compile(r"^[a-z].*\(.*;", re.MULTILINE)
OPTION = re.compile(r"\\fB\\-(?:\\-)?([\w]+)")
SIGNATURE = re.compile(r"^ *(?:async )?def \w+\(([^)]*)\)", re.MULTILINE)
PARAMETER = re.compile(r"(?:^|,)\s*\**(\w+)")
ALSO = re.compile(r"^\.S[Hh]\s.*SEE ALSO.*\n((?:(?!\.S[Hh]).*\n)+)", re.MULTILINE)
PAGE = re.compile(r"([a-z][\w.+-]+)(?:\\f.)*(?:\\[|&])?\"?\s*(?:\\f.)*\(\d")
TAG = re.compile(r"<([a-zA-Z][\w:-]*)")
INCLUDES = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)", re.MULTILINE)
NAME = re.compile(r"^\.S[Hh]\s.*NAME.*\n((?:.*\n){1,3})", re.MULTILINE)


def incidence(sets: Iterable[set[str]]) -> Incidence:
    rows = [(user, item) for user, items in enumerate(sets) for item in items]
    names, item = np.unique([name for _user, name in rows], return_inverse=True)
    return Histories.from_rows(np.array([user for user, _name in rows]), item, len(names)).distinct()


def described(text: str) -> list[set[str]]:
    """The words of the first lines under NAME."""
    found = NAME.search(text)
    return [set(WORDS.findall(found.group(1).lower()))] if found else []


def whole(pattern: re.Pattern[str]) -> Callable[[str], list[set[str]]]:
    """A file is one person."""
    return lambda text: [set(pattern.findall(text))]


def each(part: re.Pattern[str], item: re.Pattern[str]) -> Callable[[str], list[set[str]]]:
    """Each part of a file is one person."""
    return lambda text: [set(item.findall(one.lower())) for one in part.findall(text)]


KINDS: dict[str, tuple[str, Callable[[str], list[set[str]]]]] = {
    "imported modules": ("*.py", whole(IMPORTS)),
    "words": ("*.py", lambda text: [set(WORDS.findall(text.lower()))]),
    "included headers": ("*.h", whole(INCLUDES)),
    "words of descriptions": ("*.gz", described),
    "calls of a function": ("*.py", each(FUNCTION, CALLED)),
    "words of a comment": ("*.py", each(COMMENT, WORDS)),
    "words of headers": ("*.h", lambda text: [set(WORDS.findall(text.lower()))]),
    "words of a declaration": ("*.h", each(DECLARATION, WORDS)),
    "options of a command": ("*.gz", whole(OPTION)),
    "parameters of a function": ("*.py", each(SIGNATURE, PARAMETER)),
    "pages to see also": ("*.gz", each(ALSO, PAGE)),
    "tags of XML": ("*.xml", whole(TAG)),
}


def text_of(file: Path) -> str:
    read = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return read.decode("utf-8", errors="ignore")


def main() -> None:
    runs, folders, kinds = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:] or list(KINDS)
    heading = ["items of a file", "people", "mean items", "setting", *METHODS, "auto over best"]
    print(f"| {' | '.join(heading)} |")
    for kind in kinds:
        pattern, items = KINDS[kind]
        files = sorted(
            {file.resolve() for folder in folders for file in Path(folder).rglob(pattern) if file.is_file()}
        )
        if not files:
            continue
        log = incidence(one for file in files for one in items(text_of(file)))
        for setting, (epsilon, delta) in SETTINGS.items():
            keys = {
                name: float(np.mean([select(log, epsilon, delta) for _ in range(runs)]))
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
