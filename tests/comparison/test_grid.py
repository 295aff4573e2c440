"""Where results are kept: the name depends on everything the result depends on."""

import json
from dataclasses import asdict, replace

import pytest

from crowdlog.comparison.grid import LABEL, TOPICS, Grid, input_digests
from crowdlog.experiments.seeded_release import SeededRun


@pytest.fixture
def grid(tmp_path):
    return Grid("STORE", "id1", str(tmp_path), ("FTu(k=5)", "FTa(k=5)"), 2, ("coverage",), ("linkage",))


def file(grid, run, measure):
    return grid.results.file(grid.key(run, measure))


def test_every_mechanism_once_before_any_twice(grid):
    assert [(run.mechanism, run.seed) for run in grid.runs()] == [
        ("FTu(k=5)", 1),
        ("FTa(k=5)", 1),
        ("FTu(k=5)", 2),
        ("FTa(k=5)", 2),
    ]


def test_names_differ_by_all_that_matters(grid):
    run = SeededRun("FTu(k=5)", 1)
    files = {file(grid, run, measure) for measure in grid.measures()}
    files |= {
        file(grid, SeededRun("FTu(k=6)", 1), LABEL),
        file(grid, SeededRun("FTu(k=5)", 2), LABEL),
        file(replace(grid, source="id2"), run, LABEL),
    }
    files |= {file(replace(grid, topics_hash=text), run, TOPICS) for text in "ab"}
    files.add(file(replace(grid, code="other"), run, LABEL))
    files |= {file(replace(grid, inputs={run.mechanism: [text]}), run, LABEL) for text in "ab"}
    assert len(files) == len(grid.measures()) + 8
    assert file(replace(grid, topics_hash="a"), run, LABEL) == file(grid, run, LABEL)


def test_what_is_kept_is_not_missing(grid):
    run = SeededRun("FTu(k=5)", 1)
    assert grid.missing(run) == [LABEL, ("utility", "coverage"), ("attack", "linkage")]
    grid.keep(run, LABEL, {"label": {"ε": 1}})
    assert grid.missing(run) == [("utility", "coverage"), ("attack", "linkage")]
    assert grid.kept(run, LABEL) == {
        "mechanism": "FTu(k=5)",
        "seed": 1,
        "measure": ["label", "label"],
        "label": {"ε": 1},
    }


def test_a_grid_comes_back_from_json(grid):
    assert Grid.of(json.loads(json.dumps(asdict(grid)))) == grid


def test_a_file_that_a_mechanism_reads_is_noticed_when_it_changes(tmp_path):
    pool = tmp_path / "pool.txt"
    spelling = f"AClick(epsilon=2, q_f=1, pool={str(pool)!r})"
    assert input_digests(spelling) == input_digests("FTu(k=5)") == []
    found = set()
    for text in ("cats", "dogs"):
        pool.write_text(text, encoding="utf-8")
        found.add(tuple(input_digests(spelling)))
    assert len(found) == 2
