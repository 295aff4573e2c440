"""Searches in the addresses of a site's own result pages: the parameter that holds the query."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

# Most telling first; a site may use its own, said with --query-parameter.
PARAMETERS = (
    "q",
    "query",
    "search",
    "search_query",
    "searchterm",
    "keyword",
    "keywords",
    "term",
    "text",
    "s",
)


def query_in(address: str, parameter: str | None) -> str | None:
    """What is searched for at this address of a site, or None."""
    if "?" not in address:
        return None
    try:
        told = parse_qs(urlsplit(address).query)
    except ValueError:
        return None
    for name in (parameter,) if parameter else PARAMETERS:
        words = " ".join(told.get(name or "", [""])[0].split())
        if words:
            return words
    return None
