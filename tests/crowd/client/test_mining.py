from pathlib import Path

import pytest

from crowdlog.applications.tasks.commands import vectors_of_log
from crowdlog.crowd.client.mining import mine_own
from crowdlog.crowd.manifest import Job, Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SystemRandomness
from tests.support.histories import browser_history
from tests.support.manifests import manifest_of

ROWS = [
    ("used cars", "00:00", "1", "http://cars.example"),
    ("Used  Cars", "00:01", "", ""),
    ("weather", "00:02", "2", "http://weather.example"),
    ("weather", "00:02", "3", "http://rain.example"),
]


def _log(path: Path, users: int = 1) -> Path:
    lines = [
        f"{user}\t{query}\t2006-03-01 {time}:00\t{rank}\t{url}"
        for user in range(users)
        for query, time, rank, url in ROWS
    ]
    path.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *lines]) + "\n")
    return path


def _manifest(kind: str, inner: str = "") -> Manifest:
    nested = {"inner_artifact": inner, "inner_k": 6} if inner else {}
    return manifest_of(artifact=kind, limit=9, **nested)


def _mined(log: Path, kind: str, home: Path) -> dict[tuple[str, ...], int]:
    return {item.texts: item.impressions for item in mine_own(log, _manifest(kind), home, SystemRandomness())}


def test_a_persons_artifacts_are_found_with_their_impressions_and_nothing_is_left_behind(tmp_path):
    home, log = tmp_path / "home", _log(tmp_path / "log.tsv")
    (home / "mining.partial-killed").mkdir(parents=True)  # left by a run that was killed
    assert _mined(log, "query", home) == {("used cars",): 2, ("weather",): 1}
    assert _mined(log, "click", home) == {
        ("used cars", "http://cars.example"): 1,
        ("weather", "http://weather.example"): 1,
        ("weather", "http://rain.example"): 1,
    }
    assert _mined(log, "pair", home) == {("used cars", "weather"): 1}
    assert list(home.iterdir()) == []


def test_in_a_nested_collection_a_query_has_its_own_clicks_inside(tmp_path):
    found = mine_own(_log(tmp_path / "log.tsv"), _manifest("query", "click"), tmp_path, SystemRandomness())
    inside = {item.texts: sorted(pair.texts[1] for pair in item.inner) for item in found}
    assert inside == {
        ("used cars",): ["http://cars.example"],
        ("weather",): ["http://rain.example", "http://weather.example"],
    }
    pairs = mine_own(tmp_path / "log.tsv", _manifest("query", "pair"), tmp_path, SystemRandomness())
    assert {item.texts: [pair.texts for pair in item.inner] for item in pairs} == {
        ("used cars",): [("used cars", "weather")],
        ("weather",): [],
    }


def test_a_log_of_several_people_is_refused(tmp_path):
    (tmp_path / "home").mkdir()
    with pytest.raises(InputError, match="3 users"):
        _mined(_log(tmp_path / "log.tsv", users=3), "query", tmp_path / "home")
    assert list((tmp_path / "home").iterdir()) == []


def test_words_and_sites_can_be_mined(tmp_path):
    log = _log(tmp_path / "log.tsv")
    assert _mined(log, "word", tmp_path) == {("used",): 2, ("cars",): 2, ("weather",): 1}
    assert _mined(log, "query-site", tmp_path) == {
        ("used cars", "cars.example"): 1,
        ("weather", "weather.example"): 1,
        ("weather", "rain.example"): 1,
    }


@pytest.mark.parametrize(
    ("window", "found"),
    [
        ({"log_from": 1_141_171_260}, {("used cars",): 1, ("weather",): 1}),
        ({"log_until": 1_141_171_260}, {("used cars",): 1}),
        ({"log_from": 1_141_171_260, "log_until": 1_141_171_320}, {("used cars",): 1}),
    ],
)
def test_only_the_part_of_the_log_that_the_job_names_is_mined(tmp_path, window, found):
    manifest = manifest_of(limit=9, job=Job(**window))
    mined = mine_own(_log(tmp_path / "log.tsv"), manifest, tmp_path, SystemRandomness())
    assert {item.texts: item.impressions for item in mined} == found


