"""Keyword generation: queries that belong to a concept given by some URLs (Korolova et al. 2009, §7.2.2, after Fuxman et al. 2008).

A random walk goes back and forth on the click graph. The concept's URLs absorb it; at every step it is lost with chance α. A query's
relevance is the chance that a walk from it ends in the concept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.errors import InputError
from crowdlog.utility.score import Score, share
from crowdlog.utility.significance import bootstrap_share
from crowdlog.utility.splits import generator
from crowdlog.utility.tables import SHIFT, Counted, Tables
from crowdlog.utility.vocabulary import compute

if TYPE_CHECKING:
    from crowdlog.utility.context import Settings, Truth

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
ALPHA = 0.001  # chance to be lost at a step
GAMMA = 0.0001  # the walk has settled when no chance changes by more
THRESHOLDS = (0.5, 0.7, 0.9, 0.95)
SITES = 10  # concepts when none are given: the most clicked sites of the log


def relevance(clicks: Any, concepts: Any) -> Any:
    """For each query and concept the chance of ending there. `clicks`: queries by URLs; `concepts`: URLs by concepts, 0 or 1.

    p(q) = (1−α) Σ w(q,u) p(u), and p(u) = 1 in the concept, else (1−α) Σ w(u,q) p(q). Most queries lead to one URL only and send the walk
    straight back: they are solved for at once, so that only the others are walked over.
    """
    from scipy.sparse import diags_array

    stay, urls = 1 - ALPHA, np.diff(clicks.indptr)
    several, single = np.flatnonzero(urls > 1), np.flatnonzero(urls == 1)
    only = clicks.indices[clicks.indptr[single]]
    per_url = np.maximum(clicks.sum(axis=0), 1e-300)
    returning = np.bincount(only, weights=clicks.data[clicks.indptr[single]], minlength=clicks.shape[1]) / per_url
    graph = clicks[several]
    forward = (diags_array(stay / graph.sum(axis=1)) @ graph).tocsr()
    back = (diags_array(stay / per_url / (1 - stay**2 * returning)) @ graph.T).tocsr()
    absorbing = np.asarray(concepts, bool)
    at_urls = absorbing.astype(np.float64)
    at_queries = np.zeros((len(several), at_urls.shape[1]))
    while True:
        before, at_queries = at_queries, forward @ at_urls
        if np.abs(at_queries - before).max(initial=0.0) <= GAMMA:
            break
        at_urls = np.where(absorbing, 1.0, back @ at_queries)
    found = np.zeros((clicks.shape[0], at_urls.shape[1]))
    found[several], found[single] = at_queries, stay * at_urls[only]
    return found


def concepts_of(truth: Truth, settings: Settings) -> tuple[list[str], Ints]:
    """Names of the concepts and for each URL of the log the number of its concept, or -1."""
    texts = truth.vocabulary.urls.all()
    site = compute.replace_substring_regex(compute.utf8_lower(texts), r"^[a-z]+://", "")
    site = compute.replace_substring_regex(compute.replace_substring_regex(site, r"[/?#:].*$", ""), r"^www\.", "")
    if settings.concepts:
        concept = np.full(len(texts), -1, np.int64)
        for i, (name, sites) in enumerate(settings.concepts.items()):
            members = compute.is_in(site, value_set=_as_sites(sites)).to_numpy(zero_copy_only=False)
            if not members.any():
                raise InputError(f"The concept '{name}' has no site that was clicked in this log. Give sites as in 'shoes=shoes.com,zappos.com'.")
            concept[members] = i
        return list(settings.concepts), concept
    encoded = site.dictionary_encode()
    codes = encoded.indices.to_numpy()
    clicks = truth.table("clicks")
    popular = np.argsort(-np.bincount(codes[clicks.key % SHIFT], weights=clicks.count, minlength=len(encoded.dictionary)), kind="stable")[:SITES]
    number = np.full(len(encoded.dictionary), -1, np.int64)
    number[popular] = np.arange(len(popular))
    return [f"site {i + 1}" for i in range(len(popular))], number[codes]


def _as_sites(sites: Any) -> Any:
    import pyarrow as pa

    return pa.array([site.lower().removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/") for site in sites])


def measure(released: Tables, truth: Truth, settings: Settings) -> list[Score]:
    """Keywords found in both graphs at each relevance."""
    if released.clicks is None:
        return []
    names, concept = concepts_of(truth, settings)
    marked = concept[:, None] == np.arange(len(names))
    ours, original = (_keywords(table, marked, truth.sizes) for table in (released.clicks, truth.table("clicks")))
    return [score for threshold in THRESHOLDS for score in _at(threshold, names, ours >= threshold, original >= threshold, settings.seed)]


def _keywords(clicks: Counted, concepts: Bools, sizes: tuple[int, int]) -> Any:
    return relevance(clicks.matrix(sizes), concepts)


def _at(threshold: float, names: list[str], ours: Bools, original: Bools, seed: int) -> list[Score]:
    both = ours & original
    rows = [
        {"concept": name, "released": int(ours[:, i].sum()), "original": int(original[:, i].sum()), "in_both": int(both[:, i].sum())}
        for i, name in enumerate(names)
    ]
    n_both, n_ours, n_original = int(both.sum()), int(ours.sum()), int(original.sum())
    draws, found = generator(seed), {"relevance": threshold, "concepts": rows}
    return [
        Score(f"keywords:overlap@{threshold}", share(n_both, n_ours), n_ours, bootstrap_share(n_both, n_ours, draws), found),
        Score(f"keywords:kept@{threshold}", share(n_both, n_original), n_original, bootstrap_share(n_both, n_original, draws), found),
    ]
