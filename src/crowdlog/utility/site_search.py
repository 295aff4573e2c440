"""Site search: rank sites for a query; right is the site of what held-out people clicked.

Ad-hoc search with sites instead of addresses: what a release can do that names the sites of a query and no
address, beside releases of clicks and the log itself, whose addresses are taken by their sites.
"""

from __future__ import annotations

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.artifacts.parts import sites_of
from crowdlog.measure.tables import KeyCounts, Tables, count_keys
from crowdlog.models.walk import Walk
from crowdlog.types import Ints
from crowdlog.utility.adhoc import METRICS, searches_of
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import PairedScores, compare_rankers

NAME = "sites:RW"


def measure(released: Tables, fold: Fold, settings: MeasureSettings) -> dict[str, PairedScores]:
    """Search for sites by random walk, per search."""
    ours, theirs = released.query_sites or released.clicks, fold.original.clicks
    if ours is None or theirs is None or fold.urls is None:
        return {}
    sites = sites_of([fold.urls.all()])
    sizes = fold.sizes[0], len(sites.texts)
    rankers = (
        Walk(_of_sites(ours, sites.site), released.pairs or released.flow, sizes),
        Walk(_of_sites(theirs, sites.site), fold.original.pairs, sizes),
    )
    topics = searches_of(fold.test.renamed(None, sites.site))
    return {NAME: compare_rankers(topics, *rankers, METRICS, sample=settings.sample, seed=settings.seed)}


def _of_sites(clicks: KeyCounts, site: Ints) -> KeyCounts:
    """The same counts by query and site."""
    query, url = unpack(clicks.key)
    return count_keys(pack(query, site[url]), clicks.count)
