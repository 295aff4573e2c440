"""The day of a log whose rows tell the time of day only: said by the caller, or eight digits in the file's
name.
"""

from __future__ import annotations

import re
from datetime import date

from crowdlog.errors import InputError
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.sources import SourceFile


def day_of(source: SourceFile, options: ReadOptions) -> date | None:
    if options.date is not None:
        try:
            return date.fromisoformat(options.date)
        except ValueError as error:
            raise InputError(f"--date must be a day written YYYY-MM-DD. Got {options.date!r}.") from error
    for digits in re.findall(r"(?<!\d)(?:19|20)\d{6}(?!\d)", source.name):
        try:
            return date.fromisoformat(digits)
        except ValueError:
            continue
    return None
