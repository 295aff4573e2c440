"""Made-up logs of many worlds, imported like any log and kept for the next audit that asks for the same; and
the public files that go with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.audit.neighbours import STRIDE, Shape
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

START = 1_141_171_200  # 2006-03-01; any day would do
APART = 7200  # seconds between two things one person does: more than any session's time-out
TARGET = 1 << 40  # the first number of the people whose presence is tested
# of the queries that one person asks in a row; in the order of the alphabet, so that the first stays the
# first
LETTERS = "qrstuvwxyz"


@dataclass(frozen=True)
class WorldLayout:
    """So many worlds of each shape, one shape after the other.

    To ask a key is to ask so many queries in a row and to click for the first. A query repeats its word so
    many times.
    """

    shapes: tuple[Shape, ...]
    worlds: int
    queries: int = 1
    words: int = 1

    def keys(self, *, pooled: bool = False) -> Ints:
        """The keys of all worlds, or of those whose keys are public."""
        worlds, found = np.arange(self.worlds), [np.zeros(0, np.int64)]
        for number, shape in enumerate(self.shapes):
            if shape.pooled or not pooled:
                found.append(
                    ((number * self.worlds + worlds)[:, None] * STRIDE + np.arange(shape.keys)).ravel()
                )
        return np.concatenate(found)


@dataclass(frozen=True)
class Acts:
    """Who asks which key at which second, the number of the page that is clicked (by default the key's own),
    and who only reads.
    """

    user: Ints
    key: Ints
    second: Ints
    reads: npt.NDArray[np.bool_]
    page: Ints | None = None


@dataclass(frozen=True)
class SyntheticLogs:
    """Logs and public files below one folder."""

    folder: Path
    _made: dict[Any, Any] = field(default_factory=dict)

    def log(self, layout: WorldLayout, *, with_person: bool) -> LogStore:
        """The log of these worlds, with or without the one person of each."""
        # she comes last, so that nobody else's number changes
        roles = ["crowd", "readers", *(["person"] if with_person else [])]
        parts = [_acts(layout, shape, role) for role in roles for shape in range(len(layout.shapes))]
        acts = Acts(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("user", "key", "second", "reads")
            )
        )
        return self.make((layout, with_person), acts, layout.queries, words=layout.words)

    def make(
        self, name: Any, acts: Acts, queries: int, texts: Sequence[str] = (), words: int = 1
    ) -> LogStore:
        """The log of these acts, by a name under which it is found again.

        Keys ≥ 0 are written as numbers, −1, −2, … as the given texts.
        """
        if name not in self._made:
            from pyarrow import parquet

            from crowdlog.log.importer import import_log

            path = self.folder / f"{len(self._made)}.parquet"
            parquet.write_table(_table(acts, queries, texts, words), path)
            self._made[name] = import_log(path, path.with_suffix(".store"))
            path.unlink()
        store: LogStore = self._made[name]
        return store

    def file(self, name: Any, lines: Sequence[str]) -> str:
        """A public file of these lines, by a name under which it is found again."""
        if name not in self._made:
            path = self.folder / f"{len(self._made)}.txt"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            self._made[name] = str(path)
        return str(self._made[name])


def _acts(layout: WorldLayout, number: int, role: str) -> Acts:
    """What the crowds, the readers or the persons of one shape's worlds do."""
    shape, first = layout.shapes[number], number * layout.worlds
    worlds = np.arange(first, first + layout.worlds)
    people, keys, repeats = {
        "crowd": (shape.crowd, shape.shared, 1),
        "readers": (shape.readers, shape.shared, 1),
        "person": (1, shape.asked, shape.repeats),
    }[role]
    each = np.arange(people * keys * repeats)
    who, place = each // max(keys * repeats, 1), each % max(keys * repeats, 1)
    base = (
        TARGET + worlds
        if role == "person"
        else (2 * number + (role == "readers") << 32) + np.arange(layout.worlds) * max(people, 1)
    )
    user = (base[:, None] + who[None, :]).ravel()
    key = (worlds[:, None] * STRIDE + (place % max(keys, 1))[None, :]).ravel()
    second = np.tile(place * APART * (layout.queries if role == "readers" else 1), layout.worlds)
    return Acts(user, key, second, np.full(len(user), role == "readers"))


def _table(acts: Acts, queries: int, texts: Sequence[str], words: int) -> Any:
    """The rows: `queries` of them for each act, a second apart; readers pause between and do not click."""
    import pyarrow as pa
    import pyarrow.compute as pc

    n = len(acts.user)
    row, place = np.repeat(np.arange(n), queries), np.tile(np.arange(queries), n)
    single = pa.concat_arrays([_named(letter, acts.key, texts) for letter in LETTERS[:queries]])
    named = pc.binary_join_element_wise(*[single] * words, " ")
    clicked = pa.array((place == 0) & ~acts.reads[row])
    url = _numbered("http://u", acts.key if acts.page is None else acts.page, ".example").take(pa.array(row))
    return pa.table(
        {
            "user": acts.user[row],
            "query": named.take(pa.array(row + place * n)),
            "time": START + acts.second[row] + place * np.where(acts.reads[row], APART, 1),
            "url": pc.if_else(clicked, url, pa.nulls(len(row), pa.string())),
        }
    )


def _named(letter: str, keys: Ints, texts: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    numbered = _numbered(letter, keys, "")
    if not texts:
        return numbered
    given: Any = pa.array(list(texts)).take(pa.array(np.where(keys < 0, -1 - keys, 0), pa.int64()))
    return pc.if_else(pa.array(keys < 0), given, numbered)


def _numbered(before: str, keys: Ints, after: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    # the last is what stands between them
    parts: list[Any] = [before, pc.cast(pa.array(keys), pa.string()), after, ""]
    return pc.binary_join_element_wise(*parts)
