"""Layers come off in order, by their owners only; sealing agrees with the library's HPKE."""

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.crypto.envelope import INFO, LAYER_OVERHEAD, MixKey, open_layer, seal_layer, seal_onion
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.privacy.randomness import SeededRandomness

RANDOMNESS = SeededRandomness(1)
KEYS = [MixKey.generate(RANDOMNESS) for _ in range(3)]
PUBLICS = [key.public for key in KEYS]


@given(st.binary(max_size=2000))
def test_each_node_takes_off_one_layer(report: bytes) -> None:
    envelope = seal_onion(PUBLICS, report, RANDOMNESS)
    for left, key in zip((3, 2, 1), KEYS, strict=True):
        assert len(envelope) == len(report) + left * LAYER_OVERHEAD
        envelope = open_layer(key, envelope)
    assert envelope == report


def test_two_envelopes_of_one_report_differ() -> None:
    assert seal_onion(PUBLICS, b"report", RANDOMNESS) != seal_onion(PUBLICS, b"report", RANDOMNESS)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(envelope: bytes) -> None:
    with pytest.raises(ReportError) as caught:
        open_layer(KEYS[0], envelope)
    assert str(len(envelope)) in str(caught.value)


def test_a_mix_reads_nothing_of_what_it_passes_on() -> None:
    """Every mix takes its own layer off; what it then holds is sealed for the next, byte for byte other."""
    report = bytes(range(200))
    envelope = seal_onion(PUBLICS, report, RANDOMNESS)
    for own in KEYS[:2]:
        envelope = open_layer(own, envelope)
        assert not any(report[start : start + 8] in envelope for start in range(len(report) - 8))
        for mix in KEYS[:2]:
            if mix is not KEYS[KEYS.index(own) + 1]:
                with pytest.raises(ReportError):
                    open_layer(mix, envelope)


def test_the_wrong_node_and_damage_are_refused() -> None:
    envelope = seal_onion(PUBLICS, b"report", RANDOMNESS)
    for key, data in (
        (KEYS[1], envelope),
        (KEYS[0], envelope[:-1]),
        (KEYS[0], envelope + b"\x00"),
        (KEYS[0], bytes(32) + envelope[32:]),
    ):
        with pytest.raises(ReportError):
            open_layer(key, data)


def test_low_order_public_keys_are_refused() -> None:
    for public in (bytes(32), b"\x01" + bytes(31), b"", bytes(33)):
        with pytest.raises(ReportError):
            seal_layer(public, b"report", RANDOMNESS.bytes(32))


def test_the_librarys_own_sealing_opens_too() -> None:
    suite = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)
    assert (
        open_layer(KEYS[0], suite.encrypt(b"report", X25519PublicKey.from_public_bytes(PUBLICS[0]), INFO))
        == b"report"
    )


def test_keys_survive_their_bytes() -> None:
    assert MixKey.from_bytes(KEYS[0].to_bytes()) == KEYS[0]
    assert KEYS[0].secret.hex() not in repr(KEYS[0])
    with pytest.raises(ReportError):
        MixKey.from_bytes(b"")
