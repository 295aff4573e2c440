"""Website clustering: how pure the clusters of a release are (Zhang 2017, §6.3)."""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.packed_keys import unpack
from crowdlog.errors import InputError
from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.models.site_clusters import clusters
from crowdlog.types import Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score, share

SITES = 1000  # the most clicked, as in the study


def purity(found: Ints, classes: Ints) -> tuple[int, int]:
    """Sites in the most frequent class of their cluster, of all sites in clusters of at least two."""
    several = np.bincount(found)[found] >= 2
    cells = np.unique(np.stack([found[several], classes[several]]), axis=1, return_counts=True)
    best = np.zeros(found.max(initial=-1) + 1, np.int64)
    np.maximum.at(best, cells[0][0], cells[1])
    return int(best.sum()), int(several.sum())


def measure(released: Tables, truth: Truth, settings: MeasureSettings) -> list[Score]:
    """Purity of the release's clusters against given classes, or against clusters of the log itself."""
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


def _most_clicked(clicks: KeyCounts, urls: int) -> Ints:
    total = np.bincount(unpack(clicks.key)[1], weights=np.maximum(clicks.count, 0), minlength=urls)
    order = np.argsort(-total, kind="stable")[:SITES]
    return order[total[order] > 0]


def _given(settings: MeasureSettings, truth: Truth, sites: Ints) -> Ints:
    import pyarrow as pa

    wanted = settings.site_classes or {}
    names = sorted(set(wanted.values()))
    chosen = truth.vocabulary.urls.all().take(pa.array(sites)).to_pylist()
    classes = np.array([names.index(wanted[site]) if site in wanted else -1 for site in chosen], np.int64)
    if not (classes >= 0).any():
        raise InputError(
            f"None of the {len(sites)} most clicked sites of the release is in the classes given: write each "
            "URL as the log spells it."
        )
    return classes
