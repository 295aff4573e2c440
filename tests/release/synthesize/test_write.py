"""A log sampled from a release: consistent with its tables, the same for a seed, whole or not at all."""

import gzip
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.artifacts.breakdowns import SHARES
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.release.synthesize import synthesize_from
from crowdlog.release.synthesize.figures import read_figures
from tests.support.logs import make_log


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """Queries weather (3) and news (1), as published."""
    rows = [(f"u{i}", "weather", i, None) for i in range(3)] + [("u9", "news", 9, None)]
    return parse("FTa(k=1)").release(make_log(tmp_path, rows), tmp_path / "out", i_know=True)


def add(release: Release, name: str, **columns: list[object]) -> None:
    """A further table, as if the label had been written with it: others are none of the release."""
    table = pa.table(columns)
    pq.write_table(table, release.path / f"{name}.parquet")
    named = dict(release.label.tables) | {name: table.num_rows}
    object.__setattr__(release, "label", replace(release.label, tables=named))


def rows_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def test_queries_come_by_their_counts(release: Release, tmp_path: Path):
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=5_000, seed=1)
    counts = Counter(row[1] for row in rows_of(made.path))
    assert counts.keys() == {"weather", "news"}
    assert counts["weather"] / counts["news"] == pytest.approx(3, rel=0.15)
    assert (made.sessions, made.searches, made.clicks, made.invented) == (5_000, sum(counts.values()), 0, 0)


def test_pairs_and_clicks_are_followed(release: Release, tmp_path: Path):
    add(release, "pairs", query=["weather"], next_query=["news"], count=[5])
    add(release, "clicks", query=["weather", "weather"], url=["http://b", "http://a"], count=[1, 9])
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=5_000, seed=1)
    rows = rows_of(made.path)
    assert {(row[1], row[3], row[4]) for row in rows if row[4]} == {
        ("weather", "1", "http://a"),
        ("weather", "2", "http://b"),
    }
    followed = [b[1] for a, b in pairwise(rows) if a[1] == "weather" and a[2][:10] == b[2][:10]]
    assert followed.count("news") / len(followed) > 0.5  # .25 without the pair
    assert made.clicks == sum(bool(row[4]) for row in rows)


def test_words_make_invented_texts_that_are_listed(release: Release, tmp_path: Path):
    add(release, "words", word=["storm", "front"], count=[40, 40])
    add(release, "word_pairs", word=["storm"], next_word=["front"], count=[5])
    add(release, "word_sites", word=["front"], site=["front.org"], count=[5])
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=2_000, seed=1)
    rows = rows_of(made.path)
    listed = (tmp_path / "log.tsv.invented").read_text(encoding="utf-8").splitlines()
    texts = [row[1] for row in rows]
    assert len(set(listed)) == len(listed) == made.invented_texts
    assert {text for text in texts if text not in ("weather", "news")} <= set(listed)
    assert made.invented == sum(text in set(listed) for text in texts)
    assert "storm front" in listed
    assert "http://www.front.org" in {row[4] for row in rows}


def test_our_import_reads_it_and_the_note_names_the_release(release: Release, tmp_path: Path):
    made = synthesize_from(release, tmp_path / "log.tsv", users=50, seed=1)
    info = import_log([made.path], tmp_path / "store").info
    assert (info.users, info.impressions) == (50, made.searches)
    note = (tmp_path / "log.tsv.README.md").read_text(encoding="utf-8")
    assert "`FTa(k=1)`" in note
    assert "post-processing" in note


def test_the_same_seed_gives_the_same_bytes(release: Release, tmp_path: Path):
    a, b, c = (
        synthesize_from(release, tmp_path / name, users=40, seed=seed).path.read_bytes()
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert a == b
    assert a != c


def test_nothing_is_left_when_the_work_is_stopped(release: Release, tmp_path: Path):
    def stop(_sessions: int) -> None:
        raise KeyboardInterrupt

    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        synthesize_from(release, tmp_path / "log.tsv", users=5, progress=stop)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("size", "sentence"),
    [
        ({}, "either the number of users or that of sessions"),
        ({"users": 0}, "The number of users must be at least 1. Got 0."),
        ({"sessions": 5, "seed": -1}, "The seed must be a whole number"),
    ],
)
def test_sizes_that_cannot_be_are_told(release: Release, tmp_path: Path, size: dict[str, int], sentence: str):
    with pytest.raises(InputError, match=sentence):
        synthesize_from(release, tmp_path / "log.tsv", **size)  # type: ignore[arg-type]


def test_a_release_without_searches_is_told(tmp_path: Path):
    log = make_log(tmp_path, [("u", "weather", 0, None)])
    empty = parse("FTa(k=5)").release(log, tmp_path / "out", i_know=True)
    with pytest.raises(InputError, match="shows neither queries nor words"):
        synthesize_from(empty, tmp_path / "log.tsv", users=5)


