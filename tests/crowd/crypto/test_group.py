"""Encodings are canonical, and nothing malformed reaches libsodium."""

import os
import subprocess
import sys
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.crypto.group import (
    BASE,
    ORDER,
    SIZE,
    ReportError,
    add,
    decode_point,
    decode_scalar,
    encode_scalar,
    expand,
    frame,
    hash_to_group,
    hash_to_scalar,
    multiply,
    random_scalar,
)
from crowdlog.privacy.randomness import SeededRandomness


def test_group_laws() -> None:
    two = add(BASE, BASE)
    assert multiply(2, BASE) == two
    assert multiply(3, two) == multiply(6, BASE) == add(two, two, two)
    assert multiply(ORDER - 1, two) != two
    assert add(multiply(ORDER - 1, two), two) == bytes(32)


@given(st.integers(0, ORDER - 1))
def test_scalars_survive_their_bytes(value: int) -> None:
    assert decode_scalar(encode_scalar(value)) == value


@pytest.mark.parametrize("data", [encode_scalar(ORDER), b"\xff" * 32, b"", bytes(31), bytes(33)])
def test_other_spellings_of_scalars_are_refused(data: bytes) -> None:
    with pytest.raises(ReportError):
        decode_scalar(data)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_point_or_refused(data: bytes) -> None:
    with suppress(ReportError):
        assert multiply(1, decode_point(data)) == data


@pytest.mark.parametrize("data", [bytes(32), b"\x01" + bytes(31), BASE[:31], BASE + b"\x00"])
def test_multiply_refuses_what_is_no_point(data: bytes) -> None:
    with pytest.raises(ReportError):
        multiply(5, data)


def test_expand_is_rfc_9380s() -> None:
    """RFC 9380 appendix K.3 gives vectors of other lengths only; the VOPRF vectors cover this one, here its
    parts must matter.
    """
    assert len({expand(b"a", b"d"), expand(b"b", b"d"), expand(b"a", b"e"), expand(b"ad", b"")}) == 4
    assert hash_to_scalar(b"a", b"d") == int.from_bytes(expand(b"a", b"d"), "little") % ORDER
    assert decode_point(hash_to_group(b"a", b"d")) != hash_to_group(b"b", b"d")


def test_frames_can_be_told_apart() -> None:
    assert frame(b"ab", b"c") == b"\x00\x02ab\x00\x01c" != frame(b"a", b"bc")


def test_random_scalars_are_nonzero_and_differ() -> None:
    randomness = SeededRandomness(1)
    values = {random_scalar(randomness) for _ in range(50)}
    assert len(values) == 50
    assert all(0 < value < ORDER for value in values)


def second_spelling(point: bytes) -> bytes:
    return point[:-1] + bytes([point[-1] | 0x80])


def test_a_point_has_one_spelling():
    """libsodium takes the highest bit for nothing; RFC 9496 section 4.3.1 refuses it."""
    twin = second_spelling(BASE)
    with pytest.raises(ReportError):
        decode_point(twin)
    with pytest.raises(ReportError):
        multiply(5, twin)


def test_the_library_leaves_no_copy_in_the_temp_folder(tmp_path):
    code = "from crowdlog.crowd.crypto.group import BASE, multiply; print(multiply(2, BASE).hex())"
    asked = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(asked.stdout.strip()) == 2 * SIZE
    assert list(tmp_path.iterdir()) == []
