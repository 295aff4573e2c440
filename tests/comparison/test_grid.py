"""Where results are kept: the name depends on everything the result depends on."""

import json
from dataclasses import asdict, replace

import pytest

from crowdlog.comparison.grid import LABEL, TOPICS, Cell, Grid, grid_of


@pytest.fixture
def grid(tmp_path):
    return Grid("STORE", "id1", str(tmp_path), ("FTu(k=5)", "FTa(k=5)"), 2, ("coverage",), ("linkage",))


def test_every_mechanism_once_before_any_twice(grid):
    assert [(cell.mechanism, cell.seed) for cell in grid.cells()] == [("FTu(k=5)", 1), ("FTa(k=5)", 1), ("FTu(k=5)", 2), ("FTa(k=5)", 2)]


def test_names_differ_by_all_that_matters(grid):
    cell = Cell("FTu(k=5)", 1)
    files = {grid.file(cell, measure) for measure in grid.measures()}
    files |= {grid.file(Cell("FTu(k=6)", 1), LABEL), grid.file(Cell("FTu(k=5)", 2), LABEL), replace(grid, source="id2").file(cell, LABEL)}
    files |= {replace(grid, topics_hash=text).file(cell, TOPICS) for text in "ab"}
    files.add(replace(grid, code="other").file(cell, LABEL))
    assert len(files) == len(grid.measures()) + 6
    assert replace(grid, topics_hash="a").file(cell, LABEL) == grid.file(cell, LABEL)


def test_what_is_kept_is_not_missing(grid):
    cell = Cell("FTu(k=5)", 1)
    assert grid.missing(cell) == [LABEL, ("utility", "coverage"), ("attack", "linkage")]
    grid.keep(cell, LABEL, {"label": {"ε": 1}})
    assert grid.missing(cell) == [("utility", "coverage"), ("attack", "linkage")]
    assert grid.kept(cell, LABEL) == {"mechanism": "FTu(k=5)", "seed": 1, "measure": ["label", "label"], "label": {"ε": 1}}


def test_a_grid_comes_back_from_json(grid):
    assert grid_of(json.loads(json.dumps(asdict(grid)))) == grid
