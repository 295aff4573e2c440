"""Table 6.1: websites in clusters by the queries of the released log, and how pure the clusters are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.artifacts.query_file import read_query_file
from crowdlog.measure.released import read_tables
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.reproduce.studies.zhang_clicks import a_click
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study
from crowdlog.types import Ints
from crowdlog.utility import clustering
from crowdlog.utility.context import MeasureSettings, Truth

Q_F, B, K = 100, 10, 100  # §6.3
PURITY, SITES = 0.76, 59  # printed
MAJORITY = 0.5
SETUP = (
    "The paper labels ten clusters by hand. Here a site's class is the topic of most searches that led to "
    "it, which the generator of the synthetic log knows; all clusters of at least two sites are judged."
)


def run(bench: Bench) -> Result:
    found = bench.with_every_noise(["purity", Q_F, B, K], lambda seeds: _measured(bench, seeds))
    rows: list[list[Any]] = [
        ["printed", SITES, 10, PURITY],
        ["ours", found["sites"], found["clusters"], found["purity"]],
    ]
    panel = Panel("Purity", ["who", "sites in clusters", "clusters", "purity"], rows)
    return Result([panel], claims(found), SETUP)


def _measured(bench: Bench, seeds: Sequence[int]) -> dict[int, dict[str, Any]]:
    truth = bench.truth(bench.log)
    classes = site_classes(bench, truth)
    settings = MeasureSettings(site_classes=classes)
    found: dict[int, dict[str, Any]] = {}
    for seed, tables in zip(seeds, tables_by_seed(a_click(bench, Q_F, B, K), bench.log, seeds), strict=True):
        found[seed] = {"purity": None, "sites": 0, "clusters": 0}
        if tables["clicks"].num_rows:
            own = truth.apart()
            (score,) = clustering.measure(read_tables(tables, own.vocabulary, 30), own, settings)
            found[seed] = {
                "purity": score.value,
                "sites": score.evaluated,
                "clusters": score.details["clusters"],
            }
    return found


def site_classes(bench: Bench, truth: Truth) -> dict[str, str]:
    """The topic of most clicks of each URL."""
    lines = read_query_file(bench.labels, "file of topics", {"query": "a query", "topic": "a topic"})
    topics = dict(zip(lines["query"].to_pylist(), lines["topic"].to_pylist(), strict=True))
    names = sorted(set(topics.values()))
    place = {name: i for i, name in enumerate(names)}
    texts = truth.vocabulary.queries.all().to_pylist()
    topic: Ints = np.array([place.get(topics.get(text, ""), -1) for text in texts])
    clicks = truth.table("clicks")
    query, url = unpack(clicks.key)
    known = topic[query] >= 0
    votes = np.zeros((len(truth.vocabulary.urls), len(names)), np.float32)
    np.add.at(votes, (url[known], topic[query[known]]), clicks.count[known])
    urls = truth.vocabulary.urls.all().to_pylist()
    return {urls[i]: names[j] for i, j in enumerate(votes.argmax(axis=1)) if votes[i, j] > 0}


def claims(found: dict[str, Any]) -> list[Claim]:
    purity = found["purity"] or 0.0
    return [
        Claim(
            "The majority of websites are in the right cluster.",
            purity > MAJORITY,
            f"purity is {purity:.2f} of {found['sites']} sites in {found['clusters']} clusters",
        ),
        Claim(
            f"Purity is about the printed {PURITY} (within .1).",
            abs(purity - PURITY) <= 0.1,
            f"it is {purity:.2f} of {found['sites']} sites: topics of a made-up log are told apart otherwise "
            "than people tell websites apart",
        ),
    ]


STUDY = Study("zhang-table-6.1", f"{PAPER}, Table 6.1", "Websites in clusters", run)
