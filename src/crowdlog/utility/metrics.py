"""Retrieval metrics, by the ir-measures library and under its names: nDCG@10, P@5, R@5, RR, AP@100."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crowdlog.measure.ragged import Lists
from crowdlog.types import Floats


def per_topic(ranked: Lists, relevant: Lists, metrics: Sequence[str]) -> dict[str, Floats]:
    """Each metric for each topic. What the list leaves out counts as not found."""
    import ir_measures

    # The library breaks ties by name, so every place gets a score of its own.
    run = {str(i): {str(item): -float(place) for place, item in enumerate(ranked[i].tolist())} for i in range(len(ranked))}
    truth = {str(i): {str(item): 1 for item in relevant[i].tolist()} for i in range(len(relevant))}
    found = {name: np.zeros(len(relevant)) for name in metrics}
    for result in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in metrics], truth, run):
        found[str(result.measure)][int(result.query_id)] = result.value
    return found
