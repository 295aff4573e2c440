"""The names of the fields of records, and which of them may be shown.

An object may be keyed by what somebody typed (`{"a query": 3}`): its keys are then values. A name is shown if
it is one that programs use, or if it looks like a name, stands in most of the records and so do its
neighbours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from crowdlog.log.formats.records import JsonRecords, as_object, records
from crowdlog.log.formats.roles import is_known
from crowdlog.log.sources import SourceFile

LOOK = 500  # records whose fields are looked at before reading
_DEPTH = 5
_NAME = re.compile(r"[\w@][\w.@\-]{0,60}")
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
# Words of which programs make names of fields. Nobody's search is betrayed by one of them.
_TECHNICAL = frozenset(
    "action attributes body click clicked clicks client content context count data details doc document docs "
    "event events fields hit hits id index info interaction item items label log message meta metadata name "
    "number object objects page params payload position properties query record request requests response "
    "result results search selected session source src stats status tags timestamp type url urls user value "
    "version visit visitor visits".split()
)

Path = tuple[str, ...]


def is_technical(step: str) -> bool:
    """Whether a key is made of words of programs: one of a role's, or of records'."""
    parts = [part.lower() for part in _PARTS.findall(step)]
    return is_known(step) or (bool(parts) and len(step) <= 60 and all(part in _TECHNICAL for part in parts))


@dataclass(frozen=True, repr=False)
class FieldNames:
    """Fields of the first records. `counts`: in how many of them each stands, by its path."""

    paths: tuple[Path, ...]
    counts: Mapping[Path, int]

    @cached_property
    def names(self) -> list[str]:
        """All, in the order of their appearance. Not to be shown."""
        return list(dict.fromkeys(map(".".join, self.paths)))

    @cached_property
    def shown(self) -> list[str]:
        """Those that cannot be somebody's text."""
        return list(dict.fromkeys(".".join(path) for path in self.paths if self._may_be_shown(path)))

    @property
    def hidden(self) -> int:
        """How many are not shown."""
        return len(self.names) - len(self.shown)

    def may_be_shown_late(self, path: Path) -> bool:
        """Whether a field may be shown that only later records have: nobody counted it."""
        above = (path[:i] in self.counts and self._steady(path[:i]) for i in range(1, len(path)))
        fine = (known or is_technical(step) for known, step in zip(above, path, strict=False))
        return is_technical(path[-1]) and all(fine)

    def _may_be_shown(self, path: Path) -> bool:
        return all(is_technical(step) or self._steady(path[: i + 1]) for i, step in enumerate(path))

    def _steady(self, path: Path) -> bool:
        return self._often(path) and path[:-1] not in self._keyed_by_texts

    def _often(self, path: Path) -> bool:
        times = self.counts[path]
        return times >= 2 and 2 * times >= self.counts[path[:-1]] and _NAME.fullmatch(path[-1]) is not None

    @cached_property
    def _keyed_by_texts(self) -> set[Path]:
        """Objects with a key that is no name, or whose keys are mostly of few records."""
        keys: defaultdict[Path, list[Path]] = defaultdict(list)
        for path in self.counts:
            if path and not is_technical(path[-1]):
                keys[path[:-1]].append(path)
        return {
            above
            for above, inside in keys.items()
            if any(not _NAME.fullmatch(path[-1]) for path in inside)
            or 2 * sum(not self._often(path) for path in inside) > len(inside)
        }


def look(source: SourceFile) -> FieldNames:
    """The fields of the first records."""
    part = next(records(source), JsonRecords([], []))
    counts: Counter[Path] = Counter()
    leaves: dict[Path, None] = {}
    for raw in part.raw[:LOOK]:
        counts[()] += 1
        for path, is_leaf in paths(as_object(raw) or {}):
            counts[path] += 1
            if is_leaf:
                leaves[path] = None
    return FieldNames(tuple(leaves), counts)


def paths(value: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, bool]]:
    """The path of each field, and whether nothing is inside it."""
    for name, inner in value.items():
        inside = isinstance(inner, dict) and bool(inner) and len(above) < _DEPTH
        yield (*above, name), not inside
        if inside:
            yield from paths(inner, (*above, name))
