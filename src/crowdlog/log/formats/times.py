"""Times that the fast kernel does not read: which spelling a column has, its values as seconds since 1970.

The spelling is found from the first rows of a file and holds for all of it; day and month are never guessed
where both orders fit, or where one person's rows alone would decide for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.log.columns import TIME, USER, Batch, Texts, pack_texts
from crowdlog.log.formats.arrow_text import from_arrow
from crowdlog.log.parse import read_times

_SAMPLE = 2000
_FEW = 20  # of them, in which spellings are looked for
_OLDEST = -30_610_224_000  # the year 1000: a year of two figures is no year of the first century
_VOICES = 2  # people whose rows must tell day from month, for those of all
_DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d/%b/%Y", "%d-%b-%Y", "%d %b %Y", "%b %d %Y", "%b %d, %Y",
    "%d %B %Y", "%B %d, %Y", "%a, %d %b %Y", "%a %b %d %Y",
)  # fmt: skip
_CLOCKS = ("", "%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%H%M%S", "%H")
_BETWEEN = (" ", "T", ", ", ":", " - ")
# Kibana, C and Java, SAS, Oracle, DB2.
_WHOLE = (
    "%b %d, %Y @ %H:%M:%S", "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S UTC %Y", "%a %b %d %H:%M:%S GMT %Y",
    "%d%b%Y:%H:%M:%S", "%d-%b-%y %I.%M.%S.%n %p", "%d-%b-%y %I.%M.%S %p", "%Y-%m-%d-%H.%M.%S.%f",
)  # fmt: skip
# A fraction of a second and a zone may follow any time of day; they are cut off before the rest is read.
_ZONE = r"([+-])(\d{2}):?(\d{2})?(?:\s(?:\([A-Za-z ]+\)|[A-Z]{3,5}))?"
_TAIL = rf"(:\d{{2}}|T\d{{4,6}})(?:[.,]\d+)?(?:\s*\(?(?:Z|UTC|GMT)\)?)?(?:\s*{_ZONE})?(\s*[AaPp][Mm])?$"
_BODY = f"regexp_replace(t, '{_TAIL}', '\\1\\5')"
# Numbers since 1970 by their unit, and the wrapping of .NET's JSON.
_NUMBERS = {
    "s": (r"^(?:\d{1,7}|\d{9,11}|\d{1,11}\.\d+)$", 1),
    "ms": (r"^\d{12,13}(?:\.\d+)?$", 1_000),
    "us": (r"^\d{15,16}$", 1_000_000),
    "ns": (r"^\d{18,19}$", 1_000_000_000),
}
_DOTNET = r"^/Date\((-?\d+)(?:[+-]\d{4})?\)/$"
HELP = (
    "Say it with --time-format, for example '%d.%m.%Y %H:%M' (s, ms, us and ns are numbers since 1970); "
    "docs/formats.md lists what is read without"
)


def spellings() -> list[str]:
    """Every spelling that is tried, the plain ones first."""
    dated = [
        date + (between + clock if clock else "")
        for date, clock, between in product(_DATES, _CLOCKS, _BETWEEN)
    ]
    return [*_NUMBERS, "/Date(ms)/", *dict.fromkeys(dated), *_WHOLE, "%c"]


def _seconds(spelling: str) -> str:
    """SQL that gives the seconds of the text `t`, or NULL."""
    if spelling in _NUMBERS:
        pattern, unit = _NUMBERS[spelling]
        return f"CASE WHEN regexp_matches(t, '{pattern}') THEN floor(t::DECIMAL(38, 9) / {unit})::BIGINT END"
    if spelling == "/Date(ms)/":
        return f"floor(nullif(regexp_extract(t, '{_DOTNET}', 1), '')::BIGINT / 1000)::BIGINT"
    if _is_whole(spelling):
        return _moment("t", spelling)
    east = f"""coalesce(CASE regexp_extract(t, '{_TAIL}', 2) WHEN '+' THEN 1 WHEN '-' THEN -1 ELSE 0 END
        * (coalesce(try_cast(regexp_extract(t, '{_TAIL}', 3) AS INT), 0) * 3600
           + coalesce(try_cast(regexp_extract(t, '{_TAIL}', 4) AS INT), 0) * 60), 0)"""
    return f"{_moment(_BODY, spelling)} - {east}"


def _is_whole(spelling: str) -> bool:
    """Whether the spelling says itself where fractions and zones stand."""
    return any(part in spelling for part in ("%z", "%f", "%n", "%c"))


def _moment(text: str, form: str) -> str:
    quoted = form.replace("'", "''")
    return f"floor(epoch(try_strptime({text}, '{quoted}')))::BIGINT"


def _fits(spelling: str) -> str:
    """SQL that counts the rows of (t, body) that are in this spelling."""
    if spelling in _NUMBERS or spelling == "/Date(ms)/" or _is_whole(spelling):
        return f"count({_seconds(spelling)})"
    return f"count({_moment('body', spelling)})"


def translated(batches: Iterator[Batch], spelling: str | None, file: str) -> Iterator[Batch]:
    """The same batches with times that the kernel reads. Without `spelling` it is found in the first."""
    clock: _Clock | None = None
    for batch in batches:
        if clock is None:
            clock = _Clock(spelling) if spelling else _recognise(batch, file)
        yield clock.set(batch)


class _Clock:
    """Reads the times of one file; without a spelling the kernel does."""

    def __init__(self, spelling: str | None) -> None:
        import duckdb

        self._spelling = spelling
        self._db: Any = duckdb.connect(config={"temp_directory": ""}) if spelling else None
        if spelling:
            self.read(pa.array(["0"]))  # a spelling that is none is refused before the first row

    def read(self, texts: Any) -> Any:
        """Seconds as text, null where a text is no time."""
        import duckdb

        texts = pa.table({"t": texts})
        try:
            answer = self._db.sql(
                f"SELECT CASE WHEN s > {_OLDEST} THEN s END::VARCHAR AS s FROM "
                f"(SELECT {_seconds(str(self._spelling))} AS s FROM texts)"
            )
            return answer.to_arrow_table().column("s").combine_chunks()
        except duckdb.Error:
            raise InputError(
                f"--time-format {self._spelling!r} is no spelling of times; it is written like "
                "'%d.%m.%Y %H:%M:%S'."
            ) from None

    def set(self, batch: Batch) -> Batch:
        if self._spelling is None:
            return batch
        times = batch.columns[TIME]
        read = from_arrow(self.read(_arrow(times, np.arange(len(batch)))))
        columns = list(batch.columns)
        columns[TIME] = read
        return replace(batch, columns=tuple(columns))


def _arrow(texts: Texts, rows: Any) -> Any:
    values = [texts[int(i)] for i in rows]
    return pa.array([value.decode("utf-8", "replace").strip() for value in values], pa.string())


def _recognise(batch: Batch, file: str) -> _Clock:
    """The spelling that most of the first rows have; the kernel's own if that is among them."""
    times = batch.columns[TIME]
    rows = np.flatnonzero((times.size > 0) & (batch.reason == 0))[:_SAMPLE]
    if not len(rows):
        return _Clock(None)
    sample = [times[int(i)] for i in rows]
    native = _natively(sample)
    if native == len(sample):
        return _Clock(None)
    texts, users = _arrow(times, rows), [batch.columns[USER][int(i)] for i in rows]
    best = _fitting(texts, _some_of_all(users))
    most = max((count for count, _values in best.values()), default=0)
    if native and native >= most:
        return _Clock(None)
    if not most:
        raise InputError(f"The times of {file} are in no spelling that is known. {HELP}.")
    first = {name: values for name, (count, values) in best.items() if count == most}
    if len({tuple(values) for values in first.values()}) > 1:
        raise InputError(
            f"The times of {file} can be read in more than one way ({' or '.join(first)}). {HELP}."
        )
    chosen = next(iter(first))
    _refuse_one_voice(chosen, best, users, file)
    return _Clock(chosen)


