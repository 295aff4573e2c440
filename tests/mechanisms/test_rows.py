from collections import Counter

import pyarrow.compute as pc
import pytest

from crowdlog.errors import PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import START, make_log

ROWS = [
    ("ann", "red shoes", 0, "http://shoes.example"),
    ("ann", "blue shoes", 60, None),
    ("ann", "weather", 9000, None),
    ("bob", "weather", 30, "http://weather.example"),
]


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, ROWS)


def events(log, spelling, seed=1):
    return parse(spelling).protect(log, SeededRandomness(seed)).tables["events"]


def grouped(table):
    """The queries of each pseudonym, without the pseudonyms."""
    people = {}
    for row in table.to_pylist():
        people.setdefault(row["user"], []).append((row["query"], row["time"] - START, row["url"]))
    return Counter(tuple(rows) for rows in people.values())


def test_pseudonyms_keep_every_row_together_under_another_name(log):
    ann = tuple((query, second, url) for user, query, second, url in ROWS if user == "ann")
    bob = tuple((query, second, url) for user, query, second, url in ROWS if user == "bob")
    assert grouped(events(log, "Pseudonyms()")) == Counter([ann, bob])
    assert {tuple(events(log, "Pseudonyms()", seed)["user"].to_pylist()) for seed in range(20)} == {
        (1, 1, 1, 2),
        (1, 2, 2, 2),
    }


def test_a_pause_starts_a_new_pseudonym(log):
    assert sorted(map(len, grouped(events(log, "SplitSessions()")))) == [1, 1, 2]
    assert sorted(map(len, grouped(events(log, "SplitSessions(session_minutes=200)")))) == [1, 3]


def test_the_same_word_has_the_same_hash_and_no_word_is_left(log):
    table = events(log, "HashedTokens()")
    hashed = dict(zip(table["time"].to_pylist(), table["query"].to_pylist(), strict=True))
    red, blue = hashed[START].split(), hashed[START + 60].split()
    assert red[1] == blue[1]
    assert len({*red, *blue, hashed[START + 30]}) == 4
    assert hashed[START + 30] == hashed[START + 9000]
    assert not any(word in " ".join(hashed.values()) for word in ("red", "shoes", "weather"))
    assert pc.unique(table["query"]) != pc.unique(events(log, "HashedTokens()", 2)["query"])  # another key


@pytest.mark.parametrize("spelling", ["Pseudonyms()", "HashedTokens()", "SplitSessions()"])
def test_it_is_refused_without_i_know_and_marked_with(log, tmp_path, spelling):
    with pytest.raises(PrivacyRefusal, match="known to be unsafe"):
        parse(spelling).release(log, tmp_path / "out")
    assert "unsafe" in parse(spelling).release(log, tmp_path / "out", i_know=True).label.warnings[0]
