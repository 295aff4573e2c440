"""What the dashboard works on: a folder with stores, releases and an inbox, and a database of requests."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdlog.crowd.services.storage import Database, open_database
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.log.store import LogStore
from crowdlog.privacy.randomness import Randomness, SystemRandomness
from crowdlog.web.accounts import SCHEMA as ACCOUNTS
from crowdlog.web.accounts import Accounts

LONGEST = 60
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._\-]{{0,{LONGEST - 1}}}")
_FIELDS = (
    *("id", "log", "mechanism", "people", "why", "asked_by", "asked", "state"),
    *("decided_by", "decided", "answer", "out", "rhythm", "next_run"),
)
_JOB_FIELDS = ("id", "kind", "log", "state", "begun", "ended", "told", "who", "request")
STOPPED = "The server was stopped. If the release was charged, press Resume: it costs nothing more."
_STOP_SECONDS = 10
SCHEMA = (
    *ACCOUNTS,
    "CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, log TEXT, mechanism TEXT, people BIGINT, "
    "why TEXT, asked_by TEXT, asked BIGINT, state TEXT, decided_by TEXT, decided BIGINT, answer TEXT, "
    "out TEXT, rhythm TEXT, next_run BIGINT)",
    "CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, kind TEXT, log TEXT, state TEXT, begun BIGINT, "
    "ended BIGINT, told TEXT, who TEXT, request TEXT)",
    # What each approval was given for, as a hash: it holds for nothing else.
    "CREATE TABLE IF NOT EXISTS approved (request TEXT PRIMARY KEY, terms TEXT)",
    "CREATE TABLE IF NOT EXISTS audit (time BIGINT, who TEXT, what TEXT)",
)


def named(name: str) -> str:
    """A name that is a folder's and nothing more, or InputError."""
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise InputError(f"A name has letters, digits, '-', '_' and '.', at most {LONGEST}.")
    return name


@dataclass(frozen=True)
class ReleaseRequest:
    """Somebody asks for a release; another one says yes or no."""

    id: str
    log: str
    mechanism: str
    people: int
    why: str
    asked_by: str
    asked: int
    state: str  # waiting, approved, refused
    decided_by: str
    decided: int
    answer: str
    out: str
    rhythm: str
    next_run: int


@dataclass(frozen=True)
class WebJob:
    """Work that takes longer than a page. `state`: running, done, failed, interrupted, or
    repeated: it ended badly and was tried again.
    """

    id: str
    kind: str
    log: str
    state: str
    begun: int
    ended: int
    told: str
    who: str
    request: str


