"""Website clustering: sites people reach by the same queries belong together (Zhang 2017, §6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crowdlog.errors import InputError
from crowdlog.utility.score import Score, share
from crowdlog.utility.tables import SHIFT, Counted, Tables

if TYPE_CHECKING:
    from crowdlog.utility.context import Settings, Truth

Ints = npt.NDArray[np.int64]
SITES = 1000  # the most clicked, as in the study
CUT = 0.5


def clusters(clicks: Any) -> Ints:
    """The number of the cluster of each site (a column). Single link cut at 0.5 is: connected by similarities of at least 0.5."""
    from scipy.sparse.csgraph import connected_components

    _n, labels = connected_components(similarity(clicks) >= CUT, directed=False)
    numbers: Ints = labels.astype(np.int64)
    return numbers


def similarity(clicks: Any) -> Any:
    """Sim(v, w): the smaller of the shares of v's and of w's clicks that come from queries leading to both."""
    reached = (clicks > 0).astype(np.float64)
    total = np.maximum(clicks.sum(axis=0), 1e-300)
    from_common = (reached.T @ clicks).toarray() / total  # row v, column w: the share of w's clicks from queries that also lead to v
    return np.minimum(from_common, from_common.T)


def purity(found: Ints, classes: Ints) -> tuple[int, int]:
    """Sites in the most frequent class of their cluster, of all sites in clusters of at least two."""
    several = np.bincount(found)[found] >= 2
    cells = np.unique(np.stack([found[several], classes[several]]), axis=1, return_counts=True)
    best = np.zeros(found.max(initial=-1) + 1, np.int64)
    np.maximum.at(best, cells[0][0], cells[1])
    return int(best.sum()), int(several.sum())


def measure(released: Tables, truth: Truth, settings: Settings) -> list[Score]:
    """Purity of the release's clusters against given classes, or against the clusters the log itself gives."""
    if released.clicks is None:
        return []
    sites = _most_clicked(released.clicks, len(truth.vocabulary.urls))
    found = clusters(released.clicks.matrix(truth.sizes)[:, sites])
    own = clusters(truth.table("clicks").matrix(truth.sizes)[:, sites])
    classes = _given(settings, truth, sites) if settings.site_classes else own
    known = classes >= 0
    right, several = purity(found[known], classes[known])
    details = {
        "sites": len(sites),
        "clusters": int((np.bincount(found, minlength=1) >= 2).sum()),
        "clusters_of_the_log": int((np.bincount(own, minlength=1) >= 2).sum()),
        "classes": "given" if settings.site_classes else "the log's own clusters",
    }
    return [Score("clustering:purity", share(right, several), several, details=details)]


def _most_clicked(clicks: Counted, urls: int) -> Ints:
    total = np.bincount(clicks.key % SHIFT, weights=np.maximum(clicks.count, 0), minlength=urls)
    order = np.argsort(-total, kind="stable")[:SITES]
    return order[total[order] > 0]


def _given(settings: Settings, truth: Truth, sites: Ints) -> Ints:
    import pyarrow as pa

    wanted = settings.site_classes or {}
    names = sorted(set(wanted.values()))
    chosen = truth.vocabulary.urls.all().take(pa.array(sites)).to_pylist()
    classes = np.array([names.index(wanted[site]) if site in wanted else -1 for site in chosen], np.int64)
    if not (classes >= 0).any():
        raise InputError(f"None of the {len(sites)} most clicked sites of the release is in the classes given: write each URL as the log spells it.")
    return classes
