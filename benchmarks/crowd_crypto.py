"""Rates of the collection's cryptography on one core.

Usage: python benchmarks/crowd_crypto.py [reports to open, 1000000 by default]

Published for comparison: STAR (CCS 2022) aggregates a million reports in about 21 s.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.credential import (
    IssuerKey,
    accept_credential,
    issue_credential,
    request_credential,
)
from crowdlog.crowd.crypto.derive import key_of, polynomial, root_of, share_point, tag_of
from crowdlog.crowd.crypto.envelope import MixKey, open_layer, seal_onion
from crowdlog.crowd.crypto.group import encode_scalar
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import (
    Payload,
    Report,
    ReportedArtifact,
    check_report,
    group_reports,
    make_report,
)
from crowdlog.crowd.crypto.shamir import value
from crowdlog.crowd.crypto.voprf import VoprfKey, blind, evaluate, finalize
from crowdlog.privacy.randomness import SystemRandomness

RANDOMNESS = SystemRandomness()


def rate(name: str, work: Callable[[], object], items: int = 1, seconds: float = 1.0) -> None:
    """Print how many items per second of CPU the work does."""
    start, rounds = time.process_time(), 0
    while (spent := time.process_time() - start) < seconds:
        work()
        rounds += 1
    print(f"{name:40} {rounds * items / spent:12,.0f} /s")


def bare_reports(collection: Collection, primary: bytes, people: int) -> Iterator[Report]:
    """Reports of one artifact with random bytes for pseudonyms and no credential: what opening sees of them
    is the same.
    """
    context = collection.context()
    root = root_of(primary, context)
    tag, coefficients = tag_of(root, context, primary), polynomial(root, context, collection.k)
    cipher = ChaCha20Poly1305(key_of(coefficients[0], context, tag))
    payload = Payload(root, ReportedArtifact(primary), b"").to_bytes(collection.payload())
    for _ in range(people):
        name, nonce = RANDOMNESS.bytes(32), RANDOMNESS.bytes(12)
        head = context + tag + name + encode_scalar(value(coefficients, share_point(name)))
        yield Report(head + nonce + bytes(160) + cipher.encrypt(nonce, payload, head))


def opening(collection: Collection, total: int) -> None:
    """Group and open `total` reports of artifacts whose counts fall as 1/rank."""
    reports: list[Report] = []
    rank = 0
    while len(reports) < total:
        rank += 1
        reports += bare_reports(
            collection, b"artifact %d" % rank, min(max(1, total // 20 // rank), total - len(reports))
        )
    start = time.process_time()
    opened = [item for group in group_reports(reports).values() if (item := open_group(group, collection))]
    spent = time.process_time() - start
    print(
        f"opened {len(opened):,} of {rank:,} groups, {sum(item.people for item in opened):,} of {total:,} "
        f"reports: {spent:.1f} s of CPU"
    )


def main() -> None:
    voprf, issuer, mixes = (
        VoprfKey.generate(RANDOMNESS),
        IssuerKey.generate(RANDOMNESS),
        [MixKey.generate(RANDOMNESS) for _ in range(3)],
    )
    collection = Collection("benchmark", 5, voprf.public, issuer.public, tuple(mix.public for mix in mixes))
    pending = request_credential(collection, RANDOMNESS)
    answer = issue_credential(issuer, collection.id, pending.request, RANDOMNESS)
    credential = accept_credential(pending, collection, answer)
    blinded = [blind(collection.voprf_input(b"%d" % number), RANDOMNESS) for number in range(1000)]
    elements = [item.element for item in blinded]
    evaluation = evaluate(voprf, elements, RANDOMNESS)
    rand = finalize(voprf.public, blinded, evaluation)[0]
    report = make_report(collection, credential, rand, ReportedArtifact(b"0"), RANDOMNESS)
    envelope = seal_onion(collection.mix_publics, report, RANDOMNESS)
    parsed = Report.parse(report)
    rate("VOPRF evaluations with proof, one by one", lambda: evaluate(voprf, elements[:1], RANDOMNESS))
    rate("VOPRF evaluations, 1,000 in a batch", lambda: evaluate(voprf, elements, RANDOMNESS), 1000)
    rate("VOPRF results checked by a client", lambda: finalize(voprf.public, blinded, evaluation), 1000)
    rate("credentials issued", lambda: issue_credential(issuer, collection.id, pending.request, RANDOMNESS))
    rate(
        "reports made", lambda: make_report(collection, credential, rand, ReportedArtifact(b"0"), RANDOMNESS)
    )
    rate("reports sealed in three layers", lambda: seal_onion(collection.mix_publics, report, RANDOMNESS))
    rate("layers opened by a mix", lambda: open_layer(mixes[0], envelope))
    rate("reports checked on arrival", lambda: check_report(parsed, collection, issuer))
    opening(collection, int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)


if __name__ == "__main__":
    main()
