"""A simulated crowd: real HTTP requests of every client against real services, compared with FTu on the union
of the logs, table by table.

What is shared between simulated clients, and what is not: mining is done in one pass over the union (it
depends on each person's own rows only), and one process plays many clients over one connection. Everything
else each client does for herself: her credentials, her blinded evaluations, her reports with their proofs,
her envelopes, her requests. Every tenth client sends everything twice.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import TEXTS, MinedArtifact
from crowdlog.crowd.client.mining import mine_nested
from crowdlog.crowd.crypto.collection import MAX_SLOTS
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.shuffle import shuffled
from crowdlog.crowd.simulated_client import play_joining, play_mining, play_sending
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch
from crowdlog.files.whole import new_file
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.ft_u import FTu
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.progress import progress_bar
from crowdlog.release.folder import Release

_CHUNK = 25  # clients played in one task
_TWICE = 10  # every so many clients send twice
_POOL = 50  # envelopes that stay behind in the simulated mixes
_PROBE = (16, 4)  # people and artifacts of a first small collection, which tells how fast sending goes
_SPARE = 2  # the upload window is so many times what sending should take


def simulate(
    log_file: Path,
    *,
    k: int,
    workers: int,
    folder: Path,
    inner: str | None = None,
    inner_k: int = 0,
    cover: bool = False,
    services: type[LocalServices] = LocalServices,
) -> dict[str, Any]:
    """Run the whole collection on the users of a log and return counts, rates and whether the result is
    right. `inner`: a nested collection. `cover`: everybody sends as many reports as the one who has most.
    `services`: what runs them.
    """
    log = import_log([log_file], folder / "union")
    people = [
        found for _user, found in mine_nested(log, Artifact("query"), Artifact(inner) if inner else None)
    ]
    terms = replace(_terms(people, k, inner, inner_k), cover=cover)
    with ExitStack() as stack:
        no_limits = ["--rate", "0"]  # all clients come from one address here
        mixes = {f"mix{number}": [*no_limits, "--pool", str(_POOL), "--delay", "0.5"] for number in (1, 2)}
        options = {"randomness": [*no_limits, "--elements", "0"], "aggregation": no_limits, **mixes}
        running = stack.enter_context(services(folder / "services", options=options))
        pool = stack.enter_context(
            ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
        )
        rate = _sending_rate(running, pool)
        reports = len(people) * terms.limit if cover else sum(map(len, people))
        seconds = _SPARE * reports * (1 + 1 / _TWICE) / rate
        terms = replace(terms, upload_seconds=15 + int(seconds))
        timed = _collect(running, pool, people, terms, folder / "crowdlog")
    crowd_log = Release.open(folder / "crowdlog")
    kinds = {"query": k, **({inner: inner_k} if inner else {})}
    compared = [_compared(log, people, kind, bar, crowd_log) for kind, bar in kinds.items()]
    results = {name: value for result in compared for name, value in result.items()}
    equal = all(value for name, value in results.items() if name.endswith("equal"))
    return {
        "clients": len(people),
        "k": k,
        **({"inner k": inner_k} if inner else {}),
        **timed,
        **results,
        "equal": equal,
    }


def _terms(people: Sequence[list[MinedArtifact]], k: int, inner: str | None, inner_k: int) -> Terms:
    """A collection whose limits cut nobody short, so that it must equal FTu on the union."""
    inside = [[pair for item in found for pair in item.inner] for found in people]
    limit = max([1, *(sum(item.impressions for item in found) for found in [*people, *inside])])
    slots = max([1, *(len(item.inner) for found in people for item in found)])
    if slots > MAX_SLOTS:
        raise InputError(
            f"Somebody has {slots} of kind '{inner}' for one query and a report holds {MAX_SLOTS}; "
            "let fewer rows take part."
        )
    flat = Terms("Simulated crowd", k, limit=limit, count="impressions", cover=False)
    return replace(flat, inner_artifact=inner, inner_k=inner_k, inner_slots=slots) if inner else flat


def _sending_rate(services: LocalServices, pool: ProcessPoolExecutor) -> float:
    """How many reports a second leave, measured with a small collection that is cancelled: windows are terms,
    and nobody can end one earlier.
    """
    count, artifacts = _PROBE
    found = [[MinedArtifact((f"{number}",), 1) for number in range(artifacts)]] * count
    with services.operator() as operator:
        terms = Terms("How fast", 5, limit=artifacts, cover=False, upload_seconds=86_400)
        manifest, invitations = operator.create(terms, count)
        terms_json = manifest.to_json()
        joined = _spread(
            pool, partial(play_joining, terms_json), invitations, "Trying", "clients", count // 4
        )
        mining = list(zip(joined, found, strict=True))
        sealed = _spread(pool, partial(play_mining, terms_json), mining, "Trying", "clients", count // 4)
        operator.close(manifest.id)
        operator.wait_open(manifest.id)
        started = time.perf_counter()
        sending = list(chain.from_iterable(sealed))
        _spread(pool, partial(play_sending, terms_json), sending, "Trying", "reports", count // 4)
        spent = time.perf_counter() - started
        operator.cancel(manifest.id)
    return len(sending) / spent


def synthetic_crowd(path: Path, *, clients: int, rows: int, seed: int) -> Path:
    """Write the synthetic log of so many people, each cut to her first rows (0: not cut)."""
    if rows == 0:
        synthesize(path, users=clients, seed=seed)
        return path
    with Scratch("crowd") as folder:
        synthesize(folder / "whole.tsv", users=clients, seed=seed)
        first_rows(folder / "whole.tsv", path, rows)
    return path


def first_rows(whole: Path, path: Path, rows: int) -> None:
    """Copy the header and each user's first rows."""
    seen: Counter[bytes] = Counter()
    with whole.open("rb") as lines, new_file(path) as cut:
        cut.write(next(lines))
        for line in lines:
            user = line.split(b"\t", 1)[0]
            seen[user] += 1
            if seen[user] <= rows:
                cut.write(line)


