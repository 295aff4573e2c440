"""The figures of a log that `crowdlog show` prints: sizes, distributions and shares. Never a text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

from crowdlog.files.patterns import for_duckdb
from crowdlog.files.scratch import Scratch
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


# What is asked of the events; each looks at one user, or one query, at a time.
CLICKED = "SELECT 1 FROM events GROUP BY user, nth_impression HAVING max(url) IS NOT NULL"
USERS_OF_QUERY = "SELECT query AS key, min(user) AS low, max(user) AS high FROM events GROUP BY query"
QUERIES = "count(*) FILTER (impression)"
SESSIONS = f"count(*) FILTER (impression AND (gap IS NULL OR gap > {longest_pause(SESSION_MINUTES)}))"
# Normalised texts have single blanks, so the words are the blanks plus one.
WORDS = (
    "SELECT least(length(text) - length(replace(text, ' ', '')) + 1, 5) AS words, count(*) AS n FROM queries "
    "GROUP BY 1"
)


def per_user(number: str) -> str:
    """For each number how many users have it."""
    return f"SELECT n, count(*) AS users FROM (SELECT {number} AS n FROM events GROUP BY user) GROUP BY n"


@dataclass(frozen=True)
class Figures:
    """What had to be counted. `queries`, `sessions`: how many users have each number of them; `words`: how
    many distinct queries have each number of words.
    """

    clicked: int
    single: int
    queries: dict[int, int]
    sessions: dict[int, int]
    words: dict[int, int]


def summarise(store: LogStore) -> Summary:
    """Read the events and the query texts."""
    import duckdb

    with Scratch("spill") as place, duckdb.connect(config={"temp_directory": str(place)}) as db:
        db.execute("SET enable_progress_bar = false")
        for name, path in (("events", store.events()), ("queries", store.queries())):
            db.from_parquet(for_duckdb(path), hive_partitioning=False).create_view(name)
        single = f"SELECT count(*) FROM ({USERS_OF_QUERY}) WHERE low = high"
        return summary_of(
            store,
            Figures(
                _one(db, f"SELECT count(*) FROM ({CLICKED})")[0],
                _one(db, single)[0],
                dict(db.execute(per_user(QUERIES)).fetchall()),
                dict(db.execute(per_user(SESSIONS)).fetchall()),
                dict(db.execute(WORDS).fetchall()),
            ),
        )


def summary_of(store: LogStore, found: Figures) -> Summary:
    info = store.info
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
        clicked_share=found.clicked / info.impressions,
        single_user_query_share=found.single / info.queries,
        queries_per_user=spread_of(found.queries),
        sessions_per_user=spread_of(found.sessions),
        words_per_distinct_query={
            ("5+" if words == 5 else str(words)): found.words.get(words, 0) for words in range(1, 6)
        },
        scrubbed=info.scrubbed,
        rejected=info.rejected,
    )


def _one(db: Any, query: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] = db.execute(query).fetchone()
    return row


def spread_of(users: dict[int, int]) -> Spread:
    """Mean and quartiles, with a straight line between two users where a quartile falls between them."""
    numbers = sorted(users)
    ends = list(accumulate(users[number] for number in numbers))
    mean = sum(number * users[number] for number in numbers) / ends[-1]

    def at(place: int) -> int:
        return numbers[bisect_right(ends, place)]

    def quantile(share: float) -> float:
        whole, part = divmod(share * (ends[-1] - 1), 1)
        low = at(int(whole))
        return low + part * (at(int(whole) + 1) - low) if part else float(low)

    return Spread(mean, *(quantile(share) for share in (0.25, 0.5, 0.75)))
