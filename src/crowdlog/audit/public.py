"""Public files that a mechanism needs, made for the audit's own logs: a pool of queries, surfaced pages,
topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crowdlog.audit.laboratory import LETTERS
from crowdlog.audit.small import replaced
from crowdlog.mechanisms.parameters import with_role

if TYPE_CHECKING:
    from crowdlog.audit.laboratory import Ints, Laboratory, Layout
    from crowdlog.mechanisms.base import Mechanism


def equipped(mechanism: Mechanism, laboratory: Laboratory, layout: Layout) -> Mechanism:
    """With files for the keys of these worlds in the place of its own."""
    return with_files(mechanism, laboratory, layout, layout.keys(), layout.keys(pooled=True), layout.queries)


def with_files(
    mechanism: Any, laboratory: Laboratory, name: Any, keys: Ints, pooled: Ints, queries: int
) -> Mechanism:
    """The pool holds the `pooled` keys, every key's own page is surfaced, every query is a topic of its own."""
    wanted: dict[str, Any] = {}
    for parameter in with_role(mechanism, "pool"):
        wanted[parameter] = laboratory.file(("pool", name), [f"q{key}" for key in pooled])
    for parameter in with_role(mechanism, "results"):
        wanted[parameter] = laboratory.file(
            ("surfaced", name), [f"q{key}\thttp://u{key}.example" for key in keys]
        )
    for parameter in with_role(mechanism, "topics"):
        lines = [f"{letter}{key}\t{letter}{key}" for letter in LETTERS[:queries] for key in keys]
        wanted[parameter] = laboratory.file(("features", name), lines)
    return replaced(mechanism, wanted) if wanted else mechanism
