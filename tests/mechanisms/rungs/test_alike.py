"""Pairs of released queries that are alike have a lower bar: a rule on texts alone."""

import numpy as np
import pytest

from crowdlog.mechanisms.rungs.alike import MOST_ALIKE, alike
from crowdlog.mechanisms.rungs.choice import NOT_A_CELL
from crowdlog.mechanisms.rungs.columns import edge_column


def test_queries_that_share_a_word_or_a_site_are_alike():
    queries = [
        "google",
        "http://www.google.net",
        "used cars",
        "used cars boston",
        "weather",
        "www.google.com",
    ]
    cells = {divmod(cell, len(queries)) for cell in alike(queries).tolist()}
    assert cells == {(0, 1), (1, 0), (0, 5), (5, 0), (1, 5), (5, 1), (2, 3), (3, 2)}
    assert alike(queries).tolist() == sorted(alike(queries).tolist())


@pytest.mark.parametrize("queries", [[], ["a"], [".", "www.", "http://", "..."], ["a b", "b a"]])
def test_odd_texts_are_no_fault(queries):
    size = len(queries)
    assert all(0 <= cell < size * size and cell // size != cell % size for cell in alike(queries).tolist())


def test_a_word_of_many_queries_makes_none_alike():
    many = [f"free {place}" for place in range(MOST_ALIKE + 1)]
    assert not alike(many).size
    assert alike(many[1:]).size == MOST_ALIKE * (MOST_ALIKE - 1)


def test_every_cell_is_of_one_class_and_allowances_are_those_of_the_table():
    """Alike cells take part whether or not anybody holds them; all others are drawn from the grid."""
    queries = ["used cars", "cars boston", "weather", "news"]
    called = alike(queries)
    held = np.array([1, 11], np.int64)  # used cars → cars boston; weather → news
    column = edge_column("pairs", np.array([0, 2]), held, (4, 4), called, 2.0)
    assert set(column.key.tolist()) == {1, 4, 11}
    public = dict(zip(column.key.tolist(), column.public.tolist(), strict=True))
    assert public == {1: True, 4: True, 11: False}
    assert column.invented == pytest.approx(2.0)
    allowed = dict(zip(column.key.tolist(), column.allowed.tolist(), strict=True))
    assert allowed[1] == allowed[4] > allowed[11]
    (grid,) = column.grids
    drawn = grid.key(np.arange(grid.cells))
    own = {place * 5 for place in range(4)}  # no query is followed by itself
    assert set(np.flatnonzero(drawn == NOT_A_CELL)) == own | {1, 4}
    assert allowed[11] == pytest.approx(grid.allowed / grid.cells)
