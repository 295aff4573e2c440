"""Keyword generation: queries that belong to a concept given by some URLs (Korolova et al. 2009, §7.2.2, after Fuxman et al. 2008).

A random walk goes back and forth on the click graph. The concept's URLs absorb it; at every step it is lost with chance α. A query's
relevance is the chance that a walk from it ends in the concept.
"""

from __future__ import annotations

from collections.abc import Callable
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
GAMMA = 0.0001  # how far a chance may be off
THRESHOLDS = (0.5, 0.7, 0.9, 0.95)
SITES, AMONG = 10, 200  # concepts when none are given: every 20th of the 200 most clicked sites; a walk from anywhere soon meets the very first


def relevance(clicks: Any, concepts: Any) -> Any:
    """For each query and concept the chance of ending there. `clicks`: queries by URLs; `concepts`: URLs by concepts, 0 or 1.

    p(q) = (1−α) Σ C(q,u)/C(q) p(u), and p(u) = 1 in the concept, else (1−α) Σ C(q,u)/C(u) p(q). Walking step by step takes hundreds of steps.
    With p(q) put into the second equation and both sides times C(u) the system is symmetric and positive definite: conjugate gradients solve it.
    """
    from scipy.sparse import diags_array

    stay, per_query, per_url = 1 - ALPHA, clicks.sum(axis=1), clicks.sum(axis=0)
    per_query, per_url = np.where(per_query > 0, per_query, 1), np.where(per_url > 0, per_url, 1)
    half = (diags_array(stay / np.sqrt(per_query)) @ clicks).tocsr()
    back = half.T.tocsr()
    absorbing = np.asarray(concepts, bool)
    free = (~absorbing).astype(np.float64)

    def system(x: Any) -> Any:
        return free * (per_url[:, None] * x - back @ (half @ x))

    at_urls = absorbing + _solved(system, free * (back @ (half @ absorbing.astype(np.float64))), per_url[:, None])
    return stay * (diags_array(1 / per_query) @ (clicks @ at_urls))


def _solved(system: Callable[[Any], Any], right: Any, scale: Any) -> Any:
    """Conjugate gradients for each column, scaled by the diagonal, until no chance can be wrong by more than γ.

    Divided by the scale the system is I − (1−α)²P with P's rows summing to at most 1, so an error is at most the residual / (1 − (1−α)²).
    """
    enough = GAMMA * (1 - (1 - ALPHA) ** 2)
    x, residual = np.zeros_like(right), right
    direction, energy = np.zeros_like(right), np.ones(right.shape[1])
    while np.abs(residual / scale).max(initial=0.0) > enough:
        before, energy = energy, np.maximum((residual * residual / scale).sum(axis=0), 1e-300)
        direction = residual / scale + direction * (energy / before)
        image = system(direction)
        step = energy / np.maximum((direction * image).sum(axis=0), 1e-300)
        x, residual = x + step * direction, residual - step * image
    return x


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
    per_site = np.bincount(codes[clicks.key % SHIFT], weights=clicks.count, minlength=len(encoded.dictionary))
    popular = np.argsort(-per_site, kind="stable")[:AMONG]
    popular = popular[np.unique(np.linspace(-1, len(popular) - 1, SITES + 1).astype(np.int64)[1:])]
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
