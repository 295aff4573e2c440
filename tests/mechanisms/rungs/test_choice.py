"""One selection over held, public and empty cells."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.engine.holdings import holdings
from crowdlog.engine.log_source import open_log
from crowdlog.mechanisms.rungs import columns
from crowdlog.mechanisms.rungs.choice import (
    FALSE,
    NOT_A_CELL,
    CellGrid,
    Classes,
    Column,
    at_least,
    choose,
    quantile,
)
from crowdlog.mechanisms.rungs.classes import ShownWords
from crowdlog.mechanisms.rungs.queries import query_column
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.graded import HALF, Graded
from crowdlog.privacy.selection.incidence import Incidence
from tests.support.logs import make_log

GRADED = Graded(AdaptiveGaussian(rounds=8), 0.5)
WORDS = ("bars", "cars", "new", "york")
INVENTED = 0.7


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    texts = (
        "cars",
        "new york",
        "new york bars",
        "new york bars cars",
        "unknown cars",
        "york new",
        "www.cars.com",
        "www.unknown.com",
    )
    urls = ("http://cars.com", "http://newcars.org/x", "http://www.zoo.com", "http://other.example")
    rows = [
        (f"u{user}", text, 100 * i, urls[(user + i) % 4])
        for user in range(8)
        for i, text in enumerate(texts[user % 3 :])
    ]
    log = make_log(tmp_path_factory.mktemp("held"), rows)
    with open_log(log) as source:
        yield source, holdings(source)


def candidates(held):
    source, people = held
    shown = ShownWords(WORDS, ("cars", "zoo"))
    texts = people.words.texts.to_pylist()
    place = np.array([shown.place.get(text, -1) for text in texts])
    listed = np.array([2 * 4 + 3])  # new york
    queries, ids = query_column(people, place, shown, listed, INVENTED, longest=3)
    pairs = columns.pair_column(people, place, shown, listed, INVENTED)
    return shown, ids, queries, pairs, columns.site_column(people, shown, INVENTED), source


def test_a_held_cell_and_an_empty_one_of_its_class_have_the_same_bar_to_the_last_bit(held):
    """Otherwise the noisy weight of a row could tell whether somebody holds it."""
    _shown, _ids, *tables, _source = candidates(held)
    for column in tables:
        for grid in column.grids:
            keys = grid.key(np.arange(min(grid.cells, 1000)))
            own = np.isin(column.key, keys[keys != NOT_A_CELL]) & ~column.public
            each = grid.allowed / grid.cells
            assert all(allowed == each for allowed in column.allowed[own].tolist())
            assert np.all(
                GRADED.bar(quantile(column.allowed[own])) == GRADED.bar(quantile(np.array([each])))[0]
            )


def test_released_words_name_cells_and_everything_else_is_open(held):
    shown, ids, queries, pairs, sites, source = candidates(held)
    asked = source.query_texts(ids[ids >= 0]).to_pylist()
    named = {text for text, key in zip(asked, queries.key.tolist(), strict=False) if key >= 0}
    assert named == {"cars", "new york", "new york bars", "york new", "www.cars.com"}
    others = set(asked) - named
    assert others == {"new york bars cars", "unknown cars", "www.unknown.com"}  # four words are open
    assert {shown.query(key) for key in queries.key[queries.public].tolist()} == {"new york"}
    for text, key in zip(asked, queries.key.tolist(), strict=False):
        assert key < 0 or shown.query(key) == text
    assert np.all(queries.allowed[queries.key < 0] == 0)
    closed = {shown.site(key) for key in sites.key[sites.key >= 0].tolist()}
    assert closed == {"cars.com", "newcars.org", "zoo.com"}
    assert pairs.key.min() >= 0
    assert queries.invented == pytest.approx(INVENTED)
    assert sites.invented == pytest.approx(INVENTED)


def many(holders: int, size: int) -> Incidence:
    """All hold item 0; of `size` items."""
    return Incidence(np.arange(holders + 1), np.zeros(holders, np.int32), size)


def column(holders: int, size: int = 3, grids: tuple[CellGrid, ...] = ()) -> Column:
    classes = Classes.of((0.01, True), (0.0, False), (0.01, True))
    kind = np.arange(size, dtype=np.int32)
    return Column("words", many(holders, size), np.arange(size), kind, classes, 1.0, grids)


def test_what_nobody_holds_and_no_list_names_takes_no_part():
    seen = [choose(GRADED, [column(60)], 0.0, SeededRandomness(seed))["words"].key for seed in range(200)]
    assert all(0 in keys for keys in seen)
    assert not any(1 in keys for keys in seen)  # open, nobody's: not even with a bar of 0
    by_noise = sum(2 in keys for keys in seen)
    assert 0 <= by_noise <= 10  # allowed 1 in 100


def test_cells_that_are_held_are_not_drawn_again():
    grid = CellGrid(3, 2.9, lambda cell: cell)
    for seed in range(40):
        chosen = choose(GRADED, [column(60, grids=(grid,))], 50.0, SeededRandomness(seed))["words"]
        assert len(np.unique(chosen.key)) == len(chosen.key)
        assert chosen.item[chosen.key == 0].tolist() == [0]


def test_a_cell_that_its_holder_leaves_out_by_lot_is_drawn_like_one_that_nobody_holds():
    """Repair 2: held is what somebody holds after bounding. Neither twice nor never, whatever the lot."""
    one_of_two = Graded(AdaptiveGaussian(items_per_user=1, rounds=8), 0.5)
    grid = CellGrid(2, 1.0, lambda cell: cell)
    held = Incidence(np.array([0, 2]), np.array([0, 1], np.int32), 2)
    cells = Column("words", held, np.arange(2), np.zeros(2, np.int32), Classes.of((0.5, False)), 1.0, (grid,))
    left_out = 0
    for seed in range(60):
        chosen = choose(one_of_two, [cells], 50.0, SeededRandomness(seed))["words"]
        assert len(np.unique(chosen.key)) == len(chosen.key)
        assert set(chosen.item[chosen.item >= 0]) <= {0, 1}
        assert (chosen.item >= 0).sum() <= 1
        left_out += int((chosen.item < 0).sum())
    assert 15 <= left_out <= 45  # one cell is left out each time, and noise shows it with probability ½


def test_one_bound_holds_for_the_tables_of_a_step_together(monkeypatch):
    """Repair 5: so many keys of a person in all tables together, not in each."""
    seen = []
    right = Graded.select

    def noting(self, held, grades, randomness):
        seen.append(np.diff(held.offsets))
        return right(self, held, grades, randomness)

    monkeypatch.setattr(Graded, "select", noting)
    three = Graded(AdaptiveGaussian(items_per_user=3, rounds=8), 0.5)
    held = Incidence(np.array([0, 3, 3]), np.arange(3, dtype=np.int32), 3)
    classes = Classes.of((0.0, False))
    tables = [
        Column(table, held, np.arange(3), np.zeros(3, np.int32), classes) for table in ("queries", "sites")
    ]
    choose(three, tables, 50.0, SeededRandomness(1))
    assert [each.tolist() for each in seen] == [[3, 0]]


def test_at_least_is_seldom_wrong_whatever_is_selected():
    """20,000 keys of two people: all false statements together are few, though only the largest are looked
    at.
    """
    rng = np.random.default_rng(1)
    weight = 2 + rng.normal(0, 1 / GRADED.mu, 20_000)
    said = at_least(GRADED, weight, np.full(20_000, 1 / 20_000), 99.0)
    assert (said > 2).sum() <= 2
    assert set(np.unique(said)) & {1} == set()
    assert (
        at_least(GRADED, np.array([40.0]), np.array([0.0]), 18.5)[0] == 22
    )  # open: the whole bar is taken off
    # half of the allowance: the median of the noise, which is 0, is taken off
    assert at_least(GRADED, np.array([1e3]), np.array([0.5 / FALSE]), 18.5)[0] == np.ceil(1e3 - HALF)
