"""Long work of the dashboard: each job is a crowdlog command in a process that ends with the server."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from crowdlog.number_format import amount
from crowdlog.web.workspace import STOPPED, WebStage, Workspace

_PR_SET_PDEATHSIG = 1


def start(
    workspace: Workspace,
    kind: str,
    log: str,
    who: str,
    words: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
    request: str = "",
    begun: int | None = None,
    then: Callable[[bool], Any] | None = None,
) -> str:
    """Run a command in the background and return the job's number. `then` is told that it has ended, and
    whether well.
    `environment`: what the command is told beside its words; `begun`: when, if not now.
    """
    number = workspace.begin_job(kind, log, who, request, begun)
    process = subprocess.Popen(
        [sys.executable, "-m", "crowdlog.cli", "--log-format", "json", *words, "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
        preexec_fn=_die_with_parent if sys.platform == "linux" else None,
    )
    waiting = threading.Thread(target=_wait, args=(workspace, number, process, then), daemon=True)
    workspace.running[number] = (process, waiting)
    waiting.start()
    return number


def _die_with_parent() -> None:
    """A release must not run on when the server that shows it was killed: it is resumed instead."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _wait(
    workspace: Workspace, number: str, process: subprocess.Popen[str], then: Callable[[bool], Any] | None
) -> None:
    stdout, stderr = cast("IO[str]", process.stdout), cast("IO[str]", process.stderr)
    told: deque[str] = deque(maxlen=50)
    follower = threading.Thread(target=follow, args=(workspace, number, stderr, told), daemon=True)
    follower.start()
    with stdout:
        out = stdout.read()
    follower.join()
    try:
        if process.wait() == 0:
            workspace.end_job(number, "done", _told(out))
        elif workspace.closing:
            workspace.end_job(number, "interrupted", STOPPED)
        else:
            workspace.end_job(number, "failed", _sentence(told))
        if then is not None:
            then(
                process.returncode == 0
            )  # before it counts as ended: who waits for the end finds everything cleaned up
    finally:
        workspace.stages.pop(number, None)
        workspace.running.pop(number, None)


def follow(workspace: Workspace, number: str, stderr: IO[str], told: deque[str]) -> None:
    """Read the work's structured log: how far it is, and what it said last."""
    with stderr:
        for line in stderr:
            told.append(line)
            try:
                event = json.loads(line)
                stage = WebStage(event["stage"], event.get("done", 0), event.get("total"))
            except (ValueError, KeyError, TypeError):
                continue
            if event["event"] != "end":
                workspace.stages[number] = stage


def _told(out: str) -> str:
    """What an import wants its owner to read; never a query."""
    try:
        answer = json.loads(out)
    except ValueError:
        return ""
    notes = list(answer.get("notes", []))
    if {"rows", "users", "clicks"} <= answer.keys():
        read = f"{amount(answer['rows'], 'row')} of {amount(answer['users'], 'user')}"
        notes.insert(0, f"Read: {read}, with {amount(answer['clicks'], 'click')}.")
    rejected = answer.get("rejected") or {}
    if rejected:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in rejected.items())
        notes.append(f"{sum(rejected.values()):,} rows could not be read ({reasons}).")
    return " ".join(notes)


def _sentence(errors: Iterable[str]) -> str:
    """The error as the command said it: a sentence without text of the log."""
    for line in reversed(list(errors)):
        try:
            return str(json.loads(line)["error"]["message"])
        except (ValueError, KeyError, TypeError):
            continue
    return "The work ended without a word."


def remove(path: Path) -> None:
    """An upload is not kept once it was imported, or could not be."""
    path.unlink(missing_ok=True)
