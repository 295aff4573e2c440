"""Crowd: one (ε, δ) for three tables, counts with their noise, nothing of one person alone."""

import math
from fractions import Fraction

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms.crowd import Crowd
from crowdlog.privacy.gaussian import gaussian_delta
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import crowd_rows, make_log

BAD = [
    {"epsilon": 0},
    {"unknown": 0},
    {"unknown": 2},
    {"delta": 0},
    {"delta": 1},
    {"items": 0},
    {"budget": 0},
    {"weight_select": 0},
    {"weight_clicks": -1},
]
QUERIES = ["weather boston", "used cars", "bus times"]
SETTINGS = [
    Crowd(epsilon=math.log(10), delta=1e-5),
    Crowd(epsilon=1, delta=1e-8, weight_clicks=0),
    Crowd(epsilon=0.5, delta=1e-6, weight_pairs=7, items=20),
]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """600 people ask three queries, click and go on; one has a query,
    a page and a reformulation of her own.
    """
    rows = [
        *crowd_rows(600, QUERIES),
        ("u7", "canary secret 4711", 5000, "http://canary.example"),
        ("u7", "used cars", 5010, "http://canary.example"),
    ]
    return make_log(tmp_path_factory.mktemp("crowd"), rows)


@pytest.mark.parametrize("mechanism", SETTINGS, ids=repr)
def test_the_parts_cost_no_more_than_the_whole(mechanism: Crowd) -> None:
    parts = mechanism.parts().values()
    squares = sum(Fraction(part.mu_keys) ** 2 + Fraction(part.mu_counts) ** 2 for part in parts)
    assert squares <= Fraction(mechanism.mu) ** 2 < squares * Fraction(1_000_001, 1_000_000)
    spent = gaussian_delta(mechanism.epsilon, mechanism.mu) + sum(part.tail for part in parts)
    assert 0.999 * mechanism.delta < spent <= mechanism.delta


@pytest.mark.parametrize("mechanism", SETTINGS, ids=repr)
def test_the_promise_is_what_was_asked_for_and_names_the_noise(mechanism: Crowd) -> None:
    promise = mechanism.promise()
    assert (promise.guarantee.epsilon, promise.guarantee.delta) == (mechanism.epsilon, mechanism.delta)
    noisy = {name: value for name, value in promise.settings.items() if name.endswith("count noise sd")}
    assert noisy == {f"{plan.name}: count noise sd": plan.noise.sd for plan in promise.tables}
    assert [plan.name for plan in promise.tables] == list(mechanism.parts())


def test_three_tables_with_counts_near_the_truth(log) -> None:
    mechanism = Crowd(epsilon=4, delta=1e-9)
    protected = mechanism.protect(log, SeededRandomness(2))
    assert [table.column_names for table in protected.tables.values()] == [
        ["query", "count", "noise"],
        ["query", "url", "count", "noise"],
        ["query", "next_query", "count", "noise"],
    ]
    for table in protected.tables.values():
        counts, noise = (table.column(name).to_numpy() for name in ("count", "noise"))
        assert np.all(np.abs(counts - 600) < 6 * noise)
    assert sorted(protected.tables["queries"].column("query").to_pylist()) == sorted(QUERIES)
    pairs = {(row["query"], row["next_query"]) for row in protected.tables["pairs"].to_pylist()}
    assert pairs == {("weather boston", "used cars"), ("used cars", "bus times")}
    assert "canary" not in str([table.to_pylist() for table in protected.tables.values()])
    assert mechanism.plan[0].noise.sd == protected.tables["queries"].column("noise")[0].as_py()


def test_clicks_and_pairs_can_be_left_out(log) -> None:
    protected = Crowd(epsilon=4, delta=1e-9, weight_clicks=0, weight_pairs=0).protect(
        log, SeededRandomness(2)
    )
    assert list(protected.tables) == ["queries"]


