"""A log of 60 people, compared once for all tests of this folder that only look."""

from __future__ import annotations

import pytest

from tests.support.logs import crowd_rows, make_log

# The first publishes, the second adds noise and publishes, the third publishes nothing.
MECHANISMS = ("FTu(k=5)", "DPu(epsilon=40, delta=0.001, d=3)", "DPu(epsilon=0.1, delta=1e-06, d=3)")


@pytest.fixture(scope="package")
def log(tmp_path_factory):
    alone = [(f"u{i}", f"canary{i} private", 500, None) for i in range(60)]
    rows = crowd_rows(60, ["weather boston", "used cars", "fear of flying"]) + alone
    return make_log(tmp_path_factory.mktemp("compared"), rows)


@pytest.fixture(scope="package")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="package")
def topics(tmp_path_factory):
    file = tmp_path_factory.mktemp("topics") / "topics.tsv"
    file.write_text(
        "query\ttopic\tsensitive\nweather boston\tnature/weather\t0\nused cars\ttraffic\t0\ncanary1 "
        "private\tsecret\t1\n",
        encoding="utf-8",
    )
    return file


@pytest.fixture(scope="package")
def comparison(log, cache, topics):
    from crowdlog.comparison import compare

    return compare(
        log,
        MECHANISMS,
        seeds=2,
        topics=topics,
        cache=cache,
        utility=["coverage", "adhoc:nDCG@10"],
        attacks=["linkage", "exposure"],
    )
