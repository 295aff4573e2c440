"""Write a synthetic log: buffers are filled by the kernels and streamed to files, so memory does not grow
with the log.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from crowdlog.errors import InputError
from crowdlog.log.synth.arrays import I64
from crowdlog.log.synth.labels import grown
from crowdlog.log.synth.pool import join_texts
from crowdlog.log.synth.rows import (
    CLICKS,
    DISTINCT,
    HEADER,
    LABEL_HEADER,
    LABELS_USED,
    QUERIES,
    ROWS,
    USED,
    USERS,
    Output,
)
from crowdlog.log.synth.secrets import Secret, planted
from crowdlog.log.synth.users import Secrets, new_desk, user_id, write_users
from crowdlog.log.synth.world import build_world
from crowdlog.log.synth.writer import new_log_file
from crowdlog.progress import Advance

_BATCH = 4_096  # users per call of the kernel: about 15 MB of rows
_BUFFER = 40 << 20  # the busiest user needs at most 2,400 queries × 14 rows × 640 bytes = 23 MB
_NO_LIMIT = 1 << 62
SECRETS_HEADER = b"user\tkind\tquery\n"


@dataclass(frozen=True)
class SynthReport:
    """What was written.

    `queries` are new queries without next pages; `distinct` is None unless labels were asked for.
    """

    path: Path
    users: int
    rows: int
    queries: int
    clicks: int
    secrets: int
    distinct: int | None


def _check(users: int | None, rows: int | None, seed: int) -> None:
    for name, value in (("users", users), ("rows", rows)):
        if value is not None and value < 1:
            raise InputError(f"The number of {name} must be at least 1. Got {value}.")
    if (users is None) == (rows is None):
        raise InputError("Say how large the log shall be: either the number of users or the number of rows.")
    if not 0 <= seed < 1 << 63:
        raise InputError(f"The seed must be a whole number from 0 to 2^63 − 1. Got {seed}.")


def _room_for_labels(out: Output) -> Output:
    """Grow the set of seen queries while the next buffer could fill more than half of it (a new query takes
    at least 30 bytes of rows).
    """
    seen = out.seen
    while len(seen) and 2 * (int(out.done[DISTINCT]) + _BUFFER // 30) > len(seen):
        seen = grown(seen)
    return out._replace(seen=seen)


def _new_output(limit: int, labels: bool) -> Output:
    size = _BUFFER if labels else 1
    return Output(
        np.empty(_BUFFER, np.uint8),
        np.empty(size, np.uint8),
        np.zeros(1 << 20 if labels else 0, np.uint64),
        np.zeros(7, np.int64),
        limit,
    )


def _flush(out: Output, log: BinaryIO, labels: BinaryIO | None) -> None:
    log.write(out.rows[: out.done[USED]].data)
    if labels is not None:
        labels.write(out.labels[: out.done[LABELS_USED]].data)
    out.done[USED] = out.done[LABELS_USED] = 0


class _Run:
    """One log being written."""

    def __init__(self, seed: int, log: BinaryIO, labels: BinaryIO | None, secrets: BinaryIO | None) -> None:
        self._seed, self._log, self._labels, self._secrets = seed, log, labels, secrets
        self.planted = 0

    def write(self, users: int, limit: int, progress: Advance) -> I64:
        """Write users 0 … users − 1, at most `limit` rows; return what was done."""
        out, desk, world, user = _new_output(limit, self._labels is not None), new_desk(), build_world(), 0
        while user < users and out.done[ROWS] < limit:
            end = min(user + _BATCH, users)
            secrets = planted(self._seed, user, end)
            of_user = np.full(end - user, -1, np.int64)
            of_user[[secret.user - user for secret in secrets]] = np.arange(len(secrets))
            text, start = join_texts([secret.query for secret in secrets])
            out, before = _room_for_labels(out), int(out.done[ROWS])
            first, user = (
                user,
                write_users(world, desk, Secrets(of_user, text, start), out, self._seed, user, end),
            )
            self._note([secret for secret in secrets if first <= secret.user < user])
            _flush(out, self._log, self._labels)
            progress(int(out.done[ROWS]) - before)
        return out.done

    def _note(self, secrets: list[Secret]) -> None:
        self.planted += len(secrets)
        if self._secrets is not None:
            self._secrets.write(
                "".join(
                    f"{user_id(secret.user)}\t{secret.kind}\t{secret.query}\n" for secret in secrets
                ).encode()
            )


def write_log(
    path: Path,
    *,
    users: int | None,
    rows: int | None,
    seed: int,
    secrets: str | Path | None,
    labels: str | Path | None,
    progress: Advance,
) -> SynthReport:
    """See `crowdlog.log.synth.synthesize`."""
    _check(users, rows, seed)
    with ExitStack() as stack:
        log = stack.enter_context(new_log_file(path))
        log.write(HEADER)
        side = [
            stack.enter_context(new_log_file(Path(name))) if name is not None else None
            for name in (labels, secrets)
        ]
        for file, header in zip(side, (LABEL_HEADER, SECRETS_HEADER), strict=True):
            if file is not None:
                file.write(header)
        run = _Run(seed, log, *side)
        done = run.write(
            users if users is not None else _NO_LIMIT, rows if rows is not None else _NO_LIMIT, progress
        )
    distinct = int(done[DISTINCT]) if labels is not None else None
    return SynthReport(
        path, int(done[USERS]), int(done[ROWS]), int(done[QUERIES]), int(done[CLICKS]), run.planted, distinct
    )
