"""Made-up logs of many worlds, imported like any log and kept for the next audit that asks for the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.audit.neighbours import STRIDE, Shape

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

Ints = npt.NDArray[np.int64]
START = 1_141_171_200  # 2006-03-01; any day would do
APART = 7200  # seconds between two things one person does: more than any session's time-out
TARGET = 1 << 40  # the first number of the people whose presence is tested


@dataclass(frozen=True)
class Layout:
    """So many worlds of each shape, one shape after the other. `artifact`: what a person does with a key."""

    shapes: tuple[Shape, ...]
    worlds: int
    artifact: str = "query"


@dataclass(frozen=True)
class Acts:
    """Who does what, in that person's order, and the number of the page that is clicked (by default the key's own)."""

    user: Ints
    key: Ints
    nth: Ints
    page: Ints | None = None


@dataclass(frozen=True)
class Laboratory:
    """Logs below one folder."""

    folder: Path
    _made: dict[Any, LogStore] = field(default_factory=dict)

    def log(self, layout: Layout, *, with_person: bool) -> LogStore:
        """The log of these worlds, with or without the one person of each."""
        parts = [_acts(layout, shape, with_person=False) for shape in range(len(layout.shapes))]
        if with_person:  # last, so that nobody else's number changes
            parts += [_acts(layout, shape, with_person=True) for shape in range(len(layout.shapes))]
        acts = Acts(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("user", "key", "nth")))
        return self.make((layout, with_person), acts, layout.artifact)

    def make(self, name: Any, acts: Acts, artifact: str, texts: Sequence[str] = ()) -> LogStore:
        """The log of these acts, by a name under which it is found again. Keys ≥ 0 are written as numbers, −1, −2, … as the given texts."""
        if name not in self._made:
            from pyarrow import parquet

            from crowdlog.log.importer import import_log

            path = self.folder / f"{len(self._made)}.parquet"
            parquet.write_table(_table(acts, artifact, texts), path)
            self._made[name] = import_log(path, path.with_suffix(".store"))
            path.unlink()
        return self._made[name]


def _acts(layout: Layout, number: int, *, with_person: bool) -> Acts:
    """The crowds of one shape's worlds, or their persons.."""
    shape, first = layout.shapes[number], number * layout.worlds
    worlds = np.arange(first, first + layout.worlds)
    people, keys, repeats = (1, shape.asked, shape.repeats) if with_person else (shape.crowd, shape.shared, 1)
    each = np.arange(people * keys * repeats)
    person, place = each // max(keys * repeats, 1), each % max(keys * repeats, 1)
    base = TARGET + worlds if with_person else (number << 32) + np.arange(layout.worlds) * max(people, 1)
    user = (base[:, None] + person[None, :]).ravel()
    key = (worlds[:, None] * STRIDE + (place % max(keys, 1))[None, :]).ravel()
    return Acts(user, key, np.tile(place, layout.worlds))


def _table(acts: Acts, artifact: str, texts: Sequence[str]) -> Any:
    import pyarrow as pa

    user, time = acts.user, START + acts.nth * APART
    if "pair" not in artifact:
        return pa.table(
            {"user": user, "query": _named("q", acts.key, texts), "time": time, "url": _urls(acts.key if acts.page is None else acts.page)}
        )
    twice = np.repeat(np.arange(len(user)), 2)
    later = np.arange(len(twice)) % 2
    first, second = _named("q", acts.key, texts), _named("p", acts.key, texts)
    query = pa.concat_arrays([first, second]).take(pa.array(np.arange(len(user))[twice] + later * len(user)))
    return pa.table({"user": user[twice], "query": query, "time": time[twice] + later, "url": pa.nulls(len(twice), pa.string())})


def _named(letter: str, keys: Ints, texts: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    numbered = _numbered(letter, keys, "")
    if not texts:
        return numbered
    given: Any = pa.array(list(texts)).take(pa.array(np.where(keys < 0, -1 - keys, 0), pa.int64()))
    return pc.if_else(pa.array(keys < 0), given, numbered)


def _urls(keys: Ints) -> Any:
    return _numbered("http://u", keys, ".example")


def _numbered(before: str, keys: Ints, after: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    parts: list[Any] = [before, pc.cast(pa.array(keys), pa.string()), after, ""]  # the last is what stands between them
    return pc.binary_join_element_wise(*parts)
