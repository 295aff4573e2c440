"""Which queries Poblete's graph disconnection removes, by hand."""

from __future__ import annotations

import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log


def left(folder, rows, spelling="Poblete()"):
    log = make_log(folder, rows)
    found = parse(spelling).protect(log, SeededRandomness(1)).tables["events"]
    return set(found["query"].to_pylist())


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("yahoo mail", "http://mail.yahoo.com"),
        ("yahoo.com mail", "http://mail.yahoo.com"),
        ("www.yahoo.com", "http://www.yahoo.com/a"),
        ("http://www.yahoo.com/a", "http://www.yahoo.com/a"),
        ("bbc news", "http://news.bbc.co.uk"),
        ("bbc.co.uk", "http://news.bbc.co.uk"),
    ],
)
def test_queries_that_hold_their_site_are_removed(tmp_path, query, url):
    assert left(tmp_path, [("a", query, 0, url), ("a", "golf", 9, "http://b.com")]) == {"golf"}


@pytest.mark.parametrize(
    ("query", "url"),
    [("co op shops", "http://shop.co.uk"), ("com", "http://a.com"), ("co.uk", "http://a.co.uk")],
)
def test_the_ending_of_a_site_is_not_its_name(tmp_path, query, url):
    assert left(tmp_path, [("a", query, 0, url)]) == {query}


def test_few_documents_and_few_sites_are_removed(tmp_path):
    rows = [
        ("a", "one", 0, "http://a.com/1"),
        ("a", "two", 10, "http://b.com/1"),
        ("a", "two", 20, "http://b.com/2"),
    ]
    rows += [
        ("a", "three", 30, "http://c.com/1"),
        ("a", "three", 40, "http://d.com/1"),
        ("a", "none", 50, None),
    ]
    assert left(tmp_path / "k", rows, "Poblete(k=2, K=1)") == {"two", "three"}
    assert left(tmp_path / "K", rows, "Poblete(k=2, K=2)") == {"three"}
    assert left(tmp_path / "1", rows) == {"one", "two", "three"}


def test_the_most_connected_query_goes_first_until_no_document_is_shared(tmp_path):
    urls = {"middle": "abc", "left": "a", "right": "b", "far": "c", "apart": "d"}
    rows = [
        ("a", query, 10 * i, f"http://{each}.com/x")
        for i, (query, sites) in enumerate(urls.items())
        for each in sites
    ]
    assert left(tmp_path, rows) == {"left", "right", "far", "apart"}
