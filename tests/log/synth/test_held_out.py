"""What people share in a synthetic log of a seed that no constant was set on: users per key within 1.5 × of
the figures of real logs (docs/synthetic.md). Nothing is to be set on this seed.
"""

from collections.abc import Iterator

import duckdb
import pytest

from crowdlog.log.synth import synthesize
from tests.support import log_figures as figures

SEED = 31
USERS = 24_000  # 308 of them have 150 clicked searches
GROUP = 1_000
FACTOR = 1.5


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    log = synthesize(tmp_path_factory.mktemp("held-out") / "log.tsv", users=USERS, seed=SEED)
    with figures.open_log(log.path) as connection:
        figures.equal_people(connection, people=308, searches=150)
        yield connection


def near(found: float, real: float) -> bool:
    return real / FACTOR <= found <= real * FACTOR


def test_queries_are_shared_by_as_many_people(held_out: duckdb.DuckDBPyConnection):
    """Queries of at least 2, 5, 10, 20 of 308 people with 150 clicked searches each."""
    found = figures.people_curve(held_out, "select u, q as key from e")
    assert all(near(*pair) for pair in zip(found, [601, 64, 20, 4], strict=True)), found


def test_clicks_are_shared_by_as_many_people(held_out: duckdb.DuckDBPyConnection):
    """Pairs of query and address of at least 5 of these people: the one point that is given."""
    assert near(figures.people_curve(held_out, figures.clicks_of("e"))[1], 161)


@pytest.mark.parametrize(("kind", "least", "real"), [("words", 43, 94), ("sites", 47, 17)])
def test_words_and_sites_are_shared_by_as_many_people(
    held_out: duckdb.DuckDBPyConnection, kind: str, least: int, real: int
):
    """The mean of all groups of 1,000 people: a single group of another seed (32) has 55 to 77 words."""
    pairs = figures.words_of("i") if kind == "words" else figures.sites_of("i")
    groups = (
        f"select u, (row_number() over (order by u) - 1) // {GROUP} as part from (select distinct u from i)"
    )
    shown = f"""select count(*) / {USERS // GROUP} from (select count(distinct p.u) n
        from ({pairs}) p join ({groups}) g using (u) group by part, key having n >= {least})"""
    assert near(figures.values(held_out, shown)[0], real)
