"""One spelling per query, the same from the kernel as from Python."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.log.columns import pack_texts
from crowdlog.log.normalise import normalise, normalise_texts, trim_texts
from crowdlog.log.normalise_batch import normalise_queries
from crowdlog.log.rejects import NO_QUERY, SCRUBBED, TOO_LONG, UNDECODABLE


def run(values: list[bytes], *, keep_dash: bool = False) -> tuple[list[bytes], list[int]]:
    reason = np.zeros(len(values), np.uint8)
    result = normalise_queries(pack_texts(values), reason, keep_dash=keep_dash)
    return [result[i] for i in range(len(values))], reason.tolist()


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("  Red \t\x0b SHOES\x1c", "red shoes"),
        ("CAFE\u0301", "café"),
        ("\u00a0Ü\u3000ber ", "ü ber"),
        ("ΟΔΟΣ", "οδος".replace("σ", "ς")),
        ("İ", "i̇"),
        ("www.A.com", "www.a.com"),
    ],
)
def test_examples(raw, expected):
    assert normalise(raw) == expected
    assert run([raw.encode()]) == ([expected.encode()], [0])


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)))
def test_kernel_and_python_agree(values):
    got, reason = run([value.encode() for value in values], keep_dash=True)
    expected = [normalise(value).encode() for value in values]
    assert got == expected
    assert reason == [0 if text else NO_QUERY for text in expected]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_twice_is_once(text):
    assert normalise(normalise(text)) == normalise(text)


@given(st.lists(st.binary(max_size=30)))
def test_any_bytes_give_text_or_a_reason(values):
    got, reason = run(values)
    for raw, text, code in zip(values, got, reason, strict=True):
        try:
            good = b"\0" not in raw and normalise(raw.decode()) not in ("", "-")
        except UnicodeDecodeError:
            good = False
        assert good == (code == 0)
        if good:
            assert text.decode() == normalise(raw.decode())


def test_reasons():
    values = [b"-", b"", b"a\xff", b"a\0b", b"x" * 4097, "é".encode() * 2049, b"x" * 4096, "é\0".encode()]
    assert run(values)[1] == [
        SCRUBBED,
        NO_QUERY,
        UNDECODABLE,
        UNDECODABLE,
        TOO_LONG,
        TOO_LONG,
        0,
        UNDECODABLE,
    ]
    assert run([b" - "], keep_dash=True) == ([b"-"], [0])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=40)))
def test_arrays_of_texts_and_python_agree(values):
    assert normalise_texts(pa.array(values, pa.string())).to_pylist() == [
        normalise(value) for value in values
    ]


def test_texts_are_trimmed_as_the_import_trims_urls():
    assert trim_texts(pa.array([" \t http://A.example/x y\r ", "\0 "])).to_pylist() == [
        "http://A.example/x y",
        "\0",
    ]
