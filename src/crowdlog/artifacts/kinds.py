"""The kinds of artifact that can be mined from one user's log (spec: Feild 2013, §3.3)."""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.errors import InputError
from crowdlog.log.sessions import SESSION_MINUTES as SESSION_MINUTES

WINDOW = 30  # queries, Feild 2013

# Spelling: what it is. Pairs leave out a query followed by itself: that is a next page, not a reformulation.
QUERY_ARTIFACTS = {
    "query": "a query",
    "click": "a query and a clicked URL",
    "pair": "two queries, one right after the other in a session",
    "session-pair": "two queries of one session, in order",
    "window-pair": f"two queries at most {WINDOW - 1} queries apart, in order",
    "undirected-pair": "two queries, one right after the other in a session, in any order",
    "undirected-session-pair": "two queries of one session, in any order",
    "undirected-window-pair": f"two queries at most {WINDOW - 1} queries apart, in any order",
}
# Parts of queries and URLs: what many people share though no two ask the same query.
PART_ARTIFACTS = {
    "word": "a word of a query",
    "word-pair": "two words of a query, one right after the other",
    "site": "the site of a clicked URL: its host without www.",
    "query-site": "a query and the site of a clicked URL",
    "word-site": "a word of a query and the site of a clicked URL",
}
ARTIFACTS = QUERY_ARTIFACTS | PART_ARTIFACTS
# What people's own clients mine for a collection, where nobody counts over a whole log: no key of one number
# is needed.
COLLECTED_ARTIFACTS = {
    "triple": "three queries, one right after the other in a session",
    "query-visit": "a query and a page that was reached from it, in any number of steps",
}

# Kind: the table of a release that holds it, and the columns of its texts. Pairs of any scope share one
# table.
TABLES = {
    "query": ("queries", ("query",)),
    "click": ("clicks", ("query", "url")),
    "pair": ("pairs", ("query", "next_query")),
    "word": ("words", ("word",)),
    "word-pair": ("word_pairs", ("word", "next_word")),
    "site": ("sites", ("site",)),
    "query-site": ("query_sites", ("query", "site")),
    "word-site": ("word_sites", ("word", "site")),
    "triple": ("triples", ("query", "next_query", "third_query")),
    "query-visit": ("visits", ("query", "url")),
}


def counted_as(kind: str) -> str:
    """For which kind a mechanism is spelled that decides over this one: what is only collected is decided
    over as queries are, by numbers of people and impressions alone.
    """
    return "query" if kind in COLLECTED_ARTIFACTS else kind


@dataclass(frozen=True)
class Artifact:
    """A kind of artifact and how its query text is represented."""

    kind: str = "query"
    representation: str = "original"
    session_minutes: int = SESSION_MINUTES

    def __post_init__(self) -> None:
        if self.kind not in ARTIFACTS | COLLECTED_ARTIFACTS:
            raise InputError(f"There is no artifact '{self.kind}'. There are: {', '.join(ARTIFACTS)}.")

    @property
    def directed(self) -> bool:
        return not self.kind.startswith("undirected-")

    @property
    def scope(self) -> str:
        """For pairs: 'pair' (adjacent), 'session-pair' or 'window-pair'."""
        return self.kind.removeprefix("undirected-")

    @property
    def table(self) -> str:
        """The table of a release that holds it."""
        return TABLES.get(self.kind, TABLES["pair"])[0]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its texts in that table."""
        return TABLES.get(self.kind, TABLES["pair"])[1]


@dataclass(frozen=True)
class Sequences:
    """Subsequences of sessions: of queries, or of the topics that a public file gives to queries."""

    representation: str = "original"
    session_minutes: int = SESSION_MINUTES
    topics: str | None = None
    kind = "sequence"
    table = "sessions"
