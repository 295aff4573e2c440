"""Kills releases and resumptions at every file event, and lets them race. Run as a program of its own:

    python -m tests.support.release_kills {release,resume,race} STORE FOLDER

It forks before anything starts a thread: a kill costs milliseconds and not the start of an interpreter.
Ends with code 0 and a line of counts, or with the assertion that failed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.errors import CrowdlogError
from crowdlog.log.store import LogStore
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.ledger_book import Entry
from crowdlog.release.promise import Promise, Protected, Step
from crowdlog.release.publish import open_ledger, publish
from crowdlog.release.resume import resume

REFUSED = 10  # exit code of a child that got a sentence
CHANGES = {
    "os.rename",
    "os.mkdir",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.chmod",
    "fcntl.flock",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Coin:
    """A mechanism whose outputs can be told apart: 56 random bits, also in the label."""

    title = "One random number"
    source = ""
    unsafe = False
    pause = 0.0

    def promise(self) -> Promise:
        return Promise(
            approximate(1.0, 1e-9), (Step("draw", "one number", 1.0, 1e-9),), accounting=({"step": "coin"},)
        )

    def doubts(self, _users: int) -> tuple[str, ...]:
        return ()

    def protect(self, log: LogStore, randomness: Any, **_options: Any) -> Protected:
        time.sleep(self.pause)
        number = int.from_bytes(randomness.bytes(7))
        return Protected({"queries": pa.table({"query": ["weather"], "count": [number]})}, {"draw": number})

    def check_inputs(self) -> None:
        return

    def check_log(self, _log: LogStore) -> None:
        return

    def __repr__(self) -> str:
        return "Coin()"


class Events:
    """Counts what this process does to files below a folder; at the given number it kills itself before."""

    def __init__(self, folder: Path, kill_at: int) -> None:
        self.folder, self.kill_at, self.count = str(folder), kill_at, 0
        sys.addaudithook(self._hear)
        sync, write, connect = os.fsync, pq.write_table, sqlite3.connect

        def traced(*words: Any, **options: Any) -> sqlite3.Connection:
            connection = connect(*words, **options)
            connection.set_trace_callback(self.happens)  # told before each BEGIN, UPDATE, COMMIT
            return connection

        sqlite3.connect = traced
        os.fsync = lambda handle: (self.happens(), sync(handle), self.happens())[1]
        pq.write_table = lambda *words, **options: (self.happens(), write(*words, **options), self.happens())[
            1
        ]

    def happens(self, *_what: Any) -> None:
        self.count += 1
        if self.count == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def _hear(self, event: str, words: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and self._writes(*words)):
            self.happens()

    def _writes(self, path: Any, _mode: Any, flags: Any) -> bool:
        if not isinstance(flags, int) or isinstance(path, int):
            return False
        return bool(flags & WRITING) and os.fsdecode(path).startswith(self.folder)


def start(
    action: Callable[[], Any], folder: Path, kill_at: int = 0, gate: tuple[int, int] | None = None
) -> int:
    """Do it in a fork; with a gate (a pipe), when its parent closes it. Returns the process."""
    child = os.fork()
    if child:
        return child
    try:
        if gate is not None:
            os.close(gate[1])
            os.read(gate[0], 1)
        Events(folder, kill_at)
        action()
    except CrowdlogError as error:
        (folder / f"refusal-{os.getpid()}").write_text(str(error))
        os._exit(REFUSED)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def wait(child: int) -> int:
    """Its exit code, or minus the signal that killed it."""
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, REFUSED, -signal.SIGKILL), f"a child failed with {code}"
    return code


class World:
    """A fresh copy of the store in a folder of its own, and the release OUT to be made from it."""

    def __init__(self, store: Path, folder: Path, name: str = "store") -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(store, folder / name)
        self.log = LogStore.open(folder / name)
        self.out = folder / "out"
        self.seen = folder / "seen"

    def release(self, out: str = "out") -> None:
        publish(Coin(), self.log, self.folder / out)

    def resume(self, **options: Any) -> None:
        resume(self.log, lambda _text: Coin(), **options)

    def run(self, action: Callable[[], Any], kill_at: int = 0) -> int:
        return wait(start(action, self.folder, kill_at))

    def entries(self) -> list[Entry]:
        with open_ledger(self.log) as ledger:
            return ledger.entries()

    def shown(self) -> dict[str, tuple[int, int]]:
        """Charge and draw of every folder that somebody could have seen. One without a label fails here."""
        found = {}
        for path in self.folder.iterdir():
            if path.is_dir() and not path.name.startswith("store") and ".partial" not in path.name:
                label = json.loads((path / "label.json").read_text())["crowdlog"]
                assert {"queries.parquet", "index.html", "explanation.md"} <= {
                    file.name for file in path.iterdir()
                }
                found[path.name] = (label["charge"], label["notes"]["draw"])
        return found

    def move_away(self) -> None:
        """The owner sees a complete folder and takes it away."""
        if self.out.exists():
            assert not self.seen.exists(), "two outputs for one charge"
            self.out.rename(self.seen)

    def check_one_output(self) -> None:
        entries, shown = self.entries(), self.shown()
        assert len(entries) <= 1, "charged twice"
        assert entries or not shown, "a release without a charge"
        assert len(shown) <= 1, f"two outputs for one charge: {shown}"

    def settle(self) -> None:
        """Nobody interferes any more: the charge, if any, comes to an end with the output that was seen."""
        code = self.run(self.resume)
        self.check_one_output()
        if self.seen.exists() and self.entries()[0].state != "published":
            assert code == REFUSED
            assert "never drawn a second time" in self.refusal()
            assert self.run(lambda: self.resume(to=self.seen)) == 0
        self.check_one_output()
        for entry in self.entries():
            assert entry.state == "published"
            assert [charge for charge, _draw in self.shown().values()] == [entry.id]
            assert not list(self.folder.glob("*.partial*")), "left over"
        assert self.run(self.resume) == 0

    def refusal(self) -> str:
        return max(self.folder.glob("refusal-*"), key=lambda path: path.stat().st_mtime_ns).read_text()


def worlds(store: Path, folder: Path) -> Iterator[World]:
    for number in itertools.count():
        world = World(store, folder / str(number))
        yield world
        shutil.rmtree(world.folder)


def kill_release(store: Path, folder: Path) -> dict[str, int]:
    """At every event of a release; the folder, if it can be seen, stays or is moved away; then resumed."""
    kills = charged = moved = 0
    fresh = worlds(store, folder)
    for moving in (False, True):
        for kill_at in itertools.count(1):
            world = next(fresh)
            killed = world.run(world.release, kill_at) != 0
            world.check_one_output()
            if moving:
                world.move_away()
            charged += bool(world.entries())
            moved += world.seen.exists()
            world.settle()
            if not killed:
                break
            kills += 1
    assert kills > 60
    assert charged > 30
    assert moved >= 3
    return {"kills": kills, "charged": charged, "moved": moved}


def kill_resume(store: Path, folder: Path) -> dict[str, int]:
    """At every event of a resumption, of releases that were killed at many moments; then resumed again."""
    kills = moved = 0
    fresh = worlds(store, folder)
    for first, moving in itertools.product(_moments(fresh), (False, True)):
        for kill_at in itertools.count(1):
            world = next(fresh)
            world.run(world.release, first)
            killed = world.run(world.resume, kill_at) == -signal.SIGKILL
            world.check_one_output()
            if moving:
                world.move_away()
                world.run(world.resume, kill_at)  # killed a second time, or not
                world.check_one_output()
            moved += world.seen.exists()
            world.settle()
            if not killed:
                break
            kills += 1
    assert kills > 60
    assert moved > 10
    return {"kills": kills, "moved": moved}


def _moments(fresh: Iterator[World]) -> list[int]:
    """Where to kill the release: at the last event of each state in which a resumption can find it."""
    states: dict[str, int] = {}
    for kill_at in itertools.count(1):
        world = next(fresh)
        if world.run(world.release, kill_at) == 0:
            break
        for entry in world.entries():
            place = "shown" if world.out.exists() else "hidden"
            states[f"{entry.state}, {place}"] = kill_at
    return [moment for state, moment in states.items() if not state.startswith("published")]


def race(store: Path, folder: Path) -> dict[str, int]:
    """release ‖ resume ‖ release: to one folder or to two, from one store or from two,
    some killed at random.
    """
    draws = random.Random(7)
    counts = {"rounds": 50, "released": 0, "refused": 0, "killed": 0}
    for number in range(counts["rounds"]):
        world = World(store, folder / f"race{number}")
        other = World(store, world.folder, "store of others") if number % 5 == 4 else world
        outs = ["out", "out" if number % 2 or other is not world else "out2"]
        kill_at = draws.randrange(20, 80) if number % 3 == 0 and other is world else 0
        codes = _at_once(world, other, outs, kill_at, draws)
        counts["released"] += codes.count(0)
        counts["refused"] += codes.count(REFUSED)
        counts["killed"] += codes.count(-signal.SIGKILL)
        assert world.run(world.resume) == 0, "what was killed can be resumed"
        _check_race(world, other, outs, codes)
        _check_left_over(world)
        shutil.rmtree(world.folder)
    assert min(counts.values()) > 0, counts
    return counts


def _at_once(world: World, other: World, outs: list[str], kill_at: int, draws: random.Random) -> list[int]:
    """The exit codes of the two releases."""
    gate = os.pipe()

    def delayed(action: Callable[[], Any]) -> Callable[[], Any]:
        wait_before, wait_drawing = draws.uniform(0, 0.004), draws.uniform(0, 0.01)

        def run() -> None:
            Coin.pause = wait_drawing
            time.sleep(wait_before)
            action()

        return run

    def resume_often() -> None:
        for _time in range(10):
            with contextlib.suppress(CrowdlogError):
                world.resume()
            time.sleep(0.001)

    one, two = delayed(lambda: world.release(outs[0])), delayed(lambda: other.release(outs[1]))
    children = [
        start(one, world.folder, kill_at, gate),
        start(delayed(resume_often), world.folder, 0, gate),
        start(two, world.folder, 0, gate),
    ]
    for end in gate:
        os.close(end)
    codes = [wait(child) for child in children]
    return [codes[0], codes[2]]


def _check_race(world: World, other: World, outs: list[str], codes: list[int]) -> None:
    shown = world.shown()
    entries = world.entries() + (other.entries() if other is not world else [])
    places = [Path(entry.out).name for entry in entries]
    assert len(places) == len(set(places)), "one OUT was charged twice"
    assert all(entry.state == "published" for entry in entries)
    assert sorted(places) == sorted(shown), "a charge was lost, or a release not charged"
    assert all(shown[Path(entry.out).name][0] == entry.id for entry in entries)
    for out, code in zip(outs, codes, strict=True):
        assert code != 0 or out in shown


def _check_left_over(world: World) -> None:
    """Nothing, once something was charged. Before that nobody knows the place of a release that was killed:
    it leaves an empty reservation, and the next release to that place removes it.
    """
    left = sorted(world.folder.glob("*.partial*"))
    if not left:
        return
    assert not world.entries(), "left over although resume knows the place"
    assert {file.name for folder in left for file in folder.iterdir()} <= {"lock", "trial"}
    for folder in left:
        out = folder.name.partition(".partial")[0]
        assert world.run(partial(world.release, out)) == 0
    assert not list(world.folder.glob("*.partial*"))


if __name__ == "__main__":
    pa.table({"count": [1]})  # loads pandas, once and not in every fork
    mode, source, to = sys.argv[1:]
    run = {"release": kill_release, "resume": kill_resume, "race": race}[mode]
    print(json.dumps(run(Path(source), Path(to))))
