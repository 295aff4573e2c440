"""Sites of URLs: the tree is that of their labels, and common URLs are read as all others are."""

from __future__ import annotations

import pyarrow as pa
import pytest

from crowdlog.clusters.host_tree import hosts_of, labels_of, sites_of

URLS = [
    "http://www.shop.example.com/a?b=1",
    "http://shop.example.com",
    "https://example.com:8080/x",
    "HTTP://Example.COM/Path",
    "http://www.com",
    "http://www.example.org",
    "http://user@news.example.org/",
    "http://a..b.org",
    "http://example.org.",
    "bbc.co.uk/news",
    "http://",
    "",
    "http://[broken",
    "http://bücher.example/ü",
    "http://plain.example/ü\nx",
]


def test_every_url_has_the_host_that_its_labels_say():
    found = hosts_of(pa.array(URLS)).to_pylist()
    assert found == [".".join(reversed(labels_of(url))) for url in URLS]
    assert found[:6] == ["shop.example.com"] * 2 + ["example.com"] * 2 + ["www.com", "example.org"]


def test_the_tree_holds_all_endings_and_nothing_else():
    tree = sites_of(pa.array(URLS))
    endings = {labels_of(url)[:n] for url in URLS for n in range(1, 1 + len(labels_of(url)))}
    assert {tree.labels(site) for site in range(len(tree))} == endings
    assert len(tree) == len(endings)
    for site in range(len(tree)):
        labels, above = tree.labels(site), int(tree.above[site])
        assert tree.depth[site] == len(labels)
        assert above < site
        assert (tree.labels(above) if above >= 0 else ()) == labels[:-1]
    of_url = [tree.labels(site) if site >= 0 else () for site in tree.of_url.tolist()]
    assert of_url == [labels_of(url) for url in URLS]


@pytest.mark.parametrize("urls", [[], [""], ["http://x"]])
def test_logs_of_no_or_one_site_have_a_tree(urls):
    tree = sites_of(pa.array(urls, pa.string()))
    assert len(tree) == sum("x" in url for url in urls)
    assert len(tree.of_url) == len(urls)
