"""Proofs hold for their statement and message only."""

from crowdlog.crowd.crypto.group import BASE, add, encode_scalar, multiply
from crowdlog.crowd.crypto.sigma import Equation, prove, proved
from crowdlog.privacy.randomness import SeededRandomness

OTHER = multiply(7, BASE)
SECRETS = [3, 5]
STATEMENT: list[Equation] = [
    (add(multiply(3, BASE), multiply(5, OTHER)), ((0, BASE), (1, OTHER))),
    (multiply(5, BASE), ((1, BASE),)),
]


def test_a_true_statement_is_proved() -> None:
    proof = prove(b"test", STATEMENT, SECRETS, b"message", SeededRandomness(1))
    assert len(proof) == 128
    assert proved(b"test", STATEMENT, proof, b"message")


def test_every_change_is_noticed() -> None:
    proof = prove(b"test", STATEMENT, SECRETS, b"message", SeededRandomness(1))
    assert not proved(b"other", STATEMENT, proof, b"message")
    assert not proved(b"test", STATEMENT, proof, b"massage")
    assert not proved(b"test", STATEMENT[::-1], proof, b"message")
    assert not proved(b"test", STATEMENT, proof[:-1], b"message")
    assert not proved(b"test", STATEMENT, b"\xff" * 128, b"message")
    for index in range(128):
        changed = bytes([*proof[:index], proof[index] ^ 1, *proof[index + 1 :]])
        assert not proved(b"test", STATEMENT, changed, b"message")


def test_wrong_secrets_prove_nothing() -> None:
    assert not proved(b"test", STATEMENT, prove(b"test", STATEMENT, [3, 6], b"", SeededRandomness(1)), b"")


def test_a_proof_of_zeros_is_refused() -> None:
    assert not proved(b"test", [(BASE, ((0, BASE),))], encode_scalar(0) * 2, b"")
