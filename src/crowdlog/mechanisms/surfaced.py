"""Public result lists: which URLs the engine shows to anyone who asks a query.

Their counts may be published with noise alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.query_file import ORIGINAL, read_query_file
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.mechanisms.mining import Mine


def read_surfaced(path: str, representation: str = ORIGINAL) -> pa.Table:
    """The file's lines as a table (query, url), each pair once, spelled as the log spells them."""
    columns = {"query": "a query", "url": "a URL"}
    table = pa.table(read_query_file(path, "file of surfaced URLs", columns, representation=representation))
    return table.group_by(["query", "url"]).aggregate([])


def surfaced_clicks(
    mine: Mine,
    path: str,
    queries: pa.Table,
    keys: Ints,
    counts: Ints,
    noisy: Callable[[Ints], Ints],
) -> pa.Table:
    """Every surfaced URL of every shown query (a table of `query`) with noisy clicks.

    Zero clicks get noise too, so rows do not tell who clicked.
    """
    import pyarrow as pa

    public = read_surfaced(path, mine.renaming.representation if mine.renaming else ORIGINAL)
    candidates = public.join(queries, "query", join_type="inner")
    clicked = mine.table(Artifact("click"), keys, counts)
    both = candidates.join(clicked, ["query", "url"], join_type="left outer")
    # A join gives rows in any order: a seed must repeat its noise.
    both = both.sort_by([("query", "ascending"), ("url", "ascending")]).combine_chunks()
    true = np.nan_to_num(both["count"].to_numpy()).astype(np.int64)  # no row: nobody clicked it
    table = pa.table({"query": both["query"], "url": both["url"], "count": noisy(true)})
    return table.sort_by([("count", "descending"), ("query", "ascending"), ("url", "ascending")])
