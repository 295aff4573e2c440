"""The attacks on a collection of ours, against its real servers. True: the attack succeeds."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

from crowdlog.attacks.protocol_testbed import GUESSES, SECRET, K, ProtocolTestbed, run_testbed
from crowdlog.crowd.client.participate import Link, look
from crowdlog.crowd.crypto.collection import MAX_REPORT
from crowdlog.crowd.crypto.credential import Credential
from crowdlog.crowd.crypto.derive import root_of, tag_of
from crowdlog.crowd.crypto.envelope import MixKey, open_layer, seal_onion
from crowdlog.crowd.crypto.group import random_scalar
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.crypto.voprf import VoprfKey
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import digest_of
from crowdlog.crowd.services.app import Refused
from crowdlog.errors import PrivacyRefusal


def dictionary(target: ProtocolTestbed) -> bool:
    """The aggregation server holds a report and tries its guesses by hashing, under a key of its own, and at
    the randomness server with a credential it got for itself.
    """
    (report,), own_member = target.crowd(1), target.join()
    target.open_uploads()
    inputs = [target.manifest.collection.voprf_input(guess) for guess in GUESSES]
    own = VoprfKey.generate(target.randomness)
    try:
        asked = target.evaluate(*GUESSES, credentials=own_member)
    except Refused:  # the key is gone
        asked = []
    tries = ([hashlib.sha512(item).digest() for item in inputs], [own.output(item) for item in inputs], asked)
    return any(_recognised(target, rands, report) for rands in tries)


def dictionary_in_time(target: ProtocolTestbed) -> bool:
    """The same server asks as a member while the key exists: as many guesses as a member has slots."""
    (report,) = target.crowd(1)
    return _recognised(target, target.evaluate(*GUESSES, credentials=target.join()), report)


def _recognised(target: ProtocolTestbed, rands: list[bytes], report: bytes) -> bool:
    """Whether one of the guesses, with these values of the PRF, gives the report's tag."""
    context = target.manifest.collection.context()
    return Report.parse(report).tag in [
        tag_of(root_of(rand, context), context, guess) for guess, rand in zip(GUESSES, rands, strict=False)
    ]


def sybils(target: ProtocolTestbed) -> bool:
    """The fakes hold true credentials and had their guess evaluated; one volunteer sent it too."""
    return target.publish(target.crowd(1) + target.crowd(K - 1)) == {SECRET: K}


def invented_people(target: ProtocolTestbed) -> bool:
    """One of k − 1 members invents another secret to go with her MAC."""
    credential, (rand,) = target.join(), target.evaluate(SECRET)
    own = credential.report
    alias = dataclasses.replace(
        credential, report=Credential(random_scalar(target.randomness), own.u, own.mac)
    )
    return _got_in(
        target, [*target.crowd(K - 2), target.report(credential, rand)], [target.report(alias, rand)]
    )


def wrong_collection(target: ProtocolTestbed) -> bool:
    """A report of another collection comes as it is, under this collection's name, and in the group of k − 1
    reports here.
    """
    honest, head = target.crowd(K - 1), target.manifest.collection.context()
    with run_testbed(target.randomness) as other:
        (foreign,) = other.crowd(1)
    return _got_in(
        target, honest, [foreign, head + foreign[36:], head + Report.parse(honest[0]).tag + foreign[68:]]
    )


def _got_in(target: ProtocolTestbed, honest: list[bytes], forged: list[bytes]) -> bool:
    """Whether anything but k − 1 honest reports is counted, or opens."""
    target.open_uploads()
    return target.send(honest + forged) != len(honest) or target.opened() != {}


def inside_an_open_query(target: ProtocolTestbed) -> bool:
    """K people share a query and a click, and clicks need one more: with the query open, the server tries all
    guesses of the click.
    """
    clicks = [SECRET + b"\t" + guess for guess in GUESSES]
    with run_testbed(target.randomness, inner_k=K + 1) as nested:
        reports = [Report.parse(report) for report in nested.nested_crowd(K, SECRET, clicks[0])]
        nested.open_uploads()
        collection = nested.manifest.collection
        query = open_group(reports, collection)
        inside = query.inner if query is not None else ()
        context, own = collection.context(1), VoprfKey.generate(target.randomness)
        tags = {
            tag_of(
                root_of(
                    own.output(collection.voprf_input(click, 1)),
                    context,
                ),
                context,
                click,
            )
            for click in clicks
        }
        return (
            query is None
            or len(inside) != K
            or open_group(inside, collection) is not None
            or any(report.tag in tags for report in inside)
        )


