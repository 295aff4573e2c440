"""Keywords of a released and of the original click graph, as Table 5 counts them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.measure.released import read_release
from crowdlog.measure.tables import KeyCounts
from crowdlog.mechanisms.korolova import Korolova
from crowdlog.models.absorbing_walk import relevance
from crowdlog.release.folder import Release
from crowdlog.reproduce.bench import Bench
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
    return bench.kept(
        ["keywords", repr(setting.mechanism()), setting.pruned, bench.seed], lambda: _measured(bench, setting)
    )


def _measured(bench: Bench, setting: GraphSetting) -> dict[str, Any]:
    truth = bench.truth(bench.log)
    with bench.released(setting.mechanism(), bench.log) as release:
        shown = _clicks(release, truth)
    graphs = [clicks.at_least(setting.pruned) for clicks in (shown, truth.table("clicks"))]
    marked = concept_urls(bench, graphs[1])
    ours, original = (relevance(graph.matrix(truth.sizes), marked) for graph in graphs)
    found = {
        concept: [_counts(ours[:, i] >= t, original[:, i] >= t) for t in THRESHOLDS]
        for i, concept in enumerate(CONCEPTS)
    }
    queries = [len(np.unique(unpack(graph.key)[0])) for graph in graphs]
    return {"keywords": found, "queries": percent(*queries), "edges": percent(*map(len, graphs))}


def _counts(ours: Any, original: Any) -> dict[str, int]:
    return {
        "released": int(ours.sum()),
        "original": int(original.sum()),
        "both": int((ours & original).sum()),
    }


def _clicks(release: Release, truth: Truth) -> KeyCounts:
    """The released click counts; none where nothing is released, which cannot be read as a release."""
    if not release.label.tables["clicks"]:
        return KeyCounts(np.zeros(0, np.int64), np.zeros(0))
    found = read_release(release, truth.vocabulary, MeasureSettings().session_minutes).clicks
    if found is None:
        raise TypeError("a release without a table of clicks")
    return found


def percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0
