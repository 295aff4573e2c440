"""What the studies of Zhang 2017, chapter 3, have in common: A_Click with given b and K, a public pool,
ad-hoc search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.files.whole import write_whole
from crowdlog.mechanisms.a_click import AClick
from crowdlog.mechanisms.korolova import Korolova
from crowdlog.privacy.thresholds import Threshold
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.studies.zhang_held_out import SETTINGS, Scores, tried
from crowdlog.utility import adhoc

FOLDS = 5  # the paper's cross validation; one fold is tested here
ASKED = 5  # τ, §3.3: rarer queries are no candidates
MODELS = ("IF", "RW", "RW-2")
SETUP = (
    "As in the paper a release of four fifths of the log's rows answers the queries of the other fifth (here "
    "one fold, not five in turn); "
    "right is what was clicked there. The paper's pool is word sequences of a corpus, and queries of the log "
    "that are not in the pool are "
    "published too, which its proof does not cover. Here the pool is public: the queries asked at least "
    f"{ASKED} times in another synthetic "
    "log, and the URLs clicked for them there. Nothing else is published, so δ is practically 0. "
    "All three noises have the scale b, so that ε "
    "= 3·q_f/b, as in the paper's Theorem 1 for K above the turning point."
)
TRAP = (
    "Evaluated: how many searches of the test the release can answer; right is what was clicked in each. "
    "A release of few, frequent queries has the easy ones: compare with the original "
    "on the same queries."
)


def a_click(bench: Bench, q_f: int, b: float, K: float) -> AClick:
    """A_Click as the paper sets it: the same b everywhere, c_f = q_f.

    Counts are whole numbers, so K is rounded down.
    """
    pool, surfaced = _public(bench)
    return AClick(
        epsilon=3 * q_f / b,
        q_f=q_f,
        K=math.floor(K),
        pool=str(pool),
        urls="public",
        surfaced=str(surfaced),
        least_count=0,  # the pool has been cleaned of rare queries
        weight_select=1,
        weight_counts=1,
        weight_clicks=1,
    )


def korolova(bench: Bench, d: int, b: float, K: int) -> Korolova:
    """The (ε, δ) release of the same b and K: its δ is what this K costs."""
    delta = Threshold(b, K, d).delta / 0.999 * (1 + 1e-9)  # the mechanism keeps a thousandth for the sampler
    return Korolova(
        epsilon=3 * d / b,
        delta=delta,
        d=d,
        urls="public",
        surfaced=str(_public(bench)[1]),
        weight_select=1,
        weight_counts=1,
        weight_clicks=1,
    )


def searched(bench: Bench, mechanism: AClick | Korolova, models: Sequence[str] = MODELS) -> Scores:
    """Ad-hoc search with the release: scores called 'adhoc:RW:nDCG@10'."""
    name = f"search with {', '.join(models)}"
    return tried(
        bench,
        mechanism,
        lambda tables, fold: adhoc.measure(tables, fold, SETTINGS, models),
        name,
        folds=FOLDS,
        by="row",
    )


def _public(bench: Bench) -> tuple[Path, Path]:
    """The pool and the surfaced URLs as files."""
    pool, surfaced = bench.folder / "pool.txt", bench.folder / "surfaced.tsv"
    if not (pool.exists() and surfaced.exists()):
        truth = bench.truth(bench.synthetic("other-log", SEED + 1))
        queries, clicks = truth.table("queries"), truth.table("clicks")
        often = queries.key[queries.count >= ASKED]
        clicked = clicks.key[np.isin(unpack(clicks.key)[0], often)]
        texts, urls = (
            numbered.all().to_pylist() for numbered in (truth.vocabulary.queries, truth.vocabulary.urls)
        )
        write_whole(pool, "".join(f"{texts[query]}\n" for query in often))
        results = zip(*unpack(clicked), strict=True)
        write_whole(surfaced, "".join(f"{texts[query]}\t{urls[url]}\n" for query, url in results))
    return pool, surfaced
