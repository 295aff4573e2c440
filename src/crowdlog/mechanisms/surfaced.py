"""Public result lists: which URLs the engine shows to anyone who asks a query. Their counts may be published with noise alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.mechanisms.mining import Mine

Ints = npt.NDArray[np.int64]


def read_surfaced(path: str) -> pa.Table:
    """The file's lines as a table (query, url), each pair once."""
    import pyarrow as pa

    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"The file of surfaced URLs {path} cannot be read as UTF-8 text.") from None
    rows = [tuple(line.split("\t")) for line in lines if line.strip()]
    bad = next((number for number, row in enumerate(rows, 1) if len(row) != 2), None)
    if bad is not None or not rows:
        where = f"line {bad} is not" if bad else "it is empty instead of"
        raise InputError(f"The file of surfaced URLs {path} cannot be used: {where} a query, a tab and a URL.")
    unique = sorted(set(rows))
    return pa.table({"query": [row[0] for row in unique], "url": [row[1] for row in unique]})


def surfaced_clicks(mine: Mine, path: str, queries: pa.Table, keys: Ints, counts: Ints, noisy: Callable[[Ints], Ints]) -> pa.Table:
    """Every surfaced URL of every shown query (a table of `query`) with noisy clicks: zero clicks get noise too, so rows do not tell who clicked."""
    import pyarrow as pa

    public = read_surfaced(path)
    candidates = public.join(queries, "query", join_type="inner")
    clicked = mine.table(Artifact("click"), keys, counts)
    both = candidates.join(clicked, ["query", "url"], join_type="left outer")
    both = both.sort_by(
        [("query", "ascending"), ("url", "ascending")]
    ).combine_chunks()  # a join gives rows in any order: a seed must repeat its noise
    true = np.nan_to_num(both["count"].to_numpy()).astype(np.int64)  # no row: nobody clicked it
    table = pa.table({"query": both["query"], "url": both["url"], "count": noisy(true)})
    return table.sort_by([("count", "descending"), ("query", "ascending"), ("url", "ascending")])