def test_what_she_wrote_most_often_goes_along(tmp_path):
    manifest = manifest_of(limit=9, representation="heavy", secondary="original")
    mined = mine_own(_log(tmp_path / "log.tsv"), manifest, tmp_path, SystemRandomness())
    assert {item.texts[0]: item.beside for item in mined} == {"car use": "used cars", "weather": "weather"}


def test_labelled_feature_vectors_are_collected_like_queries(tmp_path):
    """`crowdlog tasks vectors` writes them as a store, which `crowd mine` takes like any log."""
    log = _log(tmp_path / "log.tsv")
    rows = [("used cars", "00:00", 1), ("used cars", "00:01", 1), ("weather", "00:02", 2)]
    labels = tmp_path / "tasks.tsv"
    lines = [f"0\t2006-03-01 {moment}:00\t{query}\t{task}" for query, moment, task in rows]
    labels.write_text("\n".join(["AnonID\tQueryTime\tQuery\tTask", *lines]) + "\n")
    how = {"bins": "bin2", "domain": str(tmp_path / "domain.txt"), "vectors": None}
    store = vectors_of_log(str(log), str(labels), str(tmp_path / "vectors"), **how, keep_repeats=True, seed=1)
    mined = mine_own(store.path, _manifest("query"), tmp_path, SystemRandomness())
    assert mined
    domain = set((tmp_path / "domain.txt").read_text().splitlines())
    assert {item.texts[0] for item in mined} <= domain


def _asked(path: Path, *queries: tuple[str, str]) -> Path:
    """One person's log: queries with their times of a day."""
    lines = [f"1\t{query}\t2006-03-01 {time}:00\t\t" for query, time in queries]
    path.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *lines]) + "\n")
    return path


@pytest.mark.parametrize("kind", ["undirected-pair", "undirected-session-pair", "undirected-window-pair"])
def test_undirected_pairs_of_two_people_are_the_same_whoever_asked_first(tmp_path, kind):
    """Ids follow the order of a person's own log: they must not decide which query stands first."""
    one = _asked(tmp_path / "one.tsv", ("zebra", "00:00"), ("ärger", "00:01"), ("apple", "00:02"))
    other = _asked(tmp_path / "other.tsv", ("apple", "00:00"), ("ärger", "00:01"), ("zebra", "00:02"))
    found = _mined(one, kind, tmp_path / "home")
    assert found == _mined(other, kind, tmp_path / "home")
    assert all(first < second for first, second in found)


def test_triples_are_three_queries_in_a_row_of_one_session(tmp_path):
    log = _asked(
        tmp_path / "log.tsv",
        ("a", "00:00"),
        ("b", "00:01"),
        ("c", "00:02"),
        ("c", "00:03"),  # a next page: no triple ends or goes on here
        ("a", "00:04"),
        ("b", "00:05"),
        ("c", "00:06"),
        ("d", "01:00"),  # another session
        ("e", "01:01"),
        ("f", "01:02"),
    )
    assert _mined(log, "triple", tmp_path / "home") == {
        ("a", "b", "c"): 2,
        ("c", "a", "b"): 1,
        ("d", "e", "f"): 1,
    }
    assert _mined(_asked(tmp_path / "short.tsv", ("a", "00:00"), ("b", "00:01")), "triple", tmp_path) == {}


def test_triples_of_a_part_of_the_log_have_their_last_query_in_it(tmp_path):
    log = _asked(tmp_path / "log.tsv", *((query, f"00:0{minute}") for minute, query in enumerate("abcd")))
    third_minute = 1_141_171_380  # 2006-03-01 00:03
    manifest = manifest_of(artifact="triple", limit=9, job=Job(log_from=third_minute))
    found = mine_own(log, manifest, tmp_path / "home", SystemRandomness())
    assert [item.texts for item in found] == [("b", "c", "d")]


def test_visits_are_pages_any_number_of_steps_from_a_search(tmp_path):
    history = browser_history(tmp_path / "History")
    assert _mined(history, "click", tmp_path / "home") == {("used cars", "https://first.example/"): 1}
    assert _mined(history, "query-visit", tmp_path / "home") == {
        ("used cars", "https://first.example/"): 1,
        ("used cars", "https://second.example/"): 1,
        ("used cars", "https://third.example/"): 1,
    }
