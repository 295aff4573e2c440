"""The figures of a log that `crowdlog show` prints: sizes, distributions and shares. Never a text."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from crowdlog.files.patterns import for_duckdb
from crowdlog.log.sessions import SESSION_MINUTES, longest_pause
from crowdlog.log.store import LogStore


@dataclass(frozen=True)
class Spread:
    """How a number is spread over users."""

    mean: float
    lower_quartile: float
    median: float
    upper_quartile: float


@dataclass(frozen=True)
class Summary:
    """Figures of one log. They are exact and therefore not for publication."""

    rows: int
    users: int
    days: float
    impressions: int
    clicks: int
    distinct_queries: int
    distinct_urls: int
    distinct_query_share: float  # distinct queries per impression
    distinct_url_share: float  # distinct urls per click
    clicked_share: float  # impressions with at least one click
    single_user_query_share: float  # distinct queries that one user alone has asked
    queries_per_user: Spread
    sessions_per_user: Spread
    words_per_distinct_query: dict[str, int]
    scrubbed: int
    rejected: dict[str, int]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def summarise(store: LogStore) -> Summary:
    """Read the events twice and the query texts once."""
    import duckdb

    info = store.info
    with duckdb.connect() as db:
        db.execute("SET enable_progress_bar = false")
        for name, path in (("events", store.events()), ("queries", store.queries())):
            db.from_parquet(for_duckdb(path), hive_partitioning=False).create_view(name)
        clicked = _one(
            db,
            "SELECT count(*) FROM (SELECT 1 FROM events GROUP BY user, nth_impression HAVING max(url) IS NOT "
            "NULL)",
        )[0]
        single = _one(
            db, "SELECT count(*) FROM (SELECT 1 FROM events GROUP BY query HAVING min(user) = max(user))"
        )[0]
        return Summary(
            rows=info.rows,
            users=info.users,
            days=(info.last_time - info.first_time) / 86400,
            impressions=info.impressions,
            clicks=info.clicks,
            distinct_queries=info.queries,
            distinct_urls=info.urls,
            distinct_query_share=info.queries / info.impressions,
            distinct_url_share=info.urls / info.clicks if info.clicks else 0.0,
            clicked_share=clicked / info.impressions,
            single_user_query_share=single / info.queries,
            queries_per_user=_spread(db, "count(*) FILTER (impression)"),
            sessions_per_user=_spread(
                db,
                f"count(*) FILTER (impression AND (gap IS NULL OR gap > {longest_pause(SESSION_MINUTES)}))",
            ),
            words_per_distinct_query=_words(db),
            scrubbed=info.scrubbed,
            rejected=info.rejected,
        )


def _one(db: Any, query: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] = db.execute(query).fetchone()
    return row


def _spread(db: Any, per_user: str) -> Spread:
    mean, quartiles = _one(
        db,
        f"SELECT avg(n), quantile_cont(n, [0.25, 0.5, 0.75]) FROM (SELECT {per_user} AS n FROM events GROUP "
        "BY user)",
    )
    return Spread(mean, *quartiles)


def _words(db: Any) -> dict[str, int]:
    """Normalised texts have single blanks, so the words are the blanks plus one."""
    rows = db.execute(
        "SELECT least(length(text) - length(replace(text, ' ', '')) + 1, 5) AS words, count(*) FROM queries "
        "GROUP BY 1"
    ).fetchall()
    counts = dict(rows)
    return {("5+" if words == 5 else str(words)): counts.get(words, 0) for words in range(1, 6)}
