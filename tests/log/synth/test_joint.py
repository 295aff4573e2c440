"""What people share in the synthetic log is what people share in real ones.

The figures are published or aggregates of real logs (docs/synthetic.md, "What is shared"): compared like with
like, at equal numbers of people and searches, within a factor of 1.5.
"""

from collections.abc import Iterator

import duckdb
import pytest

from crowdlog.log.synth.run import SynthReport
from tests.support import log_figures as figures

FACTOR = 1.5


@pytest.fixture(scope="module")
def base(log: SynthReport) -> Iterator[duckdb.DuckDBPyConnection]:
    with figures.open_log(log.path) as connection:
        figures.equal_people(connection, people=308, searches=150)
        yield connection


def near(found: float, real: float, factor: float = FACTOR) -> bool:
    return real / factor <= found <= real * factor


def test_queries_are_shared_by_as_many_people(base: duckdb.DuckDBPyConnection):
    """308 people with 150 clicked searches each: queries of at least 2, 5, 10, 20 people."""
    found = figures.people_curve(base, "select u, q as key from e")
    print(f"queries of 2, 5, 10, 20 people: real 601, 64, 20, 4; synthetic {found}")
    assert all(near(*pair) for pair in zip(found, [601, 64, 20, 4], strict=True)), found


def test_clicks_are_shared_by_as_many_people(base: duckdb.DuckDBPyConnection):
    """All clicks of these people: pairs of query and address of at least 5 people."""
    assert near(figures.people_curve(base, figures.clicks_of("e"))[1], 161)


@pytest.mark.parametrize(
    ("kind", "least", "real"),
    [
        # what a selection with this bar named from 1,000 people of a real log cut to AOL's volumes; the bar
        # is where the same selection named 125 words and 36 sites of the former generator
        ("words", 43, 94),
        ("sites", 47, 17),
    ],
)
def test_words_and_sites_are_shared_by_as_many_people(
    base: duckdb.DuckDBPyConnection, kind: str, least: int, real: int
):
    people = "(select * from i where u in (select distinct u from i order by u limit 1000))"
    pairs = figures.words_of(people) if kind == "words" else figures.sites_of(people)
    counted = (
        f"select count(*) from (select count(distinct u) n from ({pairs}) group by key) where n >= {least}"
    )
    assert near(figures.values(base, counted)[0], real)


def test_the_head_is_as_heavy_and_people_return_to_it(base: duckdb.DuckDBPyConnection):
    """Ten queries have 7 to 12 % of all searches; of 308 × 150 clicked ones 5 %; a third is repeated."""
    assert 0.07 <= figures.top_share(base) <= 0.12
    assert near(figures.top_share(base, "e"), 0.05)
    assert near(figures.own_repeats(base, "e"), 0.36, 1.25)
    assert figures.own_repeats(base, "(select * from i where not page)") == pytest.approx(0.33, abs=0.02)


def test_favourites_are_searched_by_some_people_often(base: duckdb.DuckDBPyConnection):
    """Who searches for one of the ten most frequent queries does so several times."""
    top = "select q from d order by searches desc limit 10"
    searches, people = figures.values(base, f"select sum(searches), sum(users) from d where q in ({top})")
    assert searches / people > 5


def test_most_distinct_queries_are_searched_once(base: duckdb.DuckDBPyConnection):
    assert 0.69 <= figures.values(base, "select avg((searches = 1)::int) from d")[0] <= 0.78


def test_clicks_gather_on_one_site_or_spread(base: duckdb.DuckDBPyConnection):
    """Queries with 100 to 1,000 clicks are navigational; with 20 to 100, everything from spread to one site.

    The real 10 % point is .03; here .20 at this size and .08 with 60,000 people (KNOWN_LIMITS.md).
    """
    _low, middle, _high, addresses = figures.concentration(base, 100, 1_000)
    assert middle > 0.97
    assert addresses <= 3
    low, _middle, high, _addresses = figures.concentration(base, 20, 100)
    assert low < 0.25
    assert high > 0.95


def test_clicks_of_rarer_queries_spread_more(base: duckdb.DuckDBPyConnection):
    frequent = figures.concentration(base, 100, 1_000)[1]
    rarer = figures.concentration(base, 20, 99)[1]
    assert rarer < frequent


def test_sites_called_like_the_query_are_clicked_as_often(base: duckdb.DuckDBPyConnection):
    """.20 of the clicks of a real log of busy people, .41 of its light version."""
    assert 0.18 <= figures.named_like_the_query(base) <= 0.45


def test_neighbours_share_words_and_sessions_are_short(base: duckdb.DuckDBPyConnection):
    """Three real logs: 30, 39 and 50 % of neighbours; 51 % of sessions have one search; 92 s between two."""
    assert 0.30 <= figures.shared_words(base) <= 0.50
    single, gap = figures.sessions(base)
    assert single == pytest.approx(0.51, abs=0.03)
    assert gap == pytest.approx(92, rel=0.1)
