"""Rates of a collection's services.

Usage: python benchmarks/crowd.py [reports to aggregate, 1000000 by default]

Aggregation reads reports from the server's own database, groups them, opens the groups of k people and
forgets each group before the next: the memory it needs is that of the largest group and of what is published.
Published for comparison: STAR (CCS 2022) aggregates a million reports in about 21 s, in memory.
"""

from __future__ import annotations

import base64
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowd_crypto import bare_reports

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.credential import IssuerKey
from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.crypto.voprf import VoprfKey, blind
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.collections import Checked, CollectionStore, checked
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_mining, play_sending
from crowdlog.privacy.randomness import SystemRandomness

RANDOMNESS = SystemRandomness()
K = 20
PORTION = 500  # reports that a mix sends at once
EVALUATIONS = 4000
PEOPLE, ARTIFACTS = 100, 20  # of the part over HTTP


def over_http(folder: Path) -> None:
    """Rates of real processes: evaluations, reports accepted by the first mix, reports checked and counted at
    the end of the chain.
    """
    no_limits = ["--rate", "0"]
    mix = [*no_limits, "--batch", "50", "--delay", "0"]
    options = {
        "randomness": [*no_limits, "--elements", "0"],
        "mix1": mix,
        "mix2": mix,
        "aggregation": no_limits,
    }
    with LocalServices(folder, options=options) as services, services.operator() as operator:
        manifest, invitations = operator.create(Terms("benchmark", 5, limit=1000), PEOPLE)
        with rate(services, "randomness", "VOPRF evaluations with proof", EVALUATIONS):
            evaluations(manifest)
        people = [
            (token, [MinedArtifact((f"artifact {number}",), 1) for number in range(ARTIFACTS)])
            for token in invitations
        ]
        with rate(services, "aggregation", "credentials issued", PEOPLE):
            sealed = play_mining(manifest.to_json(), operator.aggregation.url, people)
        operator.close(manifest.id)
        with (
            rate(services, "aggregation", "reports checked and counted", PEOPLE * ARTIFACTS),
            rate(services, "mix1", "envelopes mixed", PEOPLE * ARTIFACTS),
        ):
            play_sending(manifest.mix, sealed)
            operator.drain()


@contextmanager
def rate(services: LocalServices, name: str, what: str, items: int) -> Iterator[None]:
    """Print what a service did per second of its own CPU time, requests and database included, and per second
    of the clock.
    """

    def cpu() -> float:
        fields = Path(f"/proc/{services.processes[name].pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before, start = cpu(), time.perf_counter()
    yield
    print(
        f"{what + ' over HTTP':40} {items / (cpu() - before):8,.0f} per CPU second of {name}, "
        f"{items / (time.perf_counter() - start):,.0f} per second"
    )


def evaluations(manifest: Manifest) -> None:
    """Have elements evaluated, 200 at a time."""
    elements = [base64.b64encode(blind(b"%d" % number, RANDOMNESS).element).decode() for number in range(200)]
    with Connection(manifest.randomness) as server:
        for _ in range(EVALUATIONS // len(elements)):
            server.call(
                "POST", f"/keys/{manifest.collection.voprf_public.hex()}/evaluate", {"elements": elements}
            )


def aggregation(folder: Path, total: int) -> None:
    """Store `total` reports whose artifacts' counts fall as 1/rank, then group and open them from disk."""
    mixes = tuple(MixKey.generate(RANDOMNESS).public for _ in range(3))
    collection = Collection(
        "benchmark", K, VoprfKey.generate(RANDOMNESS).public, IssuerKey.generate(RANDOMNESS).public, mixes
    )
    manifest = Manifest(collection, "query", "original", 1000, "users", f"FTu(k={K})", "http://r", "http://m")
    store = CollectionStore(None, folder / "aggregation.sqlite")
    store.create(manifest)
    store.advance(manifest.id, "uploading")
    stored, rank, spent = 0, 0, 0.0
    waiting: list[Checked] = []
    while stored < total:
        rank += 1
        people = min(max(1, total // 20 // rank), total - stored)
        waiting += [checked(report) for report in bare_reports(collection, b"artifact %d" % rank, people)]
        stored += people
        start = time.process_time()
        while len(waiting) >= PORTION or (waiting and stored == total):
            store.keep(manifest.id, waiting[:PORTION])
            del waiting[:PORTION]
        spent += time.process_time() - start
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    groups = (
        open_group([Report.parse(report) for report in group], collection)
        for group in store.groups(manifest.id, K)
    )
    opened = [group.people for group in groups if group is not None]
    cpu, memory = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    store.close()
    print(f"stored {total:,} reports of {rank:,} artifacts: {spent:.1f} s of CPU")
    print(f"opened {len(opened):,} groups with {sum(opened):,} reports from disk: {cpu:.1f} s of CPU")
    print(
        f"peak memory {memory / 1024:.0f} MB, of which {before / 1024:.0f} MB before the first group was "
        "opened"
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="crowdlog-bench-") as folder:
        over_http(Path(folder) / "services")
        aggregation(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)


if __name__ == "__main__":
    main()
