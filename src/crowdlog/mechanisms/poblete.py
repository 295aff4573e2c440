"""Query log anonymisation by graph disconnection (Poblete, Spiliopoulou and Baeza-Yates 2007).

Kept for comparison: it publishes people's own rows, so it promises nothing to anybody.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.rows import publish_rows, read_rows, row_promise
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.types import Ints

_SECOND_LEVEL = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))  # below a country, as in co.uk
DOCUMENTS = "The log does not tell how many documents a query returns: clicked documents stand for them."


@dataclass(frozen=True, repr=False)
class Poblete(Mechanism):
    """Remove queries that point at few documents or name their site, then those that share clicked documents,
    and publish the rows that are left under pseudonyms.
    """

    title: ClassVar[str] = "Rows of queries that share no clicked document with others, under pseudonyms"
    example: ClassVar[str] = "Poblete(k=1, K=1)"
    source: ClassVar[str] = "Poblete, Spiliopoulou, Baeza-Yates: PinKDD 2007; Erola 2013, §3.2"
    formula: ClassVar[str] = (
        "publish rows of q where documents(q) ≥ k and sites(q) ≥ K and no clicked document is shared"
    )
    unsafe: ClassVar[bool] = True

    k: int = parameter("how many different documents a query must have led to", default=1, least=1)
    K: int = parameter("from how many different sites these must be", default=1, least=1)

    def promise(self) -> Promise:
        step = Step(
            "Graph disconnection",
            f"Remove queries with fewer than {self.k} documents, or of fewer than {self.K} sites, or that "
            "name a site they "
            "led to; then, the most connected first, those that share a document with another, until none "
            "does.",
        )
        return row_promise(
            step,
            "Every query that is left is published as it is, under one pseudonym for each person.",
            DOCUMENTS,
        )

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        events = read_rows(log)
        kept = self.kept_queries(log, events)
        import pyarrow as pa

        rows = events.filter(pa.array(kept[events["query"].to_numpy()]))
        users, who = np.unique(rows["user"].to_numpy(), return_inverse=True)
        notes = {"share of queries removed": round(1 - float(kept.mean()), 4), "users left": len(users)}
        return Protected({"events": publish_rows(log, rows, who.astype(np.int64), randomness)}, notes)

    def kept_queries(self, log: LogStore, events: Any) -> Any:
        """The ids of the queries that remain after the removal."""
        from crowdlog.artifacts.packed_keys import pack, unpack
        from crowdlog.clusters.host_tree import read_sites

        clicked = events.filter(events["url"].is_valid())
        keys = np.unique(pack(clicked["query"].to_numpy().astype(np.int64), clicked["url"].to_numpy()))
        query, url = unpack(keys)
        sites = read_sites(log)
        documents = np.bincount(query, minlength=log.info.queries)
        pairs = np.unique(pack(query, sites.of_url[url] + 1))
        of_sites = np.bincount(unpack(pairs)[0], minlength=log.info.queries)
        kept = (documents >= self.k) & (of_sites >= self.K)
        kept[query[_well_targeted(log, query, url, sites)]] = False
        return disconnect(query, url, kept)


def _well_targeted(log: LogStore, query: Ints, url: Ints, sites: Any) -> Any:
    """Pairs whose query holds the URL, or its site, as a word."""
    texts: Any = log.query_texts(query).to_pylist()
    found = np.zeros(len(texts), bool)
    for i, (text, site) in enumerate(zip(texts, sites.of_url[url].tolist(), strict=True)):
        if site >= 0:
            labels = sites.labels(site)
            found[i] = any(_names_site(word, labels) for word in text.split())
    return found


def _names_site(word: str, labels: tuple[str, ...]) -> bool:
    """Whether a word is the site's name alone (example of shop.example.com, bbc of bbc.co.uk), or an address
    of the site or of one above it.
    """
    from crowdlog.clusters.host_tree import labels_of

    own = 2 if len(labels) > 2 and len(labels[0]) == 2 and labels[1] in _SECOND_LEVEL else 1
    named = labels_of(word)
    return labels[own : own + 1] == (word,) or (len(named) > own and labels[: len(named)] == named)


def disconnect(query: Ints, url: Ints, kept: Any) -> Any:
    """Remove queries, the most connected first (ties: the lowest id), until no document belongs to two of
    them.

    Degrees only fall, so a degree that is still right when its query comes up is the highest.
    """
    kept = kept.copy()
    there = kept[query]
    query, url = query[there], url[there]
    start = np.searchsorted(query, np.arange(len(kept) + 1))
    shared = np.bincount(url)

    def degree(each: int) -> int:
        return int((shared[url[start[each] : start[each + 1]]] - 1).sum())

    heap = [(-degree(each), each) for each in np.unique(query).tolist()]
    heapq.heapify(heap)
    while heap:
        before, each = heapq.heappop(heap)
        now = degree(each)
        if now == 0:
            continue
        if now < -before:
            heapq.heappush(heap, (-now, each))
            continue
        kept[each] = False
        shared[url[start[each] : start[each + 1]]] -= 1
    return kept
