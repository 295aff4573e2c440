"""Well-known exports that say what was searched but not who searched: no promise to a person can be made of
them, and each gets a sentence that says so and what to export instead.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from crowdlog.log.formats.roles import guess_roles

_LINES = {
    "ORCAS (queries with clicked documents of many people together)": re.compile(
        rb"\d+\t[^\t]+\tD\d+\thttps?://\S+$"
    ),
    "Wikimedia's clickstream (counts of links between pages)": re.compile(
        rb"\S+\t\S+\t(link|external|other)\t\d+$"
    ),
    "Wikimedia's page views (counts by page)": re.compile(rb"[a-z\-]+(\.\w+)* \S+ \d+ \d+$"),
    "a list of queries with their numbers (MS MARCO)": re.compile(rb"\d+\t[^\t]+$"),
}
_HEADERS = (
    ("Google's Search Console (queries with sums over all people)", {"clicks", "impressions", "ctr"}),
    ("a report of Matomo (keywords with sums over all people)", {"nbvisits"}),
    ("a report of Matomo (keywords with sums over all people)", {"searches", "searchresultspages"}),
    ("a report of Matomo (keywords with sums over all people)", {"keyword", "searches"}),
    ("the Archive Query Log (result pages from web archives)", {"serpid"}),
    ("the Archive Query Log (result pages from web archives)", {"archivedurl"}),
    ("Wikimedia's clickstream (counts of links between pages)", {"prev", "curr", "n"}),
)
_INSTEAD = (
    "There is no person in it, so no promise to a person is possible. Export one row per search with a "
    "stable id of the visitor: the raw visits of your analytics, or your search engine's own log"
)

IF_QUERIES = f"If each line is a query alone, t{_INSTEAD[1:]}."


def told_by_one_column(names: Sequence[str]) -> str | None:
    """A sentence if a table's only column is called like a query."""
    return f"holds queries alone. {_INSTEAD}." if guess_roles(names).keys() == {"query"} else None


def told_by_lines(lines: Sequence[bytes]) -> str | None:
    """A sentence if all these lines are of an export without people."""
    for what, pattern in _LINES.items():
        if lines and all(pattern.match(line) for line in lines):
            return f"looks like {what}. {_INSTEAD}."
    return None


def told_by_names(names: Sequence[str]) -> str | None:
    """A sentence if a table with these columns is one."""
    plain = {re.sub(r"[\s_\-]+", "", name.rpartition(".")[2]).lower() for name in names}
    for what, needed in _HEADERS:
        if needed <= plain:
            return f"looks like {what}. {_INSTEAD}."
    return None