def replayed(target: ProtocolTestbed) -> bool:
    """The reports of k − 1 people come again later, in fresh envelopes."""
    reports = target.crowd(K - 1)
    target.publish(reports)
    return target.send(reports) > 0 or target.opened() != {}


def duplicated(target: ProtocolTestbed) -> bool:
    """One of k − 1 members makes many different reports of one artifact and sends them at once."""
    credential, (rand,) = target.join(), target.evaluate(SECRET)
    first, *others = (target.report(credential, rand) for _ in range(K))
    return _got_in(target, [*target.crowd(K - 2), first], others)


def reordered(target: ProtocolTestbed) -> bool:
    """The reports of two artifacts come interleaved and backwards."""
    reports = [
        report for both in zip(target.crowd(K), target.crowd(K, GUESSES[0]), strict=True) for report in both
    ]
    return target.publish(reports[::-1]) != {SECRET: K, GUESSES[0]: K}


def truncated(target: ProtocolTestbed) -> bool:
    last, *honest = target.crowd(K)
    return _got_in(target, honest, [*(last[:size] for size in range(0, len(last), 37)), last[:-1]])


def oversized(target: ProtocolTestbed) -> bool:
    last, *honest = target.crowd(K)
    return _got_in(target, honest, [last + bytes(more) for more in (1, 16, len(last), MAX_REPORT)])


def malformed(target: ProtocolTestbed) -> bool:
    """A bit is changed in every part of the k-th report; noise of the right length comes too."""
    last, *honest = target.crowd(K)
    noise = target.randomness.bytes(len(last))
    changed = [last[:at] + bytes([last[at] ^ 1]) + last[at + 1 :] for at in range(0, len(last), 11)]
    return _got_in(target, honest, [*changed, noise, last[:36] + noise[36:]])


def mix_drops(target: ProtocolTestbed) -> bool:
    """The first mix leaves out one of k envelopes."""
    return target.publish(_through_mixes(target, target.crowd(K), keep=K - 1)) != {SECRET: K}


def mix_repeats(target: ProtocolTestbed) -> bool:
    """The first mix passes on k − 1 envelopes k times each."""
    passed = _through_mixes(target, target.crowd(K - 1), times=K)
    return _got_in(target, passed[: K - 1], passed[K - 1 :])


def _through_mixes(
    target: ProtocolTestbed, reports: list[bytes], keep: int | None = None, times: int = 1
) -> list[bytes]:
    """What comes out of the chain when the first mix keeps so many envelopes and passes them on so many
    times.
    """
    envelopes = [
        seal_onion([mix.public for mix in target.mixes], report, target.randomness) for report in reports
    ]
    passed = [open_layer(_key(target, 1), envelope) for envelope in envelopes[:keep]] * times
    return [open_layer(_key(target, 2), envelope) for envelope in passed]


def _key(target: ProtocolTestbed, number: int) -> MixKey:
    """The key of a mix, which its owner can read."""
    return MixKey.from_bytes((target.mixes[number - 1].folder / "mix.key").read_bytes())


class _Liar(Connection):
    """A server that describes the collection by other terms."""

    def __init__(self, manifest: dict[str, Any]) -> None:
        self._manifest = manifest

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        return {"manifest": self._manifest}


def lies_about_k(target: ProtocolTestbed) -> bool:
    """It shows a client a k below the floor, or another k under the same name; it opens what needs k + 1
    people with k.
    """
    with run_testbed(target.randomness, K + 1) as strict:
        reports = [Report.parse(report) for report in strict.crowd(K)]
        opened = open_group(reports, dataclasses.replace(strict.manifest.collection, k=K))
    return opened is not None or any(_believed(target, k) for k in (K - 1, K + 1))


def _believed(target: ProtocolTestbed, k: int) -> bool:
    """With words and a digest of the terms that fit, so that only the name is another."""
    terms = target.manifest.to_json()
    terms["collection"]["k"] = k
    told = terms["consent"]
    told["published"] = told["published"].replace(f"at least {K} people", f"at least {k} people")
    described = {name: value for name, value in terms.items() if name != "collection"}
    terms["collection"]["terms"] = digest_of(described).hex()
    try:
        look(Link("http://aggregation.invalid", target.manifest.id, "invitation"), _Liar(terms))
    except PrivacyRefusal:
        return False
    return True