def _collect(
    services: LocalServices,
    pool: ProcessPoolExecutor,
    people: Sequence[list[MinedArtifact]],
    terms: Terms,
    out: Path,
) -> dict[str, Any]:
    """Create, join and mine, close, send, publish: with real requests, and the time of each step."""
    with services.operator() as operator:
        manifest, invitations = operator.create(terms, len(people))
        started = time.perf_counter()
        terms_json = manifest.to_json()
        joined = _spread(pool, partial(play_joining, terms_json), invitations, "Joining", "clients")
        mining = list(zip(joined, people, strict=True))
        sealed = _spread(pool, partial(play_mining, terms_json), mining, "Mining", "clients")
        mined = time.perf_counter()
        operator.close(manifest.id)
        operator.wait_open(manifest.id)
        # In an order that has nothing to do with the clients, as the moments that clients draw have.
        twice = chain.from_iterable(sealed + sealed[::_TWICE])
        sending = shuffled(twice, SystemRandomness())
        _spread(pool, partial(play_sending, terms_json), sending, "Sending", "reports")
        sent = time.perf_counter()
        operator.publish(manifest.id, out)
        published = time.perf_counter()
        operator.release(manifest.id)
        status = operator.status(manifest.id)
    reports = sum(map(len, sealed))
    return {
        "reports": reports,
        "of these empty": reports - sum(map(len, people)),
        "received": status["received"],
        "smallest batches": [mix["smallest_batch"] for mix in status["mixes"]],
        "seconds joining and mining": round(mined - started, 1),
        "seconds sending": round(sent - mined, 1),
        "seconds until published": round(published - sent, 1),
        "reports sent per second": round(len(sending) / (sent - mined), 1),
    }


def _spread(
    pool: ProcessPoolExecutor,
    task: Any,
    items: Sequence[Any],
    title: str,
    unit: str,
    chunk_size: int = _CHUNK,
) -> list[Any]:
    """Run a task on chunks of items in the pool; return the results in order."""
    chunks = [items[start : start + chunk_size] for start in range(0, len(items), chunk_size)]
    results = []
    with progress_bar(title, len(items), unit=unit) as advance:
        for chunk, result in zip(chunks, pool.map(task, chunks), strict=True):
            results.append(result)
            advance(len(chunk))
    return list(chain.from_iterable(results))


def _compared(
    log: LogStore, people: Sequence[list[MinedArtifact]], kind: str, k: int, crowd_log: Release
) -> dict[str, Any]:
    """Compare a table with FTu on the union: the same artifacts, the same impressions, and the true number of
    people of each.
    """
    table = Artifact(kind).table
    wanted = _rows(FTu(k=k, artifact=kind).protect(log, SystemRandomness()).tables[table], table)
    got = _rows(crowd_log.table(table), table)
    users = Counter(
        item.texts
        for found in people
        for outer in found
        for item in ((outer,) if kind == "query" else outer.inner)
    )
    same = {texts: row["count"] for texts, row in got.items()} == {
        texts: row["count"] for texts, row in wanted.items()
    }
    return {
        f"{table}": len(users),
        f"{table} published": len(got),
        f"{table} published by FTu on the union": len(wanted),
        f"{table} published below k": sum(users[texts] < k for texts in got),
        f"{table} equal": same and all(users[texts] == row["users"] for texts, row in got.items()),
    }


def _rows(table: Any, name: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The rows of a table by their texts."""
    return (
        {tuple(row[column] for column in TEXTS[name]): row for row in table.to_pylist()}
        if table is not None
        else {}
    )
