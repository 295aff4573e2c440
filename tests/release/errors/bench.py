"""What the cases of the error catalogue start from: a small log, a release of it, and ways to stop one."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.ledger import Ledger
from crowdlog.release import publish as publishing
from crowdlog.release.folder import Release
from crowdlog.release.place import find_place
from crowdlog.release.publish import open_ledger, publish
from tests.support.postgres import Cluster

MECHANISM = "DPu(epsilon=4, delta=1e-9, d=2)"
QUERY = "weather boston"  # a text of the log, which no sentence may hold


class Killed(BaseException):
    """kill -9, from within."""


def die(*_words: Any, **_options: Any) -> None:
    raise Killed


def fail(code: int) -> Callable[..., None]:
    """What a file operation does that fails with this error number."""

    def failing(*_words: Any, **_options: Any) -> None:
        raise OSError(code, os.strerror(code))

    return failing


full = fail(errno.ENOSPC)


@dataclass
class Bench:
    """A folder with a copy of the store (`log`) and of a release of it (`done`)."""

    folder: Path
    made: Path  # the originals
    patch: pytest.MonkeyPatch
    clusters: list[Cluster] = field(default_factory=list)
    charges: int = 1  # in the ledger before the error: that of `done`

    @cached_property
    def log(self) -> LogStore:
        shutil.copytree(self.made / "log-store", self.folder / "store")
        return LogStore.open(self.folder / "store")

    @cached_property
    def done(self) -> Release:
        shutil.copytree(self.made / "done", self.folder / "done")
        return Release.open(self.folder / "done")

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def publish(self, mechanism: str = MECHANISM, out: Path | None = None, **options: Any) -> Release:
        return publish(parse(mechanism), self.log, out or self.out, **options)

    def ledger(self) -> Ledger:
        return open_ledger(self.log)

    def journal(self, statement: str) -> None:
        """Somebody else's hand in the ledger."""
        with closing(sqlite3.connect(self.log.ledger())) as db, db:
            db.execute(statement)

    def charged(self, out: Path | None = None, mechanism: str = MECHANISM, delta: float | None = None) -> int:
        """A release that was killed after its charge; returns the charge's number."""
        from dataclasses import replace

        promise = parse(mechanism).promise()
        guarantee = promise.guarantee if delta is None else replace(promise.guarantee, delta=delta)
        self.charges += 1
        with self.ledger() as ledger:
            return ledger.charge(
                guarantee, repr(parse(mechanism)), str(out or self.out), steps=promise.accounting
            )

    def killed(self, before: str = "rename") -> Path:
        """A release that made its output and was killed before this step; returns the staged folder."""
        with self.patch.context() as patch:
            if before == "rename":
                patch.setattr(publishing, "give_final_name", die)
            else:
                patch.setattr(Ledger, "publish", die)
            with pytest.raises(Killed):
                self.publish()
        self.charges += 1
        return find_place(self.out).staged(self.log.info.id, self.charges)

    def after_it_counted(self, then: Callable[[], None]) -> None:
        """Do this after the charge, when the log was read and before the release is written."""
        kind = type(parse(MECHANISM))
        protect = kind.protect

        def protecting(*words: Any, **options: Any) -> Any:
            protected = protect(*words, **options)
            then()
            return protected

        self.patch.setattr(kind, "protect", protecting)

    def label(self, change: Callable[[dict[str, Any]], object], *, sealed: bool = True) -> Release:
        """The release with a label that somebody changed, with a seal that fits if `sealed`."""
        from crowdlog.release import seal

        path = self.done.path / "label.json"
        stored = json.loads(path.read_text(encoding="utf-8"))
        stored = change(stored) or stored
        if sealed and isinstance(stored, dict):
            stored = seal.sealed(stored)
        path.write_text(json.dumps(stored), encoding="utf-8")
        return Release.open(self.done.path)

    def table(self, content: pa.Table) -> Release:
        """The release with other queries, and a label that goes along with them."""
        import pyarrow.parquet as pq

        path = self.done.path / "queries.parquet"
        pq.write_table(content, path)
        hashes = {"queries": hashlib.sha256(path.read_bytes()).hexdigest()}
        return self.label(
            lambda stored: stored["crowdlog"].update(hashes=hashes, tables={"queries": content.num_rows})
        )

    def file(self, text: str | bytes, name: str = "file.tsv") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def postgres(self) -> Cluster:
        cluster = Cluster()
        self.clusters.append(cluster)
        cluster.start()
        return cluster

    def charges_now(self) -> list[str]:
        """The state of every charge as the ledger's file has it; nothing where it cannot be read."""
        try:
            with closing(sqlite3.connect(f"file:{self.log.ledger()}?mode=ro", uri=True)) as db:
                lines = [
                    json.loads(text) for (text,) in db.execute("SELECT content FROM journal ORDER BY number")
                ]
        except (sqlite3.Error, OSError, ValueError):
            return []
        states = [line["state"] for line in lines if line.get("what") == "charge"]
        for line in lines:
            if line.get("what") == "state":
                states[line["charge"] - 1] = line["state"]
        return states


Case = Callable[[Bench], object]
Cases = dict[str, dict[str, Case]]
