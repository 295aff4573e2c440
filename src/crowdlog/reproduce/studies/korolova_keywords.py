"""Keywords of a released and of the original click graph, as Table 5 counts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.measure.released import read_tables
from crowdlog.measure.tables import KeyCounts
from crowdlog.mechanisms.korolova import Korolova
from crowdlog.models.absorbing_walk import relevance
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.reproduce.studies.korolova_concepts import CONCEPTS, concept_urls
from crowdlog.reproduce.studies.korolova_release import DELTA, LN10
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.keywords import THRESHOLDS

CLICKS, CLICK_NOISE = 21, 0.43  # clicks kept of each user (the paper keeps all), and b_c


@dataclass(frozen=True)
class GraphSetting:
    """How the graph is released, and how many clicks an edge of either graph must have."""

    d: int
    epsilon: float  # of choosing the queries
    pruned: int

    def mechanism(self) -> Korolova:
        """As much ε again on the counts of queries, and on the clicks what their noise costs."""
        clicks, epsilon = CLICKS / CLICK_NOISE, self.epsilon
        return Korolova(
            2 * epsilon + clicks,
            DELTA,
            self.d,
            d_clicks=CLICKS,
            urls="top-clicked",
            weight_select=epsilon,
            weight_counts=epsilon,
            weight_clicks=clicks,
        )


# "pruned all query-URL pairs with less than 10 clicks in both the original and the released graphs"
AS_PRINTED = GraphSetting(21, LN10, 10)
# shows about the paper's part of the graph of 20,000 users: 9 % of the queries, 18 % of the edges
SAME_PART = GraphSetting(5, 60.0, 3)


def keywords(bench: Bench, setting: GraphSetting) -> dict[str, Any]:
    """For each concept and relevance how many are released, in the original, in both; and the released share
    of queries and edges.
    """
    key = ["keywords", repr(setting.mechanism()), setting.pruned]
    found: dict[str, Any] = bench.with_every_noise(key, lambda seeds: _measured(bench, setting, seeds))
    return found


def _measured(bench: Bench, setting: GraphSetting, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The log is counted, and its own graph walked, once for all seeds."""
    truth = bench.truth(bench.log)
    whole = truth.table("clicks").at_least(setting.pruned)
    marked = concept_urls(bench, whole)
    original = relevance(whole.matrix(truth.sizes), marked)
    found = {}
    for seed, tables in zip(seeds, tables_by_seed(setting.mechanism(), bench.log, seeds), strict=True):
        shown = _clicks(tables, truth).at_least(setting.pruned)
        ours = relevance(shown.matrix(truth.sizes), marked)
        queries = [len(np.unique(unpack(graph.key)[0])) for graph in (shown, whole)]
        found[seed] = {
            "keywords": {
                concept: [_counts(ours[:, i] >= t, original[:, i] >= t) for t in THRESHOLDS]
                for i, concept in enumerate(CONCEPTS)
            },
            "queries": percent(*queries),
            "edges": percent(len(shown), len(whole)),
        }
    return found


def _counts(ours: Any, original: Any) -> dict[str, int]:
    return {
        "released": int(ours.sum()),
        "original": int(original.sum()),
        "both": int((ours & original).sum()),
    }


def _clicks(tables: Mapping[str, Any], truth: Truth) -> KeyCounts:
    """The released click counts."""
    found = read_tables(tables, truth.vocabulary, MeasureSettings().session_minutes).clicks
    if found is None:
        raise TypeError("a release without a table of clicks")
    return found


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
