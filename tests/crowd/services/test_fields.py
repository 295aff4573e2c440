import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.services.fields import (
    AnyObject,
    Bytes,
    Choice,
    Integer,
    ListOf,
    Text,
    object_schema,
    read_object,
    to_base64,
)
from crowdlog.errors import InputError

FIELDS = {
    "name": Text(10),
    "size": Integer(1, 9),
    "kind": Choice(("a", "b")),
    "data": ListOf(Bytes(4, exact=True), 2),
}
GOOD = {"name": "x", "size": 3, "kind": "a", "data": [to_base64(b"abcd")]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    max_leaves=8,
)


def test_a_good_body_is_read():
    assert read_object(json.dumps(GOOD).encode(), FIELDS) == {**GOOD, "data": [b"abcd"]}


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "secret-canary"},
        {"name": "\ud800"},
        {"name": "\0"},
        {"size": 0},
        {"size": True},
        {"size": 1.5},
        {"kind": "secret-canary"},
        {"kind": []},
        {"data": []},
        {"data": ["secret-canary"]},
        {"data": ["AA=="]},
        {"data": [None]},
        {"data": "secret-canary"},
        {"more": 1},
    ],
)
def test_a_bad_value_is_refused_without_being_quoted(change):
    with pytest.raises(InputError) as refused:
        read_object(json.dumps({**GOOD, **change}).encode(), FIELDS)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"1", b"\xff", b"NaN", b'{"a":' * 5000, b"9" * 10_000])
def test_what_is_no_json_object_is_refused(body):
    with pytest.raises(InputError):
        read_object(body, FIELDS)


@given(JSON)
def test_any_json_is_read_or_refused(value):
    for field in (*FIELDS.values(), AnyObject("anything")):
        try:
            field.read("it", value)
        except InputError as error:
            refusal = str(error)
        else:
            refusal = "'it' must be nothing else"
        assert "'it' must be" in refusal


def test_the_schema_names_every_field():
    schema = object_schema(FIELDS)
    assert schema["required"] == list(FIELDS)
    assert schema["properties"]["size"] == {"type": "integer", "minimum": 1, "maximum": 9}
