"""What can be said about the files to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES
from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats.roles import NEEDED, Confirm

_WITH_DAY = ("sogou", "trec-session")


@dataclass(frozen=True)
class ReadOptions:
    """What the caller said about the files.

    `columns`: role → name of the column (or its number from 1 in files without a header), or its path in a
    nested record. `trails`: of a browser's history, pages of any number of steps from a search are clicks of
    it. `quoted_lines`: a quoted text of a CSV file may have several lines. `confirm`: shown a
    guess of the roles, says whether it is right. `tell`: takes what the owner should know.
    """

    format: str | None = None
    columns: Mapping[str, str] | None = None
    date: str | None = None
    quoted_lines: bool = False
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
