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
from crowdlog.log.synth.population import Population, population_of
from crowdlog.log.synth.rows import (
    CLICKS,
    DISTINCT,
    HEADER,
    LABEL_HEADER,
    LABELS_USED,
    QUERIES,
    ROWS,
    TASK_HEADER,
    TASKS_USED,
    USED,
    USERS,
    Output,
)
from crowdlog.log.synth.secrets import Secret, planted
from crowdlog.log.synth.users import Secrets, UserWorkspace, new_workspace, user_id, write_users
from crowdlog.log.synth.world import build_world
from crowdlog.log.synth.writer import new_log_file
from crowdlog.progress import Advance

_BATCH = 4_096  # users per call of the kernel: about 15 MB of rows
_BUFFER = 48 << 20  # the busiest user needs at most 2,400 queries × 21 rows × 640 bytes = 33 MB
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


@dataclass(frozen=True)
class _Files:
    """Where to write; None for what nobody asked for."""

    log: BinaryIO
    labels: BinaryIO | None
    secrets: BinaryIO | None
    tasks: BinaryIO | None


def _new_output(limit: int, files: _Files) -> Output:
    return Output(
        rows=np.empty(_BUFFER, np.uint8),
        labels=np.empty(_BUFFER if files.labels else 1, np.uint8),
        tasks=np.empty(_BUFFER if files.tasks else 0, np.uint8),
        seen=np.zeros(1 << 20 if files.labels else 0, np.uint64),
        done=np.zeros(DISTINCT + 1, np.int64),
        limit=limit,
    )


def _flush(out: Output, files: _Files) -> None:
    for file, buffer, used in (
        (files.log, out.rows, USED),
        (files.labels, out.labels, LABELS_USED),
        (files.tasks, out.tasks, TASKS_USED),
    ):
        if file is not None:
            file.write(buffer[: out.done[used]].data)
        out.done[used] = 0


class _Run:
    """One log being written."""

    def __init__(self, seed: int, people: Population, files: _Files) -> None:
        self._seed = seed
        self._people = people
        self._files = files
        self.planted = 0

    def write(self, users: int, limit: int, progress: Advance) -> I64:
        """Write users 0 … users − 1, at most `limit` rows; return what was done."""
        out = _new_output(limit, self._files)
        workspace = new_workspace()
        user = 0
        while user < users and out.done[ROWS] < limit:
            out = _room_for_labels(out)
            before = int(out.done[ROWS])
            user = self._batch(workspace, out, user, min(user + _BATCH, users))
            _flush(out, self._files)
            progress(int(out.done[ROWS]) - before)
        return out.done

    def _batch(self, workspace: UserWorkspace, out: Output, first: int, end: int) -> int:
        """Write users from `first` on until `end` or until the buffers are full; return the next user."""
        secrets = planted(self._seed, first, end)
        of_user = np.full(end - first, -1, np.int64)
        of_user[[secret.user - first for secret in secrets]] = np.arange(len(secrets))
        text, start = join_texts([secret.query for secret in secrets])
        user = write_users(
            build_world(), self._people, workspace, Secrets(of_user, text, start), out, self._seed, first, end
        )
        self._note([secret for secret in secrets if first <= secret.user < user])
        return user

    def _note(self, secrets: list[Secret]) -> None:
        self.planted += len(secrets)
        lines = "".join(f"{user_id(secret.user)}\t{secret.kind}\t{secret.query}\n" for secret in secrets)
        if self._files.secrets is not None:
            self._files.secrets.write(lines.encode())


def _open(stack: ExitStack, path: str | Path | None, header: bytes) -> BinaryIO | None:
    if path is None:
        return None
    file = stack.enter_context(new_log_file(Path(path)))
    file.write(header)
    return file


def write_log(
    path: Path,
    *,
    users: int | None,
    rows: int | None,
    seed: int,
    population: str,
    secrets: str | Path | None,
    labels: str | Path | None,
    tasks: str | Path | None,
    progress: Advance,
) -> SynthReport:
    """See `crowdlog.log.synth.synthesize`."""
    _check(users, rows, seed)
    people = population_of(population)
    with ExitStack() as stack:
        log = stack.enter_context(new_log_file(path))
        log.write(HEADER)
        files = _Files(
            log,
            labels=_open(stack, labels, LABEL_HEADER),
            secrets=_open(stack, secrets, SECRETS_HEADER),
            tasks=_open(stack, tasks, TASK_HEADER),
        )
        run = _Run(seed, people, files)
        done = run.write(_NO_LIMIT if users is None else users, _NO_LIMIT if rows is None else rows, progress)
    return SynthReport(
        path=path,
        users=int(done[USERS]),
        rows=int(done[ROWS]),
        queries=int(done[QUERIES]),
        clicks=int(done[CLICKS]),
        secrets=run.planted,
        distinct=None if labels is None else int(done[DISTINCT]),
    )
