"""How well the frequencies of what is most frequent are kept: of queries, words and categories.

Of each user's ten most frequent (Erola 2013, §5.5.2.1), and of the ten most frequent of the whole log
(Figures 5.7 and 5.8): Σ of the smaller of the two relative frequencies, over Σ of the log's. 1: nothing is
lost. What is not shown has the frequency 0; of equally frequent ones the first in the log counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.representations import STOP_WORDS
from crowdlog.artifacts.semantic.reading import read_words
from crowdlog.log.store import LogStore
from crowdlog.measure.categories import query_categories
from crowdlog.measure.draws import generator
from crowdlog.measure.intervals import bootstrap_mean
from crowdlog.measure.tables import Tables
from crowdlog.types import Floats
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score

TOP = 10


def measure(released: Tables, _truth: Truth, settings: MeasureSettings) -> list[Score]:
    """Two scores each for queries, words and categories."""
    histories = released.histories
    store = histories.log.store
    kinds = {
        "queries": None,
        "words": query_words(store),
        "categories": query_categories(store, settings.tree)[1],
    }
    found = []
    for name, matrix in kinds.items():
        own = histories.own if matrix is None else histories.own @ matrix
        shown = histories.known if matrix is None else histories.known @ matrix
        each = kept_of_each(own.tocsr(), shown.tocsr())
        value = float(each.mean()) if len(each) else None
        interval = bootstrap_mean(each, generator(settings.seed))
        found.append(Score(f"top:{name}:each user", value, len(each), interval))
        whole = kept_of_all(own.sum(axis=0), shown.sum(axis=0))
        found.append(Score(f"top:{name}:whole log", whole, min(TOP, own.shape[1])))
    return found


def query_words(log: LogStore) -> Any:
    """Queries by words, without stop words: how often each is in each."""
    from scipy.sparse import csr_array

    words = read_words(log)
    column = words.word.astype(np.int64)
    row = np.repeat(np.arange(len(words.start) - 1), np.diff(words.start))
    kept = np.array([word != "" and word not in STOP_WORDS for word in words.text.to_pylist()])[column]
    ones = np.ones(int(kept.sum()), np.int64)
    return csr_array((ones, (row[kept], column[kept])), shape=(log.info.queries, len(words.text)))


def kept_of_each(own: Any, shown: Any) -> Floats:
    """For each user with a query or site: the share of the frequencies of her TOP most frequent ones that is
    kept in her released record.
    """
    own.sort_indices()
    size = np.asarray(own.sum(axis=1), np.float64)
    theirs = np.maximum(np.asarray(shown.sum(axis=1), np.float64), 1)
    row = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr))
    order = np.lexsort((own.indices, -own.data, row))
    place = np.arange(len(order)) - own.indptr[row]
    first = order[place < TOP]
    p = own.data[first] / size[row[first]]
    q = np.asarray(shown[row[first], own.indices[first]]).ravel() / theirs[row[first]]
    kept = np.bincount(row[first], np.minimum(p, q), own.shape[0])
    most = np.bincount(row[first], p, own.shape[0])
    some = size > 0
    return kept[some] / most[some]


def kept_of_all(own: Any, shown: Any) -> float | None:
    """The same of the whole log."""
    mine = np.asarray(own, np.float64)
    theirs = np.asarray(shown, np.float64)
    if not mine.sum():
        return None
    first = np.argsort(-mine, kind="stable")[:TOP]
    p = mine[first] / mine.sum()
    q = theirs[first] / max(theirs.sum(), 1.0)
    return float(np.minimum(p, q).sum() / p.sum())
