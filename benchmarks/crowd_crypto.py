"""Rates of the collection's cryptography on one core.

Usage: python benchmarks/crowd_crypto.py [reports to open, 1000000 by default]

Published for comparison: STAR (CCS 2022) aggregates a million reports in about 21 s.
"""

from __future__ import annotations

import hmac
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.crypto.collection import HEADER_SIZE, ISSUERS, Collection
from crowdlog.crowd.crypto.credential import (
    Credential,
    IssuerKey,
    accept_credential,
    issue_credential,
    pseudonym,
    pseudonym_base,
    request_credential,
)
from crowdlog.crowd.crypto.derive import key_of, polynomial, root_of, share_point, tag_of
from crowdlog.crowd.crypto.envelope import MixKey, open_layer, seal_onion
from crowdlog.crowd.crypto.group import (
    ORDER,
    SIZE,
    add,
    decode_scalar,
    encode_scalar,
    frame,
    hash_to_group,
    hash_to_scalar,
    multiply,
    random_scalar,
)
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import (
    NONCE,
    Payload,
    Report,
    ReportedArtifact,
    check_report,
    credible,
    group_reports,
    make_report,
)
from crowdlog.crowd.crypto.shamir import value
from crowdlog.crowd.crypto.voprf import VoprfKey, blind, evaluate, finalize
from crowdlog.crowd.request_chunks import MOST_ENVELOPES
from crowdlog.privacy.randomness import SystemRandomness

RANDOMNESS = SystemRandomness()


def rate(name: str, work: Callable[[], object], items: int = 1, seconds: float = 1.0) -> float:
    """Print and return how many items per second of CPU the work does."""
    start, rounds = time.process_time(), 0
    while (spent := time.process_time() - start) < seconds:
        work()
        rounds += 1
    print(f"{name:40} {rounds * items / spent:12,.0f} /s")
    return rounds * items / spent


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
        share = encode_scalar(value(coefficients, share_point(name)))
        slot = bytes(4) + RANDOMNESS.bytes(32)
        head = context + tag + name + share + slot
        yield Report(head + nonce + bytes(HEADER_SIZE - NONCE.stop) + cipher.encrypt(nonce, payload, head))


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


def issued(issuers: dict[str, IssuerKey], collection: Collection, people: int) -> list[Credential]:
    """The credentials for reports of so many people."""
    found = []
    for _ in range(people):
        pending = request_credential(collection, RANDOMNESS)
        answer = issue_credential(issuers["report"], collection.id, pending.request, RANDOMNESS)
        found.append(accept_credential(pending, collection, answer))
    return found


def shown_in_version_1(credential: Credential, context: bytes, message: bytes) -> bytes:
    """A showing as version 1 made it: U, U', W, the challenge and the response."""
    name, base = pseudonym(credential, context), pseudonym_base(context)
    a, mask = random_scalar(RANDOMNESS), random_scalar(RANDOMNESS)
    u, mac = multiply(a, credential.u), multiply(a, credential.mac)
    w = multiply(credential.secret, u)
    statement = frame(w, u) + frame(name, base)
    commitments = frame(multiply(mask, u), multiply(mask, base))
    challenge = hash_to_scalar(statement + commitments + u + mac + w + message, b"crowdlog-v1-proof-show")
    response = (mask - challenge * credential.secret) % ORDER
    return u + mac + w + encode_scalar(challenge) + encode_scalar(response)


def check_as_version_1(key: IssuerKey, data: bytes, context: bytes, name: bytes, message: bytes) -> bool:
    """What the aggregation server of version 1 did with each report: the MAC, then two equations, one proof
    after the other.
    """
    u, mac, w = data[:SIZE], data[SIZE : 2 * SIZE], data[2 * SIZE : 3 * SIZE]
    if not hmac.compare_digest(mac, add(multiply(key.x0, u), multiply(key.x1, w))):
        return False
    challenge, response = decode_scalar(data[3 * SIZE : 4 * SIZE]), decode_scalar(data[4 * SIZE :])
    base = hash_to_group(context, b"crowdlog-v2-pseudonym")  # each artifact anew, without a cache
    first = add(multiply(challenge, w), multiply(response, u))
    second = add(multiply(challenge, name), multiply(response, base))
    statement = frame(w, u) + frame(name, base) + frame(first, second)
    return challenge == hash_to_scalar(statement + u + mac + w + message, b"crowdlog-v1-proof-show")