def test_cleaning_sets_negative_counts_to_zero(tmp_path) -> None:
    """Nearly no privacy is spent on counts, so noise drowns them: half of twenty are negative."""
    log = make_log(tmp_path, crowd_rows(300, [f"query {k}" for k in range(20)]))
    lowest = []
    for clean in (False, True):
        mechanism = Crowd(
            epsilon=4, delta=1e-6, clean=clean, weight_counts=1e-7, weight_clicks=0, weight_pairs=0
        )
        counts = mechanism.protect(log, SeededRandomness(2)).tables["queries"].column("count").to_numpy()
        assert len(counts) == 20
        lowest.append(counts.min())
    assert lowest[0] < 0 == lowest[1]


def test_clicks_and_next_queries_belong_to_shown_queries(tmp_path) -> None:
    """δ = 0.9 shows much, so that rare queries stand beside hidden ones."""
    steps = (("a", 0), ("b", 9))
    rows = [
        (f"{k}-{user}", f"{query}{k}", second, f"http://{query}.example")
        for k in range(150)
        for user in "xyz"
        for query, second in steps
    ]
    protected = Crowd(epsilon=2, delta=0.9).protect(make_log(tmp_path, rows), SeededRandomness(5))
    shown = set(protected.tables["queries"].column("query").to_pylist())
    assert 0 < len(shown) < 300
    assert set(protected.tables["clicks"].column("query").to_pylist()) <= shown
    assert set(protected.tables["pairs"].column("query").to_pylist()) <= shown
    assert set(protected.tables["pairs"].column("next_query").to_pylist()) <= shown


@pytest.mark.parametrize("bad", BAD)
def test_bad_parameters_get_one_sentence(bad: dict[str, float]) -> None:
    with pytest.raises(InputError, match="parameter of Crowd must be"):
        Crowd(**{"epsilon": 1.0, "delta": 1e-6, **bad})


def test_a_public_pool_helps_its_queries_and_is_in_the_label(tmp_path) -> None:
    """Forty people ask 60 queries each: too few for all of them, so what is favoured decides."""
    queries = [f"query {k}" for k in range(60)]
    log = make_log(tmp_path, crowd_rows(40, queries))
    pool = tmp_path / "pool.txt"
    pool.write_text("".join(f"{query.upper()}\n" for query in [*queries[:5], "unasked"]), encoding="utf-8")
    plain = Crowd(epsilon=4, delta=1e-4, weight_clicks=0, weight_pairs=0)
    helped = Crowd(epsilon=4, delta=1e-4, weight_clicks=0, weight_pairs=0, pool=str(pool), unknown=0.05)
    shown = [
        set(m.protect(log, SeededRandomness(4)).tables["queries"].column("query").to_pylist())
        for m in (plain, helped)
    ]
    assert len(shown[0] & set(queries[:5])) < len(shown[1] & set(queries[:5]))
    assert "unasked" not in shown[1]
    promise = helped.promise()
    assert promise.guarantee == plain.promise().guarantee
    assert "favours 6 public ones; others count 0.05 times as much" in promise.steps[1].what
    assert any("pool is public" in assumption for assumption in promise.assumptions)


def test_a_pool_that_cannot_be_used_is_found_before_the_charge(tmp_path) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    for name, complaint in (("none", "cannot be read"), ("empty", "is empty")):
        with pytest.raises(InputError, match=complaint):
            Crowd(epsilon=1, delta=1e-6, pool=str(tmp_path / name)).check_inputs()


def test_a_pool_that_overlaps_nothing_gets_one_sentence(log, tmp_path) -> None:
    (tmp_path / "pool").write_text("unasked\n", encoding="utf-8")
    (advice,) = Crowd(epsilon=1, delta=1e-6, pool=str(tmp_path / "pool")).advice(log)
    assert advice.startswith("No query of this log is in the pool")
    (tmp_path / "pool").write_text("unasked\nUsed cars\n", encoding="utf-8")
    assert Crowd(epsilon=1, delta=1e-6, pool=str(tmp_path / "pool")).advice(log) == ()
    assert Crowd(epsilon=1, delta=1e-6).advice(log) == ()