@dataclass(frozen=True)
class WebStage:
    """How far running work is: the stage, what is done of it, and the whole if it is known."""

    title: str
    done: int
    total: int | None

    @property
    def share(self) -> float | None:
        """From 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else None


class Workspace:
    """The folder and the database. `stages`: how far the work of this process is, by the job's number;
    `running`: its processes and the threads that wait for them.
    """

    def __init__(self, folder: Path, url: str | None = None, randomness: Randomness | None = None) -> None:
        self.folder = folder
        self.randomness = randomness or SystemRandomness()
        for name in ("", "stores", "releases", "inbox", "comparisons"):
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.database: Database = open_database(url, folder / "dashboard.sqlite", SCHEMA)
        self.accounts = Accounts(self.database, self.randomness)
        self.stages: dict[str, WebStage] = {}
        self.running: dict[str, tuple[subprocess.Popen[str], threading.Thread]] = {}
        self.closing = False

    def close(self) -> None:
        """Stop the work that runs, then close the database: no thread is left that would write to it."""
        self.closing = True
        for process, thread in list(self.running.values()):
            process.terminate()  # a release that is stopped this way cleans up; a charged one is resumed
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            thread.join()
        self.database.close()

    def store(self, name: str) -> LogStore:
        """The log of this name. Who has no business on the server's disk is not told its paths."""
        place = self.folder / "stores" / named(name)
        if not (place / "store.json").is_file():
            raise InputError("There is no log of this name.")
        return LogStore.open(place)

    def logs(self) -> list[str]:
        """The names of all logs, also of those that are damaged."""
        return sorted(p.name for p in (self.folder / "stores").iterdir() if (p / "store.json").is_file())

    def told(self, error: CrowdlogError | str) -> str:
        """A sentence as pages show it: places are named as seen from this folder, however it is spelled."""
        whole = {str(self.folder.resolve()), str(self.folder.absolute())}
        spelled = sorted(map(re.escape, whole), key=len, reverse=True)
        # A path begins here: the end of a longer name, or of another path if this one is relative, is none.
        places = rf"(?<![\w.~-])(?:{'|'.join(spelled)})/|(?<![\w./~-]){re.escape(str(self.folder))}/"
        return re.sub(places, "", str(error))

    def releases(self) -> list[str]:
        found = sorted(p.name for p in (self.folder / "releases").iterdir() if (p / "label.json").is_file())
        return found[::-1]

    def site_made(self) -> int:
        """When the public site was last made; 0 if never."""
        try:
            return int((self.folder / "public" / "index.html").stat().st_mtime)
        except FileNotFoundError:
            return 0

    def new_id(self) -> str:
        return self.randomness.bytes(8).hex()

    def note(self, who: str, what: str) -> None:
        """A line of the audit trail: names and actions, never text of a log."""
        with self.database.transaction() as t:
            t.run("INSERT INTO audit (time, who, what) VALUES (?, ?, ?)", (int(time.time()), who, what))

    def audit(self) -> list[tuple[Any, ...]]:
        with self.database.transaction() as t:
            return list(t.rows("SELECT time, who, what FROM audit ORDER BY time DESC LIMIT 500"))

    def ask(self, request: ReleaseRequest) -> None:
        values = tuple(getattr(request, name) for name in _FIELDS)
        marks = ", ".join("?" * len(_FIELDS))
        with self.database.transaction() as t:
            t.run(f"INSERT INTO requests ({', '.join(_FIELDS)}) VALUES ({marks})", values)

    def requests(self) -> list[ReleaseRequest]:
        with self.database.transaction() as t:
            rows = t.rows(f"SELECT {', '.join(_FIELDS)} FROM requests ORDER BY asked DESC")
        return [ReleaseRequest(*row) for row in rows]

    def request(self, number: str) -> ReleaseRequest:
        found = [request for request in self.requests() if request.id == number]
        if not found:
            raise InputError("There is no such request.")
        return found[0]

    def decide(
        self,
        request: ReleaseRequest,
        who: str,
        state: str,
        answer: str,
        next_run: int = 0,
        terms: str = "",
    ) -> bool:
        """Whether this decision was the first: two people may press at once, and one release is started.
        `terms`: what it was given for.
        """
        with self.database.transaction() as t:
            changed = t.run(
                "UPDATE requests SET state = ?, decided_by = ?, decided = ?, answer = ?, next_run = ? "
                "WHERE id = ? AND state = 'waiting'",
                (state, who, int(time.time()), answer, next_run, request.id),
            )
            if changed == 1 and terms:
                t.run("INSERT INTO approved (request, terms) VALUES (?, ?)", (request.id, terms))
        return bool(changed == 1)

    def approved_terms(self, request: ReleaseRequest) -> str | None:
        """What the approval of this request was given for; None if nobody noted it."""
        with self.database.transaction() as t:
            rows = t.rows("SELECT terms FROM approved WHERE request = ?", (request.id,))
        return str(rows[0][0]) if rows else None

    def set_next_run(self, request: ReleaseRequest, next_run: int) -> bool:
        """Whether this was the first to move the schedule on from where the request stands."""
        with self.database.transaction() as t:
            changed = t.run(
                "UPDATE requests SET next_run = ? WHERE id = ? AND next_run = ?",
                (next_run, request.id, request.next_run),
            )
        return bool(changed == 1)

    def begin_job(self, kind: str, log: str, who: str, request: str = "", begun: int | None = None) -> str:
        """Its number grows from job to job: two that begin in one second keep their order."""
        number = f"{time.time_ns():016x}{self.randomness.bytes(4).hex()}"
        moment = int(time.time()) if begun is None else begun
        values = (number, kind, log, "running", moment, 0, "", who, request)
        with self.database.transaction() as t:
            t.run(f"INSERT INTO jobs ({', '.join(_JOB_FIELDS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        return number

    def end_job(self, number: str, state: str, told: CrowdlogError | str) -> None:
        with self.database.transaction() as t:
            values = (state, self.told(told), int(time.time()), number)
            t.run("UPDATE jobs SET state = ?, told = ?, ended = ? WHERE id = ?", values)

    def take_job(self, number: str) -> bool:
        """Whether this was the first to try work again that ended badly."""
        with self.database.transaction() as t:
            changed = t.run(
                "UPDATE jobs SET state = 'repeated' WHERE id = ? AND state IN ('failed', 'interrupted')",
                (number,),
            )
        return bool(changed == 1)

    def jobs(self, log: str | None = None) -> list[WebJob]:
        with self.database.transaction() as t:
            rows = t.rows(f"SELECT {', '.join(_JOB_FIELDS)} FROM jobs ORDER BY begun DESC, id DESC")
        return [WebJob(*row) for row in rows if log is None or row[2] == log]

    def interrupt_jobs(self) -> int:
        """Called when the server starts: nothing runs then, so what was running was stopped with it."""
        with self.database.transaction() as t:
            values = (STOPPED, int(time.time()))
            stopped: int = t.run(
                "UPDATE jobs SET state = 'interrupted', told = ?, ended = ? WHERE state = 'running'", values
            )
        return stopped
