"""RFC 9497's own vectors, and a server that cheats."""

import json
from pathlib import Path

import pytest

from crowdlog.crowd.crypto.group import ReportError, decode_scalar
from crowdlog.crowd.crypto.voprf import (
    MAX_BATCH,
    Evaluation,
    VoprfKey,
    blind,
    blind_with,
    evaluate,
    evaluate_with,
    finalize,
)
from crowdlog.privacy.randomness import SeededRandomness

RFC = json.loads((Path(__file__).parents[2] / "vectors" / "rfc9497-voprf.json").read_text())


def unhex(items: list[str]) -> list[bytes]:
    return [bytes.fromhex(item) for item in items]


def test_key_is_derived_as_in_the_rfc() -> None:
    key = VoprfKey.derive(bytes.fromhex(RFC["seed"]), bytes.fromhex(RFC["key_info"]))
    assert key.to_bytes().hex() == RFC["secret"]
    assert key.public.hex() == RFC["public"]


@pytest.mark.parametrize("vector", RFC["vectors"], ids=lambda v: f"{len(v['input'])}-{v['input'][-1][:4]}")
def test_every_step_gives_the_rfcs_bytes(vector: dict[str, list[str]]) -> None:
    key = VoprfKey.from_bytes(bytes.fromhex(RFC["secret"]))
    blinded = [
        blind_with(m, decode_scalar(b))
        for m, b in zip(unhex(vector["input"]), unhex(vector["blind"]), strict=True)
    ]
    assert [item.element for item in blinded] == unhex(vector["blinded"])
    evaluation = evaluate_with(
        key, [item.element for item in blinded], decode_scalar(bytes.fromhex(str(vector["proof_scalar"])))
    )
    assert list(evaluation.elements) == unhex(vector["evaluated"])
    assert evaluation.proof.hex() == vector["proof"]
    assert (
        finalize(key.public, blinded, evaluation)
        == unhex(vector["output"])
        == [key.output(item.message) for item in blinded]
    )


def test_outputs_do_not_depend_on_the_blind() -> None:
    randomness = SeededRandomness(1)
    key = VoprfKey.generate(randomness)
    first, second = blind(b"a", randomness), blind(b"a", randomness)
    assert first.element != second.element
    one, two = finalize(
        key.public, [first, second], evaluate(key, [first.element, second.element], randomness)
    )
    assert one == two == key.output(b"a") != key.output(b"b")


def test_another_key_or_a_changed_answer_is_noticed() -> None:
    randomness = SeededRandomness(2)
    key, other = VoprfKey.generate(randomness), VoprfKey.generate(randomness)
    items = [blind(b"a", randomness), blind(b"b", randomness)]
    elements = [item.element for item in items]
    swapped = evaluate(key, elements, randomness)
    cheats = [
        evaluate(other, elements, randomness),
        Evaluation(swapped.elements[::-1], swapped.proof),
        Evaluation(swapped.elements, bytes(64)),
    ]
    for cheat in cheats:
        with pytest.raises(ReportError):
            finalize(key.public, items, cheat)
    with pytest.raises(ReportError, match="1 came back"):
        finalize(key.public, items, evaluate(key, elements[:1], randomness))


def test_bad_elements_and_sizes_are_refused() -> None:
    randomness = SeededRandomness(3)
    key = VoprfKey.generate(randomness)
    good = blind(b"a", randomness).element
    for bad in ([], [good] * (MAX_BATCH + 1), [bytes(32)], [b"\xff" * 32], [good[:31]], [good + b"\x00"]):
        with pytest.raises(ReportError):
            evaluate(key, bad, randomness)
    for size in (0, 64, 95, 97):
        with pytest.raises(ReportError):
            Evaluation.from_bytes(bytes(size))
    with pytest.raises(ReportError):
        blind(bytes(2**16), randomness)


def test_evaluation_survives_its_bytes() -> None:
    randomness = SeededRandomness(4)
    evaluation = evaluate(VoprfKey.generate(randomness), [blind(b"a", randomness).element], randomness)
    assert Evaluation.from_bytes(evaluation.to_bytes()) == evaluation


def test_secrets_and_inputs_stay_out_of_reprs() -> None:
    randomness = SeededRandomness(5)
    key = VoprfKey.generate(randomness)
    item = blind(b"canary", randomness)
    assert str(key.secret) not in repr(key)
    assert "canary" not in repr(item)
    assert str(item.blind) not in repr(item)
