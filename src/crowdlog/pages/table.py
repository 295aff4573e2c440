"""Tables of a page: texts to the left, numbers to the right, no matter how many columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from crowdlog.number_format import number

Mark = Literal["", "soft", "good", "bad", "so-so"]
Value = str | int | float | None


@dataclass(frozen=True)
class Cell:
    """One field.

    `mark`: how it is coloured; `code`: as it is typed; `strong`: bold; `span`: columns it takes.
    """

    text: str
    numeric: bool = False
    mark: Mark = ""
    code: bool = False
    strong: bool = False
    span: int = 1


@dataclass(frozen=True)
class PageTable:
    """A table. `caption` is its name for those who cannot see where it stands; `dense`: in small letters."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    dense: bool = False

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers alone; their headings stand to the right as well."""
        whole = [row for row in self.rows if len(row) == len(self.columns)]
        return [bool(whole) and all(row[i].numeric for row in whole) for i in range(len(self.columns))]


def cell(value: Value) -> Cell:
    """A text, or a number as people read it."""
    return Cell(number(value), numeric=not isinstance(value, str))


def table_of(caption: str, columns: Sequence[str], rows: Iterable[Iterable[Value | Cell]]) -> PageTable:
    """Values that need no mark of their own."""
    return PageTable(
        caption,
        columns,
        [[value if isinstance(value, Cell) else cell(value) for value in row] for row in rows],
    )
