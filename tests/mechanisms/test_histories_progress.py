"""Every pass over a log that a release of histories, or its check, makes has a bar that reaches its end."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.verify_clusters import verify_clusters
from tests.support.logs import make_log

RELEASE = {
    "artifacts.semantic.reading": {"Reading who typed what"},
    "clusters.profiles": {"Reading who searched what"},
    "clusters.partition": {"Finding users alike"},
    "clusters.host_tree": {"Reading sites"},
    "clusters.user_rows": {"Reading histories"},
    "clusters.representatives.base": {"Making representatives"},
}
VERIFY = {
    "release.verify_clusters": {
        "Comparing records",
        "Looking up texts",
        "Looking up words",
        "Looking up sites",
    },
    "release.people_per_key": {f"Counting people of {what}" for what in ("texts", "words", "sites")},
}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    urls = ("http://a.com", "http://b.a.com", None)
    rows = [
        (f"u{u}", f"golf {i} {'rstuvw'[u % 6]} {'rstuvw'[(u + 1) % 6]}", 1000 * u + i, urls[i])
        for u in range(12)
        for i in range(3)
    ]  # two people typed each text, four each word
    return make_log(tmp_path_factory.mktemp("histories"), rows)


def test_all_bars_reach_their_ends(log, monkeypatch):
    bars: dict[str, list[int]] = {}

    @contextmanager
    def bar(title, total, unit="rows"):
        bars[title] = [total, 0]

        def advance(amount):
            bars[title][1] += amount

        yield advance

    for module in (*RELEASE, *VERIFY):
        monkeypatch.setattr(f"crowdlog.{module}.progress_bar", bar)
    monkeypatch.setattr("crowdlog.progress.progress_bar", bar)  # where it is imported when it is needed
    mechanism = parse("SemanticMdav(k=3)")
    made = mechanism.protect(log, SeededRandomness(1))
    assert set(bars) == set().union(*RELEASE.values(), {"Looking up categories", "Writing records"})
    verify_clusters(log, made.tables["events"], mechanism.k, mechanism.rule, made.notes)
    assert set().union(*VERIFY.values()) <= set(bars)
    assert {title: done for title, (total, done) in bars.items() if done != total} == {}
