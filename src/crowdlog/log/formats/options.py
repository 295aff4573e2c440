"""What can be said about the files to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypedDict

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES
from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats.roles import NEEDED, Confirm

_WITH_DAY = ("sogou", "trec-session")


class Reading(TypedDict, total=False):
    """What may be said about the files of an import, on one machine or on many; all of it may be left out.

    `format`: recognised if not said. `columns`: role → name of the column (or its number from 1 in files
    without a header), or its path in a nested record. `date` (YYYY-MM-DD): the day of logs that tell the time
    of day only. `quoted_lines`: quoted texts of a CSV file may have several lines; else one stray quotation
    mark is refused. `encoding`, `time_format`: of texts and times, found from the first rows if not said.
    `query_parameter`: of a web server's log. `trails`: of a browser's history, pages any number of steps from
    a search are clicks of it. `confirm`: shown a guess of the columns' roles, says whether it is right;
    without it a guess is refused. `tell`: takes sentences that the owner should read.
    """

    format: str | None
    columns: Mapping[str, str] | None
    date: str | None
    quoted_lines: bool
    encoding: str | None
    time_format: str | None
    query_parameter: str | None
    confirm: Confirm | None
    tell: Callable[[str], None]
    trails: bool


@dataclass(frozen=True)
class ReadOptions:
    """What the caller said about the files, checked: see `Reading`."""

    format: str | None = None
    columns: Mapping[str, str] | None = None
    date: str | None = None
    quoted_lines: bool = False
    encoding: str | None = None
    time_format: str | None = None
    query_parameter: str | None = None
    confirm: Confirm | None = None
    tell: Callable[[str], None] = lambda _sentence: None
    trails: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise InputError(f"There is no format '{self.format}'. Choose one of {', '.join(FORMATS)}.")
        if self.columns is None:
            return
        if set(self.columns) - set(ROLES) or not set(NEEDED) <= set(self.columns):
            raise InputError(
                "--columns needs user=…, query=… and, if the log has it, time=…; it may have rank=… and "
                "url=…; no others."
            )
        twice = [name for name, times in Counter(self.columns.values()).items() if times > 1]
        if twice:
            raise InputError(f"--columns gives the column {twice[0]!r} two roles; each plays one.")

    def refuse_date(self, format_: str) -> None:
        """A day that would be ignored is refused."""
        if self.date is not None and format_ not in _WITH_DAY:
            raise InputError(
                f"--date is for logs that tell the time of day only ({', '.join(_WITH_DAY)}), not for "
                f"{format_}."
            )
