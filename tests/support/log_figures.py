"""Joint figures of a search log in AOL's layout: how many people share a key, how clicks gather."""

from __future__ import annotations

from pathlib import Path

import duckdb

KS = (2, 5, 10, 20)
COLUMNS = "{'u': 'BIGINT', 'q': 'VARCHAR', 't': 'TIMESTAMP', 'rank': 'INT', 'url': 'VARCHAR'}"
READ = "read_csv('{path}', delim='\t', header=true, quote='', escape='', columns={columns})"
TIMEOUT = "interval 26 minute"
_SITE = r"regexp_replace(url, '^http://(www\.)?', '')"


def open_log(path: Path, threads: int = 2) -> duckdb.DuckDBPyConnection:
    """Tables: rows `r`; searches `i` (one per user, query and time; `page`: asks for a next page, `opens`:
    first of a session); texts `d` with people and searches.
    """
    base = duckdb.connect(config={"threads": threads})
    source = READ.format(path=path, columns=COLUMNS)
    base.execute(f"create table r as select row_number() over () as id, * from {source}")
    base.execute(
        "create table m as select u, q, t, min(id) as id, count(url) as clicks from r group by u, q, t"
    )
    base.execute(
        """create table n as select *, lag(q) over w as before, t - lag(t) over w as gap
        from m window w as (partition by u order by id)"""
    )
    base.execute(
        f"""create table i as select *, coalesce(gap > {TIMEOUT}, true) as opens,
        coalesce(clicks = 0 and before = q and gap <= {TIMEOUT}, false) as page from n"""
    )
    base.execute(
        """create table d as select q, count(distinct u) as users, count(*) as searches,
        count(*) filter (not page) as fresh, len(string_split(q, ' ')) as words from i group by q"""
    )
    return base


def values(base: duckdb.DuckDBPyConnection, sql: str) -> list[float]:
    """The one row that `sql` gives."""
    row = base.execute(sql).fetchone()
    assert row is not None
    return [float(value) for value in row]


def top_share(base: duckdb.DuckDBPyConnection, table: str = "i") -> float:
    """Share of the ten most frequent texts among the searches of a table."""
    return values(
        base,
        f"""select sum(n) / (select count(*) from {table})
        from (select count(*) n from {table} group by q order by n desc limit 10)""",
    )[0]


def own_repeats(base: duckdb.DuckDBPyConnection, table: str) -> float:
    """Share of the searches of a table whose text the same person had searched before."""
    return values(base, f"select 1 - count(distinct (u, q)) / count(*) from {table}")[0]


def people_curve(base: duckdb.DuckDBPyConnection, pairs: str) -> list[int]:
    """How many keys at least 2, 5, 10, 20 people hold; `pairs` selects (u, key)."""
    counts = ", ".join(f"count(*) filter (n >= {k})" for k in KS)
    found = values(base, f"select {counts} from (select count(distinct u) n from ({pairs}) group by key)")
    return [int(value) for value in found]


def equal_people(base: duckdb.DuckDBPyConnection, people: int, searches: int, block: int = 0) -> None:
    """Make table `e`: the first clicked searches of people who have that many, as many of each. A log with
    fewer such people is no like of theirs.
    """
    base.execute(
        """create or replace table c as select u, q, id,
        row_number() over (partition by u order by id) as nth from i where clicks > 0"""
    )
    base.execute(
        f"""create or replace table e as select u, q, id from c where nth <= {searches} and u in
        (select u from c where nth = {searches} order by u limit {people} offset {people * block})"""
    )
    assert values(base, "select count(distinct u) from e") == [people]


def clicks_of(people: str) -> str:
    """Pairs (u, query and address) of all clicks of the people in a table."""
    return f"select u, q || ' ' || url as key from r where url is not null and u in (select u from {people})"


def sites_of(people: str) -> str:
    """Pairs (u, site) of all clicks of the people in a table."""
    return f"select u, {_SITE} as key from r where url is not null and u in (select u from {people})"


def words_of(table: str) -> str:
    """Pairs (u, word) of a table's searches."""
    return f"select distinct u, unnest(string_split(q, ' ')) as key from (select distinct u, q from {table})"


def concentration(base: duckdb.DuckDBPyConnection, least: int, most: int) -> list[float]:
    """Of queries with so many clicks: share of the first address (10, 50, 90 %), median of addresses."""
    return values(
        base,
        f"""with a as (select q, url, count(*) n from r where url is not null group by q, url),
        s as (select max(n) / sum(n) top, count(*) addresses from a group by q
              having sum(n) between {least} and {most})
        select quantile_cont(top, .1), median(top), quantile_cont(top, .9), median(addresses) from s""",
    )


def shared_words(base: duckdb.DuckDBPyConnection) -> float:
    """Share of neighbouring different searches of one session that have a word in common."""
    return values(
        base,
        """select avg(list_has_any(string_split(q, ' '), string_split(before, ' '))::int)
        from i where not opens and before <> q""",
    )[0]


def sessions(base: duckdb.DuckDBPyConnection) -> list[float]:
    """Share of sessions with one search; median seconds between searches of a session."""
    return values(
        base,
        """select (select avg((n = 1)::int) from (select count(*) n from
        (select u, sum(opens::int) over (partition by u order by id) s from i) group by u, s)),
        (select median(epoch(gap)) from i where not opens)""",
    )


def named_like_the_query(base: duckdb.DuckDBPyConnection) -> float:
    """Share of clicks on a site that is called like the query."""
    return values(
        base,
        f"""select avg((regexp_replace({_SITE}, '\\.[a-z]+$', '') =
        regexp_replace(replace(q, ' ', ''), '^(http://)?(www\\.)?|\\.(com|net|org|edu)$', '', 'g'))::int)
        from r where url is not null""",
    )[0]


def top_sites_share(base: duckdb.DuckDBPyConnection, sites: int) -> float:
    """Share of clicks that the most clicked sites have."""
    return values(
        base,
        f"""select sum(n) / (select count(url) from r) from (select count(*) n from r where url is not null
        group by url order by n desc limit {sites})""",
    )[0]