def checking(collection: Collection, issuer: IssuerKey, own: list[Credential], rand: bytes) -> None:
    """Reports checked one by one and as many together as a mix sends, beside the proofs of version 1. Every
    artifact has two senders here, and no base is known from the batch before.
    """
    reports = [
        Report.parse(
            make_report(
                collection,
                own[n % len(own)],
                rand,
                ReportedArtifact(b"%d" % (n // 2)),
                RANDOMNESS,
                n // len(own),
            )
        )
        for n in range(MOST_ENVELOPES)
    ]
    old = shown_in_version_1(own[0], b"context", reports[0].data)
    name = pseudonym(own[0], b"context")
    assert check_as_version_1(issuer, old, b"context", name, reports[0].data)
    assert not check_as_version_1(issuer, old, b"context", name, reports[1].data)
    assert len(credible(reports, collection, issuer, RANDOMNESS)) == len(reports)  # compiles it, too

    def together() -> None:
        pseudonym_base.cache_clear()
        credible(reports, collection, issuer, RANDOMNESS)

    def one_by_one() -> None:
        check_as_version_1(issuer, old, b"context", name, reports[0].data)

    rate("reports checked one by one", lambda: check_report(reports[0], collection, issuer))
    rounds = []
    for _ in range(5):  # in turns, so that both meet the same machine
        first = rate("proofs as in version 1, one by one", one_by_one)
        batched = rate(f"reports checked, {len(reports):,} together", together, len(reports), 2.0)
        rounds.append(batched / first)
    middle = sorted(rounds)[len(rounds) // 2]
    print(f"{'times version 1, median of five':40} {middle:12.2f}  ({min(rounds):.2f}–{max(rounds):.2f})")


def main() -> None:
    voprf, mixes = VoprfKey.generate(RANDOMNESS), [MixKey.generate(RANDOMNESS) for _ in range(3)]
    issuers = {name: IssuerKey.generate(RANDOMNESS) for name in ISSUERS}
    collection = Collection(
        terms=bytes(32),
        k=5,
        limit=10_000,
        voprf_public=voprf.public,
        **{f"{name}_issuer": key.public for name, key in issuers.items()},
        mix_publics=tuple(mix.public for mix in mixes),
    )
    own = issued(issuers, collection, 10)
    pending = request_credential(collection, RANDOMNESS)
    blinded = [blind(collection.voprf_input(b"%d" % number), RANDOMNESS) for number in range(1000)]
    elements = [item.element for item in blinded]
    evaluation = evaluate(voprf, elements, RANDOMNESS)
    rand = finalize(voprf.public, blinded, evaluation)[0]
    artifact = ReportedArtifact(b"0")
    report = make_report(collection, own[0], rand, artifact, RANDOMNESS, 0)
    envelope = seal_onion(collection.mix_publics, report, RANDOMNESS)
    rate("VOPRF evaluations with proof, one by one", lambda: evaluate(voprf, elements[:1], RANDOMNESS))
    rate("VOPRF evaluations, 1,000 in a batch", lambda: evaluate(voprf, elements, RANDOMNESS), 1000)
    rate("VOPRF results checked by a client", lambda: finalize(voprf.public, blinded, evaluation), 1000)
    issue = partial(issue_credential, issuers["report"], collection.id, pending.request, RANDOMNESS)
    rate("credentials issued", issue)
    rate("reports made", lambda: make_report(collection, own[0], rand, artifact, RANDOMNESS, 0))
    rate("reports sealed in three layers", lambda: seal_onion(collection.mix_publics, report, RANDOMNESS))
    rate("layers opened by a mix", lambda: open_layer(mixes[0], envelope))
    checking(collection, issuers["report"], own, rand)
    opening(collection, int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)


if __name__ == "__main__":
    main()
