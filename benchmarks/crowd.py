"""What the services of a collection cost, measured on real processes, and aggregation from disk.

Usage: python benchmarks/crowd.py [--only flat|nested|rates|aggregation] [--clients N] [--rows N] [--cover]

With TMPDIR=/dev/shm the services' folders lie in memory: on a disk the first mix takes as many envelopes a
second as the disk can be forced to, and the simulated upload window is as long.

Aggregation reads reports from the server's own database, groups them, opens the groups of k people and
forgets each group before the next: the memory it needs is that of the largest group and of what is published.
Published for comparison: STAR (CCS 2022) aggregates a million reports in about 21 s, in memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crowd_crypto import bare_reports

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.collection import ISSUERS
from crowdlog.crowd.crypto.credential import IssuerKey
from crowdlog.crowd.crypto.envelope import MixKey, open_layer
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.crypto.voprf import VoprfKey
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest, Party
from crowdlog.crowd.operator import Operator
from crowdlog.crowd.request_chunks import MOST_ENVELOPES
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.handover import batch_message
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulate import simulate, synthetic_crowd
from crowdlog.crowd.simulated_client import play_joining, play_mining, play_sending
from crowdlog.crowd.slots import Submission
from crowdlog.crowd.terms import PartyKeys, Terms
from crowdlog.privacy.randomness import SystemRandomness

RANDOMNESS = SystemRandomness()
K = 20
BATCH = 100  # envelopes that a mix with the default pool passes on at once


class Metered(LocalServices):
    """Tells the CPU seconds and the peak memory of each service before it stops them."""

    def spent(self) -> dict[str, float]:
        """CPU seconds of each service that runs."""
        return {name: _spent(process.pid) for name, process in self.processes.items()}

    def stop(self) -> None:
        for name, process in self.processes.items():
            if Path(f"/proc/{process.pid}/stat").exists():
                memory = _peak_mb(process.pid)
                print(f"{name:40} {_spent(process.pid):12.1f} s of CPU, {memory:.0f} MB")
        super().stop()


def _spent(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    """The most memory a running process has had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def crowd(folder: Path, clients: int, rows: int, **terms: Any) -> None:
    """A simulated crowd against real services, compared with FTu on the union."""
    folder.mkdir()
    log = synthetic_crowd(folder / "crowd.tsv", clients=clients, rows=rows, seed=1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = simulate(log, k=10, workers=2, folder=folder, services=Metered, **terms)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{'all services and clients':40} {spent:12.1f} s of CPU")
    for name, value in found.items():
        print(f"{name:40} {value!s:>12}")


def rates(folder: Path, people: int = 20, each: int = 150) -> None:
    """How much a service does in a second of its own CPU, requests and database included."""
    no_limits = ["--rate", "0"]
    mixes = {f"mix{number}": [*no_limits, "--pool", "100", "--delay", "0.1"] for number in (1, 2)}
    options = {"randomness": [*no_limits, "--elements", "0"], "aggregation": no_limits, **mixes}
    terms = Terms("rates", 5, limit=each, cover=False, upload_seconds=300)
    found = [[MinedArtifact((f"{number} {i}",), 1) for i in range(each)] for number in range(people)]
    with Metered(folder, options=options) as services, services.operator() as operator:
        warm, invitations = operator.create(terms, people)  # what is loaded once is loaded before it counts
        joined = play_joining(warm.to_json(), invitations)
        few = [(credentials, own[:40]) for credentials, own in zip(joined, found, strict=True)]
        _through(operator, warm, play_mining(warm.to_json(), few))
        made, invitations = operator.create(terms, people)
        before = services.spent()
        joined = play_joining(made.to_json(), invitations)
        before = _rate(services, before, "credentials issued by each", people, ("randomness", "mix1"))
        sealed = play_mining(made.to_json(), list(zip(joined, found, strict=True)))
        _rate(services, before, "values evaluated", people * each, ("randomness",))
        before = services.spent()
        sent = _through(operator, made, sealed)
        _rate(services, before, "envelopes or reports taken", sent, ("mix1", "mix2", "aggregation"))
        made, invitations = operator.create(terms, people)
        sealed = play_mining(
            made.to_json(), list(zip(play_joining(made.to_json(), invitations), found, strict=True))
        )
        operator.close(made.id)
        operator.wait_open(made.id)
        batches = list(_as_last_mix(services, made, [one for own in sealed for one in own]))
        before = services.spent()
        with Connection(made.aggregation.url) as server:
            for batch in batches:
                server.call("POST", f"/collections/{made.id}/batch", batch)
        _rate(services, before, f"reports taken, {BATCH} at a time", people * each, ("aggregation",))


def _as_last_mix(services: Metered, made: Manifest, sealed: Sequence[bytes]) -> Iterator[dict[str, Any]]:
    """What the last mix hands to the aggregation server, without the wait for each envelope before it."""
    keys = [MixKey.from_bytes((services.folder / name / "mix.key").read_bytes()) for name in ("mix1", "mix2")]
    signing = SigningKey.from_bytes((services.folder / "mix2" / "signing.key").read_bytes())
    envelopes = [open_layer(keys[1], open_layer(keys[0], Submission.parse(one).envelope)) for one in sealed]
    for first in range(0, len(envelopes), BATCH):
        part = envelopes[first : first + BATCH]
        signature = signing.sign("batch", batch_message(made, part))
        yield {"envelopes": [to_base64(one) for one in part], "signature": to_base64(signature)}


def _through(operator: Operator, made: Manifest, sealed: Sequence[Sequence[bytes]]) -> int:
    """Open the uploads, send everything, and wait until it has arrived; return how many arrived."""
    operator.close(made.id)
    operator.wait_open(made.id)
    sending = [one for own in sealed for one in own]
    play_sending(made.to_json(), sending)
    while (arrived := operator.status(made.id)["received"]) < len(sending) - 2 * 200:  # the pools stay behind
        time.sleep(0.5)
    return int(arrived)


def _rate(
    services: Metered, before: dict[str, float], what: str, items: int, names: tuple[str, ...]
) -> dict[str, float]:
    """Print how many items a second of a service's CPU did since `before`; return what is spent now."""
    now = services.spent()
    for name in names:
        print(f"{what}, {name:30} {items / max(0.01, now[name] - before[name]):12,.0f} /s")
    return now


def manifest() -> Manifest:
    issuers = {f"{name}_issuer": IssuerKey.generate(RANDOMNESS).public for name in ISSUERS}
    mixes = tuple(MixKey.generate(RANDOMNESS).public for _ in range(3))
    keys = PartyKeys(voprf_public=VoprfKey.generate(RANDOMNESS).public, mix_publics=mixes, **issuers)
    roles = ("randomness", "mix", "mix", "aggregation")
    parties = [
        Party(role, f"owner of {role}", f"http://{number}.invalid", f"{number:064x}")
        for number, role in enumerate(roles)
    ]
    return Terms("benchmark", K, limit=1000, cover=False).manifest(parties, keys, 4_000_000_000)


def aggregation(folder: Path, total: int) -> None:
    """Store `total` reports whose artifacts' counts fall as 1/rank, then group and open them from disk."""
    terms = manifest()
    store = CollectionStore(None, folder, RANDOMNESS)
    store.create(terms)
    store.advance(terms.id, "uploading")
    stored, rank, spent = 0, 0, 0.0
    waiting: list[Report] = []
    while stored < total:
        rank += 1
        people = min(max(1, total // 20 // rank), total - stored)
        waiting += bare_reports(terms.collection, b"artifact %d" % rank, people)
        stored += people
        start = time.process_time()
        while len(waiting) >= MOST_ENVELOPES or (waiting and stored == total):
            store.keep(terms.id, waiting[:MOST_ENVELOPES], 0)
            del waiting[:MOST_ENVELOPES]
        spent += time.process_time() - start
    print(
        f"stored {store.counts(terms.id)['received']:,} reports of {rank:,} artifacts: {spent:.1f} s of CPU"
    )
    start = time.process_time()
    groups = (
        open_group([Report.parse(report) for report in group], terms.collection)
        for group in store.groups(terms.id, K)
    )
    opened = [group.people for group in groups if group is not None]
    cpu, memory = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    store.close()
    print(f"opened {len(opened):,} groups with {sum(opened):,} reports from disk: {cpu:.1f} s of CPU")
    print(f"peak memory {memory / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=6, help="first rows of each person's log that are taken")
    parser.add_argument("--cover", action="store_true", help="everybody sends as many reports")
    parser.add_argument("--reports", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["flat", "nested", "rates", "aggregation"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crowdlog-bench-") as name:
        folder = Path(name)
        if asked.only in (None, "flat"):
            crowd(folder / "flat", asked.clients, asked.rows, cover=asked.cover)
        if asked.only in (None, "nested"):
            crowd(folder / "nested", asked.clients, asked.rows, cover=asked.cover, inner="click", inner_k=10)
        if asked.only in (None, "rates"):
            rates(folder / "rates")
        if asked.only in (None, "aggregation"):
            (folder / "aggregation").mkdir()
            aggregation(folder / "aggregation", asked.reports)


if __name__ == "__main__":
    main()
