"""Names that other programs read as patterns, keys or quotes are names."""

from __future__ import annotations

import shutil

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.log.store import LogStore
from crowdlog.log.summary import summarise
from crowdlog.mechanisms import parse
from crowdlog.release.folder import Release
from tests.support.logs import crowd_rows, make_log

# The store, and a neighbour that its name means when it is read as a pattern.
NAMES = [
    ("log[1]", "log1"),
    ("st*", "stB"),
    ("q?", "qB"),
    ("[!a]", "b"),
    ("**", "x"),
    ("parent[1]/store", "parent1/store"),
    ("p*/store", "pB/store"),
    ("p?/in/store", "pB/in/store"),
    ("user=5", "other"),
    ("user=0/store", "other"),
    ("it's", "its"),
    ('a"b', "ab"),
    ("~", "home"),
]
FEW = "query of three people"
MANY = "query of four hundred"


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    few = make_log(folder, crowd_rows(3, [FEW]), "few").path
    many = make_log(folder, crowd_rows(400, [MANY]), "many").path
    return few, many


def beside(logs, folder, name, neighbour) -> LogStore:
    """The small log under the name, the large one under the neighbour's."""
    few, many = logs
    for source, to in ((few, name), (many, neighbour)):
        shutil.copytree(source, folder / to)
    return LogStore.open(folder / name)


@pytest.mark.parametrize(("name", "neighbour"), NAMES)
def test_a_release_counts_the_people_of_its_own_store(logs, tmp_path, name, neighbour):
    log = beside(logs, tmp_path, name, neighbour)
    protected = parse("FTu(k=3)").protect(log, None)
    (row,) = protected.tables["queries"].to_pylist()
    assert row["query"] == FEW
    assert row["count"] == 3
    assert parse("FTu(k=4)").protect(log, None).tables["queries"].num_rows == 0


@pytest.mark.parametrize(("name", "neighbour"), NAMES)
def test_the_figures_of_a_store_are_its_own(logs, tmp_path, name, neighbour):
    log = beside(logs, tmp_path, name, neighbour)
    expected = summarise(LogStore.open(logs[0]))
    assert summarise(log) == expected
    assert expected.single_user_query_share == 0.0


@pytest.mark.parametrize("name", ["out[1]", "o*", "o?", "user=5", "it's", "~", "a#b%20c"])
def test_a_release_folder_may_have_any_name(logs, tmp_path, monkeypatch, name):
    store = tmp_path / "log?mode=ro#1%20[2]"
    shutil.copytree(logs[1], store)
    monkeypatch.chdir(tmp_path)
    words = ["release", store.name, "DPu(epsilon=4, delta=1e-6, d=2)", "-o", name]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    assert Release.open(tmp_path / name).queries().num_rows == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([store.name, name])
