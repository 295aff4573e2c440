"""A simulated crowd: real HTTP requests of every client against real services, compared with FTu on the union of the logs.

What is shared between simulated clients, and what is not: mining is done in one pass over the union (it depends on each person's own rows only),
and one process plays many clients over one connection. Everything else each client does for herself: her credential, her blinded evaluations,
her reports with their proofs, her envelopes, her requests. Every tenth client sends everything twice.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import Found
from crowdlog.crowd.client.mining import mine_each
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.play import play_mining, play_sending
from crowdlog.crowd.services.local import LocalServices
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.frequency import FTu
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.progress import progress_bar
from crowdlog.release.folder import Release

_CHUNK = 25  # clients played in one task
_TWICE = 10  # every so many clients send twice
_BATCH = 50  # smallest batch of the simulated mixes


def simulate(log_file: Path, *, k: int, workers: int, folder: Path) -> dict[str, Any]:
    """Run the whole collection on the users of a log and return counts, rates and whether the result is right."""
    log = import_log([log_file], folder / "union")
    people = [found for _user, found in mine_each(log, Artifact("query"))]
    with ExitStack() as stack:
        no_limits = ["--rate", "0"]  # all clients come from one address here
        mixes = {f"mix{number}": [*no_limits, "--batch", str(_BATCH), "--delay", "0.5"] for number in (1, 2)}
        options = {"randomness": [*no_limits, "--elements", "0"], "aggregation": no_limits, **mixes}
        services = stack.enter_context(LocalServices(folder / "services", options=options))
        pool = stack.enter_context(ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")))
        timed = _collect(services, pool, people, k, folder / "crowdlog")
    return {"clients": len(people), "k": k, **timed, **_compared(log, people, k, Release.open(folder / "crowdlog"))}


def synthetic_crowd(path: Path, *, clients: int, rows: int, seed: int) -> Path:
    """Write the synthetic log of so many people, each cut to her first rows (0: not cut)."""
    whole = path.with_name(path.name + ".whole")
    synthesize(whole, users=clients, seed=seed)
    if rows == 0:
        return whole.rename(path)
    first_rows(whole, path, rows)
    whole.unlink()
    return path


def first_rows(whole: Path, path: Path, rows: int) -> None:
    """Copy the header and each user's first rows."""
    seen: Counter[bytes] = Counter()
    with whole.open("rb") as lines, path.open("wb") as cut:
        cut.write(next(lines))
        for line in lines:
            user = line.split(b"\t", 1)[0]
            seen[user] += 1
            if seen[user] <= rows:
                cut.write(line)


def _collect(services: LocalServices, pool: ProcessPoolExecutor, people: Sequence[list[Found]], k: int, out: Path) -> dict[str, Any]:
    """Create, join and mine, close, send, publish: with real requests, and the time of each step."""
    terms = Terms("Simulated crowd", k, limit=max(1, *map(len, people)), count="impressions")
    with services.operator() as operator:
        manifest, invitations = operator.create(terms, len(people))
        started = time.perf_counter()
        play = partial(play_mining, manifest.to_json(), operator.aggregation.url)
        sealed = _spread(pool, play, list(zip(invitations, people, strict=True)), "Joining and mining")
        mined = time.perf_counter()
        operator.close(manifest.id)
        _spread(pool, partial(play_sending, manifest.mix_url), sealed + sealed[::_TWICE], "Sending")
        sent = time.perf_counter()
        smallest = operator.drain()
        arrived = time.perf_counter()
        status = operator.status(manifest.id)
        operator.publish(manifest.id, out)
    reports = sum(map(len, sealed))
    return {
        "reports": reports,
        "received": status["received"],
        "smallest batch": smallest,
        "groups": status["groups"],
        "groups at the bar": status["at_bar"],
        "seconds joining and mining": round(mined - started, 1),
        "seconds sending": round(sent - mined, 1),
        "seconds until all arrived": round(arrived - sent, 1),
        "seconds publishing": round(time.perf_counter() - arrived, 1),
        "reports per second, sent to counted": round(reports / (arrived - mined), 1),
    }


def _spread(pool: ProcessPoolExecutor, task: Any, items: Sequence[Any], title: str) -> list[Any]:
    """Run a task on chunks of items in the pool; return the results in order."""
    chunks = [items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK)]
    results = []
    with progress_bar(title, len(items), unit="clients") as advance:
        for chunk, result in zip(chunks, pool.map(task, chunks), strict=True):
            results.append(result)
            advance(len(chunk))
    return list(chain.from_iterable(results))


def _compared(log: LogStore, people: Sequence[list[Found]], k: int, crowd_log: Release) -> dict[str, Any]:
    """Compare with FTu on the union: the same artifacts, the same impressions, and the true number of people of each."""
    wanted = FTu(k=k).protect(log, SystemRandomness()).tables["queries"]
    got = crowd_log.queries()
    users = Counter(item.texts[0] for found in people for item in found)
    rows = [] if got is None else got.to_pylist()
    right_people = all(users[row["query"]] == row["users"] for row in rows)
    same = {row["query"]: row["count"] for row in rows} == {row["query"]: row["count"] for row in wanted.to_pylist()}
    return {
        "artifacts": len(users),
        "published": len(rows),
        "published by FTu on the union": wanted.num_rows,
        "published below k": sum(users[row["query"]] < k for row in rows),
        "equal": same and right_people,
    }
