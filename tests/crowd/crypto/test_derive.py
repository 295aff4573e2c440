"""Derivations: the library's HKDF as a witness, and every input matters."""

from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from crowdlog.crowd.crypto.derive import coefficient, hkdf, key_of, polynomial, root_of, share_point, tag_of
from crowdlog.crowd.crypto.group import ORDER


def test_hkdf_is_the_librarys() -> None:
    assert hkdf(b"secret", b"salt", b"info") == HKDF(SHA512(), 32, b"salt", b"info").derive(b"secret")


def test_every_input_changes_every_value() -> None:
    variants = [(root, context) for root in (bytes(32), b"\x01" * 32) for context in (b"a", b"b")]
    assert len({root_of(root, context) for root, context in variants}) == 4
    assert len({tag_of(root, context, primary) for root, context in variants for primary in (b"", b"x")}) == 8
    assert (
        len({coefficient(root, context, index) for root, context in variants for index in (0, 1, 256)}) == 12
    )
    assert (
        len(
            {
                key_of(secret, context, tag)
                for secret in (0, 1)
                for context in (b"a", b"b")
                for tag in (b"s", b"t")
            }
        )
        == 8
    )


def test_the_polynomial_is_its_coefficients() -> None:
    assert polynomial(bytes(32), b"c", 5) == [coefficient(bytes(32), b"c", index) for index in range(5)]


def test_share_points_are_nonzero_scalars() -> None:
    points = {share_point(bytes([index]) * 32) for index in range(100)}
    assert len(points) == 100
    assert all(0 < point < ORDER for point in points)