def test_figures_of_the_release_are_followed_where_it_tells_them(tmp_path: Path):
    """Hours, clicks, numbers of searches and the covered share, from a ladder of 3,000 alike people. At this
    ε noise moves the sessions of a person by about 1.5.
    """
    rows = [
        (f"u{user}", query, 3600 * 14 + 40 * i, "http://www.cars.com" if i % 2 else None)
        for user in range(3000)
        for i, query in enumerate([*["used cars", "weather"] * 4, f"weather of {user}"])
    ]
    log = make_log(tmp_path, rows)
    words = tmp_path / "words.txt"
    words.write_text("used\ncars\nweather\n", encoding="utf-8")
    ladder = parse(f"Ladder(epsilon=2, delta=1e-6, people=3000, words='{words}', least_rows=0)")
    told = ladder.release(log, tmp_path / "out", i_know=True, randomness=SeededRandomness(2))
    figures = read_figures(told)
    assert figures.told
    assert figures.covered == pytest.approx(8 / 9, abs=0.05)  # the ninth search of each is hers alone
    assert figures.clicked == pytest.approx(4 / 9, abs=0.05)
    assert figures.sessions == pytest.approx(9 / 2, abs=3)
    made = synthesize_from(told, tmp_path / "made.tsv", sessions=2000)
    lines = (tmp_path / "made.tsv").read_text(encoding="utf-8").splitlines()[1:]
    hours = [line.split("\t")[2][11:13] for line in lines]
    assert hours.count("14") > 0.8 * len(hours)
    assert 0.1 < made.clicks / made.searches < figures.clicked + 0.05  # only where a table knows a site
    released = set(told.table("queries")["query"].to_pylist())
    invented = (tmp_path / "made.tsv.invented").read_text(encoding="utf-8").splitlines()
    assert not released & set(invented)
    searched = [line.split("\t")[1] for line in lines]
    assert "www.cars.com" in searched  # searches that no query covers may name a released site


def test_without_such_tables_published_figures_stand_in(release: Release):
    figures = read_figures(release)
    assert (figures.told, figures.clicked, figures.sessions) == (False, 0.6, 16.73)


def test_texts_stay_as_they_are_and_the_note_warns_of_spreadsheets(tmp_path: Path):
    """A log is read by programs: an apostrophe would be another query. So the reader is told."""
    rows = [(f"u{i}", "=1+1", i, None) for i in range(3)]
    release = parse("FTa(k=1)").release(make_log(tmp_path, rows), tmp_path / "out", i_know=True)
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=20, seed=1)
    assert {row[1] for row in rows_of(made.path)} == {"=1+1"}
    (note,) = tmp_path.glob("log.tsv*.md")
    assert "safe to open with one" in note.read_text(encoding="utf-8")


@pytest.mark.parametrize("query", ['he said "x"', '"', "tab\there", "a\\b", "line\nbreak", "o'neil, ann"])
def test_every_text_that_can_be_released_is_written_and_read_again(tmp_path: Path, query: str):
    """AOL's layout knows no quotes; only what would end a column or a line becomes a blank."""
    table = pa.table({"query": [query], "count": pa.array([3], pa.int64())})
    log = make_log(tmp_path, [(f"u{i}", "weather", i, None) for i in range(3)])
    release = parse("FTa(k=1)").release(log, tmp_path / "out", i_know=True)
    pq.write_table(table, release.path / "queries.parquet")
    object.__setattr__(release, "label", replace(release.label, hashes={}))
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=20, seed=1)
    written = query.replace("\t", " ").replace("\n", " ")
    assert {row[1] for row in rows_of(made.path)} == {written}
    again = import_log([made.path], tmp_path / "again")
    assert again.info.queries == 1
    assert again.info.rows == made.searches


@pytest.mark.parametrize("shown", ["words", "queries"])
def test_a_release_of_words_alone_or_of_queries_alone_is_enough(tmp_path: Path, shown: str):
    """The ladder of few people has words alone; another may say that its queries cover little."""
    log = make_log(tmp_path, [("u", "weather", 0, None)])
    release = parse("FTa(k=5)").release(log, tmp_path / "out", i_know=True)
    add(release, shown, **{shown.removesuffix("s").replace("querie", "query"): ["weather"], "count": [5]})
    add(release, "lengths", words=["1", "2"], count=[3, 3])
    add(release, "shares", share=list(SHARES), count=[1, 1, 1, 1, 1])
    notes = release.label.notes | {"people": 10}
    object.__setattr__(release, "label", replace(release.label, notes=notes, hashes={}))
    made = synthesize_from(release, tmp_path / "log.tsv", sessions=50)
    assert made.searches == len(rows_of(made.path)) >= 50
    assert (made.invented == 0) is (shown == "queries")
    assert all("weather" in row[1] for row in rows_of(made.path)) or shown == "words"


def test_a_place_that_cannot_be_written_is_told_and_gz_is_compressed(release: Release, tmp_path: Path):
    with pytest.raises(InputError, match=r"Cannot write .*Choose another place"):
        synthesize_from(release, tmp_path / "nowhere" / "log.tsv", users=5)
    made = synthesize_from(release, tmp_path / "log.tsv.gz", users=5)
    assert gzip.decompress(made.path.read_bytes()).startswith(b"AnonID")
