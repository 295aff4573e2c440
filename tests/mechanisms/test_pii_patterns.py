import pyarrow as pa
import pytest

from crowdlog.mechanisms.pii_patterns import looks_personal


@pytest.mark.parametrize(
    "text",
    [
        "jane.doe@example.com",
        "call 202-555-0143 now",
        "(202) 555 0143",
        "2025550143",
        "ssn 078-05-1120",
        "078 05 1120",
    ],
)
def test_what_looks_personal(text):
    assert looks_personal(pa.array([text])).tolist() == [True]


@pytest.mark.parametrize(
    "text",
    ["weather boston", "boeing 747", "windows 2000", "10 000 000", "@home", "zip 02134", "90210 1234567", ""],
)
def test_what_does_not(text):
    assert looks_personal(pa.array([text])).tolist() == [False]


def test_no_texts():
    assert looks_personal(pa.array([], pa.string())).tolist() == []
