"""The sampled log as a file in AOL's layout, with what a reader has to know beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from crowdlog.artifacts.public_lists import public_words
from crowdlog.errors import InputError
from crowdlog.log.synth.writer import new_log_file
from crowdlog.progress import Advance
from crowdlog.release.folder import Release
from crowdlog.release.synthesize.chances import read_chances
from crowdlog.release.synthesize.figures import read_figures
from crowdlog.release.synthesize.sample import SampledBlock, Sampler
from crowdlog.types import Ints

pc: Any = _pc  # its stubs know fewer types than it takes
_array: Any = pa.array
BLOCK = 100_000  # sessions drawn at once
_FIRST = np.datetime64("2000-01-01T00:00:00")  # no date of the log is known: days are counted from here
_DAY, _HOUR, _STEP = 86_400, 3600, 60  # a session a day, a search a minute
_HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"


@dataclass(frozen=True)
class Synthesized:
    """What was written."""

    path: Path
    users: int
    sessions: int
    searches: int
    clicks: int
    invented: int  # searches whose text is in no table
    invented_texts: int


def _sizes(
    users: int | None, sessions: int | None, mean: float, random: np.random.Generator
) -> Iterator[Ints]:
    """How many sessions each user has, a block of users at a time: geometric with this mean."""
    left_users, left = users, sessions
    while (left_users is None or left_users > 0) and (left is None or left > 0):
        block = max(1, int(BLOCK / mean))
        n = block if left_users is None else min(left_users, block)
        counts = random.geometric(1.0 / mean, n)
        if left is not None:
            fits = int(np.searchsorted(np.cumsum(counts), left))
            counts = counts[: fits + 1]
            counts[-1] -= max(0, int(counts.sum()) - left)
            left -= int(counts.sum())
        if left_users is not None:
            left_users -= n
        yield counts


def _rows(block: SampledBlock, hour: Ints, sessions_of_user: Ints, first_user: int) -> pa.Table:
    """The rows of a block: one user's sessions on days that follow each other, each at its hour."""
    user = np.repeat(np.arange(len(sessions_of_user)), sessions_of_user)
    day = np.arange(len(user)) - np.repeat(np.cumsum(sessions_of_user) - sessions_of_user, sessions_of_user)
    session = block.session
    begins = np.searchsorted(session, np.arange(len(user)))
    within = (np.arange(len(session)) - begins[session]) * _STEP
    seconds = day[session] * _DAY + hour[session] * _HOUR + within
    time = pc.strftime(_array(_FIRST + seconds.astype("timedelta64[s]")), format="%Y-%m-%d %H:%M:%S")
    return pa.table(
        {
            "AnonID": _array(first_user + user[session] + 1),
            "Query": block.query,
            "QueryTime": time,
            "ItemRank": block.rank,
            "ClickURL": block.url,
        }
    )


def _lines(rows: pa.Table) -> Any:
    """The rows in AOL's layout, which knows no quotes: texts stand as they are, but for what ends a column
    or a line.
    """
    fields = [pc.fill_null(column.cast(pa.string()), "") for column in rows.combine_chunks().columns]
    fields = [pc.replace_substring_regex(field, r"[\t\r\n]", " ") for field in fields]
    lines = pc.binary_join_element_wise(*fields, "\t")
    return "".join(f"{line}\n" for line in lines.to_pylist()).encode()


_TOLD = (
    "Hours, numbers of searches, their lengths and how often results are clicked follow the\n"
    "tables of the release."
)
_NOT_TOLD = (
    "Sessions, days, numbers of sessions and how often results are clicked follow published\n"
    "figures of other logs, not this one."
)


def _note(release: Release, made: Synthesized, told: bool) -> str:
    label = release.label
    guarantee = label.promise.guarantee
    made_by = " and ".join(f"`{spelling}`" for spelling in label.mechanisms)
    return f"""# A synthetic search log

Nobody searched this. {made.path.name} was sampled from the published tables of the release
`{release.path.name}`, made by {made_by} on {label.date}. Sampling is
post-processing: it read nothing but that release, so the release's guarantee holds for this log as it is, and
no further privacy was spent.

Guarantee of the release: {guarantee}

{made.users:,} users, {made.sessions:,} sessions, {made.searches:,} searches, {made.clicks:,} clicks.
A user or a session here is nobody's: searches of one user have nothing more to do with each
other than the release's table of pairs says.
{made.invented:,} searches have a text that is no released query (chains of released and public
words, names of released sites): {made.invented_texts:,} such texts are listed in
{made.path.name}.invented.
{_TOLD if told else _NOT_TOLD}

Texts stand there as they were released, for programs that read logs. A spreadsheet may run one that begins
with =, +, - or @ as a formula: `crowdlog export` writes tables that are safe to open with one.
"""


def _check(users: int | None, sessions: int | None, seed: int) -> None:
    if (users is None) == (sessions is None):
        raise InputError("Say how large the log shall be: either the number of users or that of sessions.")
    for name, value in (("users", users), ("sessions", sessions)):
        if value is not None and value < 1:
            raise InputError(f"The number of {name} must be at least 1. Got {value}.")
    if seed < 0:
        raise InputError(f"The seed must be a whole number from 0 on. Got {seed}.")


def _listed(release: Release) -> tuple[str, ...]:
    """Public words, for releases whose words leave a part uncovered."""
    return () if release.table("words") is None else public_words("wordfreq", "original")


class _Writing:
    """The files being written and what is in them so far."""

    def __init__(self, log: BinaryIO, marks: BinaryIO) -> None:
        self._log = log
        self._marks = marks
        self._seen: set[str] = set()
        self.users = self.sessions = self.searches = self.clicks = self.invented = 0
        log.write(_HEADER)

    def add(self, block: SampledBlock, hour: Ints, sessions_of_user: Ints) -> None:
        """Append a block."""
        self._log.write(_lines(_rows(block, hour, sessions_of_user, self.users)))
        texts: set[Any] = set(block.query.filter(_array(block.invented)).unique().to_pylist()) - self._seen
        self._marks.write("".join(f"{text}\n" for text in sorted(texts)).encode())
        self._seen |= texts
        self.users += len(sessions_of_user)
        self.sessions += int(sessions_of_user.sum())
        self.searches += len(block.session)
        self.clicks += len(block.url) - block.url.null_count
        self.invented += int(block.invented.sum())

    def done(self, path: Path) -> Synthesized:
        """What was written."""
        counts = (self.users, self.sessions, self.searches, self.clicks, self.invented)
        return Synthesized(path, *counts, len(self._seen))


def write_sample(
    release: Release, path: Path, *, users: int | None, sessions: int | None, seed: int, progress: Advance
) -> Synthesized:
    """See `crowdlog.release.synthesize.synthesize_from`."""
    _check(users, sessions, seed)
    random = np.random.default_rng(seed)
    figures = read_figures(release)
    sampler = Sampler(read_chances(release), figures, random, _listed(release))
    with ExitStack() as stack:
        beside = [path.with_name(path.name + end) for end in ("", ".invented", ".README.md")]
        log, marks, note = (stack.enter_context(new_log_file(place)) for place in beside)
        writing = _Writing(log, marks)
        for sizes in _sizes(users, sessions, figures.sessions, random):
            drawn = random.random(int(sizes.sum())) * figures.hours[-1]
            hour = np.searchsorted(figures.hours, drawn, side="right").astype(np.int64)
            writing.add(sampler.block(int(sizes.sum())), hour, sizes)
            progress(int(sizes.sum()))
        made = writing.done(path)
        note.write(_note(release, made, figures.told).encode())
    return made
