"""Searches with their hours and clicks, against the rows that were written."""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.packed_keys import pack
from crowdlog.engine.holdings import holdings, pairs_held
from crowdlog.engine.log_source import open_log
from crowdlog.engine.searches import read_rows
from crowdlog.log.importer import import_log
from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.log.synth import synthesize
from tests.support.logs import make_log

ROWS = [
    ("b", "used cars", 3600 * 5, "http://cars.example/1"),
    ("b", "used cars", 3600 * 5, "http://www.far.example/2"),  # a second click of the same search
    ("a", "Weather", 3600 * 23 + 59, None),
    ("a", "weather", 3600 * 24 + 1, "http://far.example"),
]


def test_every_search_once_with_all_its_clicks(tmp_path):
    log = make_log(tmp_path, ROWS)
    with open_log(log) as source:
        found = read_rows(source, SESSION_MINUTES)
        urls = source.log.url_texts(np.arange(log.info.urls)).to_pylist()
        texts = source.query_texts(found.query).to_pylist()
    marked = np.array(["far.example" in url for url in urls])
    rows = zip(
        texts, found.hour.tolist(), found.clicked().tolist(), found.clicked(marked).tolist(), strict=True
    )
    assert sorted(rows) == [
        ("used cars", 5, True, True),
        ("weather", 0, True, True),
        ("weather", 23, False, False),
    ]
    assert sorted(found.per_person().tolist()) == [1, 2]
    assert np.all(np.diff(found.user) >= 0)


def test_rows_hold_what_the_engine_counts(tmp_path):
    """Queries, clicks and next queries of each person, in another representation, too."""
    synthesize(tmp_path / "log.tsv", users=60, seed=3)
    log = import_log([tmp_path / "log.tsv"], tmp_path / "store")
    for representation in ("original", "spelling"):
        with open_log(log, representation) as source:
            people = holdings(source, SESSION_MINUTES)
            asked, clicked, following = (
                set(zip(*(column.tolist() for column in source.rows(artifact)), strict=True))
                for artifact in (Artifact("query"), Artifact("click"), Artifact("pair"))
            )
            every = np.arange(source.names)
        rows = people.rows
        by_user = np.repeat(np.arange(rows.users), np.diff(people.queries.offsets))
        assert set(zip(by_user.tolist(), people.queries.items.tolist(), strict=True)) == asked
        clicker = np.repeat(np.arange(rows.users), np.diff(rows.click_starts))
        keys = pack(rows.click_query, rows.click_url)
        assert set(zip(clicker.tolist(), keys.tolist(), strict=True)) == clicked
        starts, one, other = pairs_held(rows, every)
        who = np.repeat(np.arange(rows.users), np.diff(starts))
        assert set(zip(who.tolist(), pack(one, other).tolist(), strict=True)) == following
        assert len(following) > 100
