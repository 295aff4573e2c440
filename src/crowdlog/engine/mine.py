"""From events to artifacts: one row per impression of an artifact, with the columns

`user`, `row` (unique, in the user's order of time), `nth` (how many of this user's artifacts come before it),
`key` (int64). A key is one id (query, word, site), or two ids packed into one number: query · 2³² + url,
query · 2³² + next query, and so on.
"""

from __future__ import annotations

from typing import Any, Protocol

import ibis

from crowdlog.artifacts.kinds import PART_ARTIFACTS, WINDOW, Artifact
from crowdlog.artifacts.packed_keys import SHIFT
from crowdlog.artifacts.packed_keys import unpack as unpack  # for those who count with this module
from crowdlog.log.sessions import ends_session

Table = Any  # an Ibis table; the library ships no types


class PartTables(Protocol):
    """Words and sites as Ibis tables (parts.py), made when they are first asked for."""

    @property
    def word_table(self) -> Table: ...
    @property
    def pair_table(self) -> Table: ...
    @property
    def site_table(self) -> Table: ...


def _pack(first: Any, second: Any) -> Any:
    """`packed_keys.pack` for Ibis columns."""
    return first.cast("int64") * SHIFT + second.cast("int64")


def mine(
    events: Table, artifact: Artifact, renamed: Table | None = None, parts: PartTables | None = None
) -> Table:
    """All artifacts of this kind. `renamed(query, new)` maps query ids to those of another representation;
    `parts` are the words and sites of these.
    """
    if renamed is not None:
        events = events.join(renamed, "query").mutate(query=lambda t: t.new).drop("new")
    if artifact.kind == "query":
        return events.filter(events.impression).select(
            "user", "row", nth=events.nth_impression, key=events.query.cast("int64")
        )
    if artifact.kind == "click":
        return events.filter(events.url.notnull()).select(
            "user", "row", nth=events.nth_click, key=_pack(events.query, events.url)
        )
    if artifact.kind in PART_ARTIFACTS:
        if parts is None:
            raise TypeError(f"{artifact.kind} needs the words and sites of the log")
        return _of_parts(events, artifact.kind, parts)
    return _pairs(events.filter(events.impression), artifact)


def _of_parts(events: Table, kind: str, parts: PartTables) -> Table:
    """Words in the order of the text, sites in the order of clicks."""
    if kind in ("word", "word-pair"):
        asked = events.filter(events.impression)
        if kind == "word":
            found = asked.join(parts.word_table, "query")
            return _placed(found, found.word.cast("int64"))
        found = asked.join(parts.pair_table, "query")
        return _placed(found, _pack(found.word, found.next_word))
    clicked = events.filter(events.url.notnull()).join(parts.site_table, "url")
    if kind == "word-site":
        found = clicked.join(parts.word_table, "query")
        return _placed(found, _pack(found.word, found.site))
    key = clicked.site.cast("int64") if kind == "site" else _pack(clicked["query"], clicked.site)
    return clicked.select("user", "row", nth=clicked.nth_click, key=key)


def _placed(found: Table, key: Any) -> Table:
    """Several artifacts of one row are numbered by their place in the text."""
    order = ibis.window(group_by="user", order_by=["row", "place"])
    return found.select("user", "row", nth=ibis.row_number().over(order), key=key)


def sessions(impressions: Table, session_minutes: int) -> Table:
    """Impressions with the column `session`: 0, 1, … within each user.

    A gap above the time-out starts a new one.
    """
    window = ibis.window(group_by="user", order_by="row", preceding=None, following=0)
    starts = ends_session(impressions.gap.fill_null(0), session_minutes).ifelse(1, 0)
    return impressions.mutate(session=starts.sum().over(window).cast("int64"))


def _pairs(impressions: Table, artifact: Artifact) -> Table:
    builders = {"pair": _adjacent, "session-pair": _in_session, "window-pair": _in_window}
    found = builders[artifact.scope](impressions, artifact)
    found = found.filter(found.first != found.second)
    if not artifact.directed:
        found = found.mutate(
            first=ibis.least(found.first, found.second), second=ibis.greatest(found.first, found.second)
        )
    order = ibis.window(group_by="user", order_by=["row", "first_row"])
    return found.select(
        "user", "row", nth=ibis.row_number().over(order), key=_pack(found.first, found.second)
    )


def _adjacent(impressions: Table, artifact: Artifact) -> Table:
    order = ibis.window(group_by="user", order_by="row")
    before = impressions.mutate(
        first=impressions["query"].lag().over(order), first_row=impressions.row.lag().over(order)
    )
    # null, so left out, at a user's first query
    near = before.filter(~ends_session(before.gap, artifact.session_minutes))
    return near.select("user", "row", "first", "first_row", second=near["query"])


def mine_triples(events: Table, session_minutes: int, renamed: Table | None = None) -> Table:
    """Three queries, one right after the other in a session, none like the one before it: user, row (of the
    third), first, second, third.
    """
    if renamed is not None:
        events = events.join(renamed, "query").mutate(query=lambda t: t.new).drop("new")
    asked = events.filter(events.impression)
    order = ibis.window(group_by="user", order_by="row")
    near = ~ends_session(asked.gap, session_minutes)
    chained = asked.select(
        "user",
        "row",
        near=near,
        near_before=near.lag().over(order),
        first=asked["query"].lag(2).over(order),
        second=asked["query"].lag(1).over(order),
        third=asked["query"],
    )
    # null, so left out, at a user's first two queries
    together = chained.filter(chained.near & chained.near_before)
    changing = together.filter((together.first != together.second) & (together.second != together.third))
    return changing.select("user", "row", "first", "second", "third")


def _in_session(impressions: Table, artifact: Artifact) -> Table:
    later = sessions(impressions, artifact.session_minutes).select("user", "row", "session", second="query")
    earlier = (
        sessions(impressions, artifact.session_minutes)
        .select("user", "session", first_row="row", first="query")
        .view()
    )
    both = later.join(
        earlier, [later.user == earlier.user, later.session == earlier.session, later.row > earlier.first_row]
    )
    return both.select("user", "row", "first", "first_row", "second")


def _in_window(impressions: Table, _artifact: Artifact) -> Table:
    """Pairs at most `reach` of the user's queries apart: both lie in one block of `reach` queries, or in two
    that touch.

    A query is put into its own block and, as the earlier one of a pair, into the next; so each pair is found
    once.
    """
    reach = WINDOW - 1
    place = impressions.nth_impression
    later = impressions.select("user", "row", second="query", place=place, block=place // reach)
    own = impressions.select("user", first_row="row", first="query", first_place=place, block=place // reach)
    earlier = ibis.union(own, own.mutate(block=own.block + 1)).view()
    distance = later.place - earlier.first_place
    near = [later.user == earlier.user, later.block == earlier.block, distance > 0, distance <= reach]
    return later.join(earlier, near).select("user", "row", "first", "first_row", "second")
