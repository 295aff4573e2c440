"""Pattern study: what people write after a prefix such as "fear of", in the log and in the release (Korolova
et al. 2009, §7.2.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.representations import represent
from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.measure.vocabulary import compute
from crowdlog.types import Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score, share

TOP = 9  # as many as the study's Table 4 lists
PREFIXES = ("fear of", "how to", "what is")


def completions(table: KeyCounts, texts: Any, prefix: str) -> Ints:
    """The ids of the queries that go on after the prefix, most frequent first."""
    begins = compute.starts_with(
        texts.take(pa.array(table.key)), pattern=prefix.strip().lower() + " "
    ).to_numpy(zero_copy_only=False)
    ids: Ints = table.key[begins]
    return ids[np.lexsort((ids, -table.count[begins]))]


def measure(released: Tables, truth: Truth, settings: MeasureSettings) -> list[Score]:
    """How many of the log's first nine completions are among the release's first nine, and whether their
    order is the same.
    """
    if released.queries is None:
        return []
    texts = truth.vocabulary.queries.all()
    prefixes = settings.prefixes or PREFIXES
    written = represent((prefix.lower() for prefix in prefixes), truth.representation)
    studies = [
        _study(*(completions(table, texts, prefix) for table in (released.queries, truth.table("queries"))))
        for prefix in written
    ]
    rows = [{"prefix": prefix} | study for prefix, study in zip(prefixes, studies, strict=True)]
    asked = sum(study["compared"] for study in studies)
    orders = [study["kendall_tau"] for study in studies if study["kendall_tau"] is not None]
    return [
        Score(
            f"patterns:top{TOP}",
            share(sum(study["in_both"] for study in studies), asked),
            asked,
            details={"prefixes": rows},
        ),
        Score(
            "patterns:order",
            float(np.mean(orders)) if orders else None,
            len(orders),
            details={"prefixes": rows},
        ),
    ]


def _study(ours: Ints, original: Ints) -> dict[str, Any]:
    first, theirs = ours[:TOP], original[:TOP]
    both = theirs[np.isin(theirs, first)]
    place = {int(query): i for i, query in enumerate(first)}
    return {
        "released": len(ours),
        "original": len(original),
        "compared": len(theirs),
        "in_both": len(both),
        "kendall_tau": kendall_tau(np.array([place[int(query)] for query in both])),
    }


def kendall_tau(places: Ints) -> float | None:
    """Agreement of two orders without ties: the places, in one order, of items listed in the other.

    None for fewer than two.
    """
    n = len(places)
    if n < 2:
        return None
    agree = np.sign(places[None, :] - places[:, None])[np.triu_indices(n, 1)]
    return float(agree.mean())
