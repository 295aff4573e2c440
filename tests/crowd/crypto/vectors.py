"""Our own test vectors: what each step of a client gives from repeatable randomness, for clients in any
language.

`python tests/crowd/crypto/vectors.py` (with src on the path) writes them anew after a change of the
protocol's version.
"""

import hashlib
import json
from pathlib import Path

from crowdlog.crowd.crypto.collection import ISSUERS, Collection
from crowdlog.crowd.crypto.credential import (
    Credentials,
    IssuerKey,
    accept_credential,
    issue_credential,
    pseudonym,
    request_credential,
    show,
)
from crowdlog.crowd.crypto.envelope import MixKey, seal_onion
from crowdlog.crowd.crypto.report import ReportedArtifact, make_report
from crowdlog.crowd.crypto.voprf import VoprfKey, blind, evaluate
from crowdlog.privacy.randomness import SeededRandomness

PATH = Path(__file__).parents[2] / "vectors" / "crowd-v2.json"
SLOTS = 2
ARTIFACTS = [("weather", ""), ("café à genève", "nyon"), ("", "empty primary"), ("x" * 100, "y" * 118)]


def vectors() -> dict[str, object]:
    return {
        "randomness": "call n (from 1) of seed s returns SHAKE-256('crowdlog seeded randomness s n'); "
        "the calls restart at each step",
        "collections": [_one("flat", 5, 0), _one("nested", 5, 9)],
    }


def _one(digest: str, k: int, inner_k: int) -> dict[str, object]:
    server = SeededRandomness(1)
    voprf = VoprfKey.generate(server)
    issuers = {name: IssuerKey.generate(server) for name in ISSUERS}
    mixes = [MixKey.generate(server) for _ in range(3)]
    collection = Collection(
        terms=hashlib.sha256(digest.encode()).digest(),
        k=k,
        limit=100,
        voprf_public=voprf.public,
        **{f"{name}_issuer": key.public for name, key in issuers.items()},
        mix_publics=tuple(mix.public for mix in mixes),
        inner_k=inner_k,
        inner_slots=SLOTS,
    )
    pending = request_credential(collection, SeededRandomness(2))
    responses = {
        name: issue_credential(key, collection.id, pending.request, server, name)
        for name, key in issuers.items()
    }
    credentials = Credentials(
        **{name: accept_credential(pending, collection, one, name) for name, one in responses.items()}
    )
    credential = credentials.report
    shown_context = collection.slot_context("evaluation", 7)
    named = [(shown_context, pseudonym(credentials.evaluation, shown_context))]
    steps = []
    for number, (primary, secondary) in enumerate(ARTIFACTS):
        artifact = ReportedArtifact(primary.encode(), secondary.encode())
        request = blind(collection.voprf_input(artifact.primary), SeededRandomness(3))
        rand = voprf.output(request.message)
        inner = []
        for pair in range((number + 1) % (SLOTS + 1) if inner_k else 0):
            name = f"{primary}\tpair {pair}"
            inner_rand = voprf.output(collection.voprf_input(name.encode(), 1))
            made = make_report(
                collection,
                credential,
                inner_rand,
                ReportedArtifact(name.encode()),
                SeededRandomness(4),
                SLOTS * number + pair,
                level=1,
            )
            inner.append({"primary": name, "rand": inner_rand.hex(), "report": made.hex()})
        report = make_report(
            collection,
            credential,
            rand,
            artifact,
            SeededRandomness(5),
            number,
            bytes.fromhex("".join(one["report"] for one in inner)),
        )
        steps.append(
            {
                "primary": primary,
                "secondary": secondary,
                "element": request.element.hex(),
                "answer": evaluate(voprf, [request.element], server).to_bytes().hex(),
                "rand": rand.hex(),
                "inner": inner,
                "report": report.hex(),
                "envelope": seal_onion(collection.mix_publics, report, SeededRandomness(6)).hex(),
            }
        )
    return {
        "terms": collection.to_json(),
        "id": collection.id.hex(),
        "request": pending.request.hex(),
        "responses": {name: response.hex() for name, response in responses.items()},
        "credentials": credentials.to_bytes().hex(),
        "evaluation_slot_7": {
            "name": named[0][1].hex(),
            "shown": show(credentials.evaluation, named, b"message", SeededRandomness(8)).hex(),
        },
        "artifacts": steps,
        "seeds": {"request": 2, "blind": 3, "inner": 4, "report": 5, "envelope": 6, "show": 8},
    }


if __name__ == "__main__":
    PATH.write_text(json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n")
