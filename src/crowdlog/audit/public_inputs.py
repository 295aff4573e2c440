"""Public files that a mechanism needs, made for the audit's own logs: a pool of queries, surfaced pages,
topics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crowdlog.audit.shrink import replaced
from crowdlog.audit.synthetic_logs import LETTERS
from crowdlog.mechanisms.parameters import with_role

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs, WorldLayout
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.types import Ints


def equipped(mechanism: Mechanism, logs: SyntheticLogs, layout: WorldLayout) -> Mechanism:
    """With files for the keys of these worlds in the place of its own."""
    return with_files(mechanism, logs, layout, layout.keys(), layout.keys(pooled=True), layout.queries)


def with_files(
    mechanism: Any, logs: SyntheticLogs, name: Any, keys: Ints, pooled: Ints, queries: int
) -> Mechanism:
    """The pool holds the `pooled` keys, every key's own page is surfaced, every query is its own topic."""
    wanted: dict[str, Any] = {}
    for parameter in with_role(mechanism, "pool"):
        wanted[parameter] = logs.file(("pool", name), [f"q{key}" for key in pooled])
    for parameter in with_role(mechanism, "results"):
        wanted[parameter] = logs.file(("surfaced", name), [f"q{key}\thttp://u{key}.example" for key in keys])
    for parameter in with_role(mechanism, "topics"):
        lines = [f"{letter}{key}\t{letter}{key}" for letter in LETTERS[:queries] for key in keys]
        wanted[parameter] = logs.file(("features", name), lines)
    return replaced(mechanism, wanted) if wanted else mechanism
