from pathlib import Path

import pytest

from crowdlog.crowd.client.mining import mine_own
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SystemRandomness
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
