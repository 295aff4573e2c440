"""The TypeScript client against the Python servers:
every vector of the RFC and a thousand random artifacts.
"""

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crowdlog.crowd.crypto.credential import shown
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.crypto.group import decode_scalar
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report, ReportedArtifact, check_report, make_report
from crowdlog.crowd.crypto.voprf import VoprfKey, evaluate, evaluate_with
from tests.crowd.crypto.people import Crowd

ROOT = Path(__file__).parents[3]
RFC = json.loads((ROOT / "tests/vectors/rfc9497-voprf.json").read_text())
ARTIFACTS = 1000

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("node")]


class Client:
    """A TypeScript client in its own process."""

    def __init__(self, script: Path) -> None:
        self.process = subprocess.Popen(
            ["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, do: str, **values: object) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    extension = ROOT / "extension"
    bundler = extension / "node_modules/.bin/esbuild"
    assert bundler.exists(), "the client library's packages are missing: run `make node`"
    script = tmp_path_factory.mktemp("client") / "client.mjs"
    subprocess.run(
        [
            bundler,
            extension / "tests/interop.ts",
            "--bundle",
            "--platform=node",
            "--format=esm",
            f"--outfile={script}",
            "--log-level=error",
        ],
        check=True,
    )
    client = Client(script)
    with client.process:
        yield client
        assert client.process.stdin
        client.process.stdin.close()


def join(client: Client, crowd: Crowd) -> None:
    request = bytes.fromhex(client.ask("join", terms=crowd.collection.to_json()))
    for issuer, answer in crowd.answers(request).items():
        assert client.ask("accept", data=answer.hex(), issuer=issuer)


@pytest.mark.parametrize("vector", RFC["vectors"], ids=["one", "two", "batch"])
def test_rfc_vectors_across_languages(client: Client, vector: dict[str, Any]) -> None:
    key = VoprfKey.from_bytes(bytes.fromhex(RFC["secret"]))
    elements = client.ask("blind", inputs=vector["input"], blinds=vector["blind"])
    assert elements == vector["blinded"]
    answer = evaluate_with(
        key, [bytes.fromhex(item) for item in elements], decode_scalar(bytes.fromhex(vector["proof_scalar"]))
    )
    assert client.ask("finalize", public=RFC["public"], data=answer.to_bytes().hex()) == vector["output"]


def test_a_nested_report_of_typescript_opens_at_both_levels(client: Client) -> None:
    crowd = Crowd(5, inner_k=6, seed=13)
    collection = crowd.collection
    join(client, crowd)
    query, click = b"weather", b"weather\tw.example"
    inner = {"primary": click.hex(), "secondary": "", "rand": crowd.rand(click, 1).hex()}
    (envelope,) = client.ask(
        "report",
        artifacts=[
            {
                "primary": query.hex(),
                "secondary": "",
                "rand": crowd.rand(query).hex(),
                "level": 0,
                "inner": [inner],
            }
        ],
    )
    inside = bytes.fromhex(envelope)
    for mix in crowd.mixes:
        inside = open_layer(mix, inside)
    hers = Report.parse(inside)
    check_report(hers, collection, crowd.issuer)
    others = [
        crowd.report(person, query, inner=crowd.report(person, click, level=1).data) for person in range(5)
    ]
    opened = open_group([*others, hers], collection)
    assert opened
    assert (opened.artifact, opened.people, len(opened.inner)) == (query, 6, 6)
    for report in opened.inner:
        check_report(report, collection, crowd.issuer, level=1)
    pair = open_group(opened.inner, collection)
    assert pair
    assert (pair.artifact, pair.people) == (click, 6)


def test_a_thousand_artifacts_open_with_a_typescript_share(client: Client) -> None:
    """Four people write Python, the fifth TypeScript: every group needs hers."""
    crowd = Crowd(4, seed=11)
    collection, rng = crowd.collection, random.Random(12)
    join(client, crowd)
    artifacts = [
        ReportedArtifact(rng.randbytes(rng.randrange(1, 120)), rng.randbytes(rng.randrange(90)))
        for _ in range(ARTIFACTS)
    ]
    inputs = [collection.voprf_input(artifact.primary) for artifact in artifacts]
    elements = [bytes.fromhex(item) for item in client.ask("blind", inputs=[item.hex() for item in inputs])]
    answer = evaluate(crowd.voprf, elements, crowd.randomness)
    rands = client.ask("finalize", public=collection.voprf_public.hex(), data=answer.to_bytes().hex())
    assert rands == [crowd.voprf.output(item).hex() for item in inputs]
    asked = [
        {
            "primary": artifact.primary.hex(),
            "secondary": artifact.secondary.hex(),
            "rand": rand,
            "level": 0,
            "inner": [],
        }
        for artifact, rand in zip(artifacts, rands, strict=True)
    ]
    for artifact, rand, envelope in zip(artifacts, rands, client.ask("report", artifacts=asked), strict=True):
        inside = bytes.fromhex(envelope)
        for mix in crowd.mixes:
            inside = open_layer(mix, inside)
        hers = Report.parse(inside)
        check_report(hers, collection, crowd.issuer)
        others = [
            Report.parse(
                make_report(collection, one.report, bytes.fromhex(rand), artifact, crowd.randomness, slot)
            )
            for slot, one in enumerate(crowd.credentials)
        ]
        assert open_group(others, collection) is None
        opened = open_group([*others, hers], collection)
        assert opened
        assert (opened.artifact, opened.people) == (artifact.primary, 5)
        assert set(opened.secondaries) <= {artifact.secondary}


@pytest.mark.parametrize("issuer", ["evaluation", "admission"])
def test_a_typescript_client_shows_its_slots(client: Client, issuer: str) -> None:
    crowd = Crowd(0, seed=17)
    join(client, crowd)
    names = set()
    for slot in (0, 1, 9_999):
        answer = client.ask("slot", issuer=issuer, slot=slot, data=b"message".hex())
        name, proof = bytes.fromhex(answer["name"]), bytes.fromhex(answer["shown"])
        named = [(crowd.collection.slot_context(issuer, slot), name)]
        assert shown(crowd.issuers[issuer], proof, named, b"message")
        assert not shown(crowd.issuers["report"], proof, named, b"message")
        names.add(name)
    assert len(names) == 3
