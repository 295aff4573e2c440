"""Which tables a ladder publishes, from public numbers alone."""

from __future__ import annotations

import pytest

from crowdlog.mechanisms.ladder import Ladder
from crowdlog.mechanisms.rungs.setting import MANY_FROM, PAIRS_FROM, TABLES, expected_rows, shares
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log


def test_a_small_log_gets_words_alone_and_they_come_out(tmp_path):
    """Everything that rests on words may be left out."""
    ladder = Ladder(epsilon=1, delta=1e-6, people=1000)
    assert ladder.setting.tables == ("words",)
    small = {"lengths", "activity", "shares", "topics"}  # of public values
    assert {plan.name for plan in ladder.plan} == {"words"} | small
    log = make_log(tmp_path, [(f"u{user}", "cars", 100, "http://cars.com") for user in range(400)])
    protected = ladder.protect(log, SeededRandomness(1))
    assert set(protected.tables) == {"words"} | small
    assert "cars" in protected.tables["words"]["word"].to_pylist()


@pytest.mark.parametrize(("people", "there"), [(PAIRS_FROM - 1, False), (PAIRS_FROM, True)])
def test_next_queries_come_from_fifty_thousand_people_on(people, there):
    setting = Ladder(epsilon=2.3, delta=1e-5, people=people).setting
    assert ("pairs" in setting.tables) is there
    assert (setting.mu["pairs"] > 0) is there
    assert sum(mu**2 for mu in setting.mu.values()) <= Ladder(epsilon=2.3, delta=1e-5).mu ** 2
    if there:
        assert setting.mu["pairs"] ** 2 <= 0.1 * sum(mu**2 for mu in setting.mu.values())


def test_a_third_of_the_words_privacy_goes_to_what_they_name_where_people_are_many():
    """Below, nothing changes; queries were .90 times Crowd's at 657,000 people (docs/ladder.md)."""
    chosen = tuple(table for table in TABLES if table != "pairs")
    below, many = (shares(people, chosen, {}, ("hours",)) for people in (MANY_FROM - 1, MANY_FROM))
    at_sixty_thousand = shares(60_000, chosen, {}, ("hours",))
    assert below == at_sixty_thousand
    assert many["words"] == pytest.approx(below["words"] * 2 / 3)
    assert many["words"] + many["named"] == pytest.approx(below["words"] + below["named"])
    for step in set(many) - {"words", "named"}:
        assert many[step] == pytest.approx(below[step])


@pytest.mark.parametrize("people", [1, 1_000, 20_000, MANY_FROM - 1, MANY_FROM, 657_426, 10**9])
@pytest.mark.parametrize("tables", [TABLES, ("words",), ("words", "queries", "sites")])
@pytest.mark.parametrize("breakdowns", [(), ("hours",)])
def test_shares_add_up_to_one_at_most_whoever_takes_part(people, tables, breakdowns):
    found = shares(people, tables, {}, breakdowns)
    assert 1 - 1e-9 <= sum(found.values()) <= 1
    assert min(found.values()) >= 0


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("people", [10, 50, 300, 1_000, 20_000, 2_000_000])
def test_more_epsilon_never_expects_fewer_rows(table, people):
    rows = [expected_rows(table, people, epsilon) for epsilon in (0.05, 0.3, 1.0, 2.3, 8.0)]
    assert rows == sorted(rows)
