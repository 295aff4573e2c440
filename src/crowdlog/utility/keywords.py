"""Keyword generation: queries that belong to a concept given by some URLs (Korolova et al. 2009, §7.2.2, after Fuxman et al. 2008).

A random walk goes back and forth on the click graph. The concept's URLs absorb it; at every step it is lost with chance α. A query is as
relevant as a walk from it ends in the concept more surely than a walk from anywhere else.

Why not simply the chance, as the study has it? Click graphs are so well connected that a walk of 1/α steps forgets where it began: on a synthetic
log of 20,000 users 90 % of all queries reach a popular site with a chance between .42 and .45, in a release of it between .53 and .64. A bar at .5
then makes keywords of none or of thousands of queries. So the chance of a walk from anywhere is taken off on either side.
As in the study rare edges are left out of both graphs: a release has none of them, and with them the log's own chances would be others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.errors import InputError
from crowdlog.utility.score import Score, share
from crowdlog.utility.significance import bootstrap_ratio
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


def above_elsewhere(chance: Any, clicks: Any, concepts: Any) -> Any:
    """How much of what a walk from elsewhere leaves open is gained: (p − e)/(1 − e), in each connected part of the graph.

    e: the mean chance over all clicks of the part that are not on the concept; 0 where there are none.
    """
    from scipy.sparse import block_array, csr_array
    from scipy.sparse.csgraph import connected_components

    n = clicks.shape[0]
    parts, labels = connected_components(block_array([[None, clicks], [clicks.T, None]]), directed=False)
    members = csr_array((np.ones(n), (labels[:n], np.arange(n))), shape=(parts, n))
    others = clicks @ (~np.asarray(concepts, bool)).astype(np.float64)
    weight = members @ others
    elsewhere = ((members @ (others * chance)) / np.where(weight > 0, weight, 1))[labels[:n]]
    return (chance - elsewhere) / (1 - elsewhere)


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
    ours, original = (_keywords(table, marked, truth.sizes, settings.fewest_clicks) for table in (released.clicks, truth.table("clicks")))
    return [score for threshold in THRESHOLDS for score in _at(threshold, names, ours >= threshold, original >= threshold, settings)]


def _keywords(table: Counted, concepts: Bools, sizes: tuple[int, int], fewest_clicks: int) -> Any:
    often = table.count >= fewest_clicks
    clicks = Counted(table.key[often], table.count[often]).matrix(sizes)
    return above_elsewhere(relevance(clicks, concepts), clicks, concepts)


def _at(threshold: float, names: list[str], ours: Bools, original: Bools, settings: Settings) -> list[Score]:
    both, theirs, own = (found.sum(axis=0) for found in (ours & original, original, ours))
    rows = [{"concept": name, "released": int(own[i]), "original": int(theirs[i]), "in_both": int(both[i])} for i, name in enumerate(names)]
    draws, found = generator(settings.seed), {"relevance": threshold, "fewest_clicks": settings.fewest_clicks, "concepts": rows}
    return [
        Score(f"keywords:{what}@{threshold}", share(both.sum(), of.sum()), int(of.sum()), bootstrap_ratio(both, of, draws), found)
        for what, of in (("overlap", own), ("kept", theirs))
    ]
