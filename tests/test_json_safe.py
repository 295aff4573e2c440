"""JSON that every reader takes for the same."""

import pytest

from crowdlog.json_safe import strict_json


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '[{"b": {"a": 1, "c": 2, "a": 3}}]',
        "NaN",
        '{"a": -Infinity}',
        "1e999",
        "[" * 100_000,
        "9" * 5000,
        '"\\ud800"',
        '{"\\udfff": 1}',
        b"\xff",
        "",
        "{",
    ],
)
def test_what_two_readers_may_take_for_two_things_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        strict_json(text)


def test_plain_json_is_read():
    assert strict_json('{"a": [1, 2.5, null, "é"], "b": {"a": true}}') == {
        "a": [1, 2.5, None, "é"],
        "b": {"a": True},
    }