def _refuse_one_voice(
    chosen: str, best: dict[str, tuple[int, list[Any]]], users: list[bytes], file: str
) -> None:
    """Where another spelling reads rows as other times, the rows that decide against it must be of two people
    at least: an odd row of one must not say how those of all others are read.
    """
    values = best[chosen][1]
    for name, (_count, others) in best.items():
        pairs = list(zip(values, others, users, strict=True))
        if any(None not in (own, other) and own != other for own, other, _user in pairs):
            voices = {user for own, other, user in pairs if own is not None and other is None}
            if len(voices) < _VOICES:
                raise InputError(
                    f"The times of {file} can be read in more than one way ({chosen} or {name}), and of the "
                    f"first {len(users):,} rows those of one user alone tell which. {HELP}."
                )


def reads_natively(batch: Batch) -> bool:
    """Whether the import's kernel reads the times of the first rows."""
    times = batch.columns[TIME]
    rows = np.flatnonzero((times.size > 0) & (batch.reason == 0))[:_SAMPLE]
    return not len(rows) or _natively([times[int(i)] for i in rows]) > 0


def _natively(sample: list[bytes]) -> int:
    texts = pack_texts(sample)
    reason = np.zeros(len(sample), np.uint8)
    read_times(texts.data, texts.start, texts.size, np.empty(len(sample), np.int64), reason)
    return int((reason == 0).sum())


def _some_of_all(users: list[bytes]) -> list[int]:
    """Rows that stand for all: the first of each of some people, and some from everywhere. The rows of one
    person must not say which spellings are thought of.
    """
    first: dict[bytes, int] = {}
    for row, user in enumerate(users):
        first.setdefault(user, row)
    spread = np.linspace(0, len(users) - 1, _FEW).astype(int).tolist()
    return sorted({*list(first.values())[:_FEW], *spread})


def _fitting(texts: Any, rows: list[int]) -> dict[str, tuple[int, list[Any]]]:
    """For each spelling that reads some of these rows: how many texts it reads, and the seconds."""
    import duckdb

    few = pa.table({"t": texts.take(rows)})  # noqa: F841 - named in the query
    texts = pa.table({"t": texts})
    tried = spellings()
    with duckdb.connect(config={"temp_directory": ""}) as db:
        # what is cut off is cut once for all spellings: this look is taken at every file
        counts = db.execute(
            f"SELECT {', '.join(map(_fits, tried))} FROM (SELECT t, {_BODY} AS body FROM few)"
        ).fetchone()
        found = {}
        for name, count in zip(tried, counts or (), strict=True):
            if count:
                read = (row[0] for row in db.execute(f"SELECT {_seconds(name)} FROM texts").fetchall())
                values = [None if each is None or each <= _OLDEST else each for each in read]
                found[name] = (sum(value is not None for value in values), values)
    return {name: (count, values) for name, (count, values) in found.items() if count}
