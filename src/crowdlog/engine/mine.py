"""From events to artifacts: one row per impression of an artifact, with the columns

`user`, `row` (unique, in the user's order of time), `nth` (how many of this user's artifacts come before it),
`key` (int64). A key is a query id, or two ids packed into one number: query · 2³² + url, or query · 2³² +
next query.
"""

from __future__ import annotations

from typing import Any

import ibis

from crowdlog.artifacts.kinds import WINDOW, Artifact
from crowdlog.artifacts.packed_keys import SHIFT
from crowdlog.artifacts.packed_keys import unpack as unpack  # for those who count with this module
from crowdlog.log.sessions import ends_session

Table = Any  # an Ibis table; the library ships no types


def _pack(first: Any, second: Any) -> Any:
    """`packed_keys.pack` for Ibis columns."""
    return first.cast("int64") * SHIFT + second.cast("int64")


def mine(events: Table, artifact: Artifact, renamed: Table | None = None) -> Table:
    """All artifacts of this kind. `renamed(query, new)` maps query ids to those of another representation."""
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
    return _pairs(events.filter(events.impression), artifact)


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
