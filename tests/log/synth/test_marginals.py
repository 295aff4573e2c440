"""The synthetic log has AOL's numbers. All draws are seeded: the figures are always the same."""

from collections.abc import Iterator

import duckdb
import pytest

from crowdlog.log.synth.run import SynthReport
from tests.support.log_figures import open_log, values


@pytest.fixture(scope="module")
def table(log: SynthReport) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_log(log.path) as base:
        yield base


FIGURES = {
    # name: (SQL, what spec 0 says, relative tolerance)
    "rows per user": ("select count(*) / count(distinct u) from r", [55.35], 0.05),
    "clicks per row": ("select count(url) / count(*) from r", [0.534], 0.03),
    "new queries per user, mean": ("select avg(n) from (select count(*) filter (not page) n from i group by "
                                   "u)", [33.65], 0.05),
    "new queries per user, quartiles": (
        "select quantile_cont(n, .25), median(n), quantile_cont(n, .75) from (select count(*) filter (not "
        "page) n from i group by u)",
        [4, 12, 34], 0.06,
    ),
    "sessions per user, mean": ("select avg(n) from (select sum(opens::int) n from i group by "
                                "u)", [16.73], 0.05),
    "sessions per user, median": ("select median(n) from (select sum(opens::int) n from i group by "
                                  "u)", [7], 0.01),
    # A thirtieth of AOL's users share fewer queries: 90 % at full size is more at this size.
    "distinct queries of one user": ("select avg((users = 1)::int) from d", [0.90], 0.08),
    "words per distinct query 1 … 5+": (
        f"select {', '.join(f'avg((least(words, 5) = {n})::int)' for n in range(1, 6))} from "
        "d", [0.267, 0.202, 0.206, 0.145, 0.180], 0.20,
    ),
    "clicks at rank 1": ("select avg((rank = 1)::int) from r where rank is not null", [0.42], 0.06),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_marginals_are_those_of_aol(table: duckdb.DuckDBPyConnection, name: str):
    sql, expected, tolerance = FIGURES[name]
    got = values(table, sql)
    print(f"{name:34} AOL {expected} synthetic {[round(value, 3) for value in got]}")
    assert got == pytest.approx(expected, rel=tolerance)


def test_rows_are_sorted_by_user_and_time(table: duckdb.DuckDBPyConnection):
    assert values(
        table,
        "select count(*) from (select u, t, lag(u) over (order by id) pu, lag(t) over (order by id) pt from "
        "r) where pu > u or (pu = u and pt > t)",
    ) == [0]


def test_rank_and_address_come_together(table: duckdb.DuckDBPyConnection):
    assert values(table, "select count(*) from r where (rank is null) <> (url is null)") == [0]
    assert values(
        table,
        "select count(*) from r where url is not null and not regexp_full_match(url, "
        "'http://www\\.[a-z0-9]+\\.[a-z]{3}')",
    ) == [0]


def test_the_report_counts_what_is_there(table: duckdb.DuckDBPyConnection, log: SynthReport):
    found = values(
        table,
        "select (select count(*) from r), (select count(distinct u) from r), (select count(url) from r), "
        "(select count(*) from d)",
    )
    assert found == [log.rows, log.users, log.clicks, log.distinct]


def test_all_is_within_march_to_may_2006(table: duckdb.DuckDBPyConnection):
    assert values(table, "select count(*) from r where t < '2006-03-01' or t >= '2006-06-01'") == [0]


def test_people_who_search_alike_click_alike(table: duckdb.DuckDBPyConnection):
    """Clicks of several users on one query at one rank go to one address, but for the few texts that two
    needs have.
    """
    groups = (
        "select count(distinct url) n from r where rank is not null group by q, rank having count(distinct "
        "u) > 3"
    )
    assert values(table, f"select avg((n = 1)::int) from ({groups})")[0] > 0.85
