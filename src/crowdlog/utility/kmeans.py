"""Rand and Jaccard index of k-means partitions of users, in log and release (Erola 2013, §5.3.2.4).

As in the paper, users are as far apart as the syntactic distance says, and the middle of a group is the
operator ℂ of §5.3.1.4. Open there: the first middles (κ users by lot, the same in the log and in the release)
and when it ends (after ROUNDS). A user without a record is in a group of her own kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.semantic.reading import read_words
from crowdlog.clusters.distances.edit_distance import words_of
from crowdlog.clusters.distances.syntactic import SyntacticDistance
from crowdlog.clusters.host_tree import sites_of
from crowdlog.clusters.user_rows import UserRows, read_user_rows
from crowdlog.measure.draws import generator
from crowdlog.measure.histories import PublishedHistories
from crowdlog.measure.tables import Tables
from crowdlog.types import Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score

USERS = 100  # a pair of histories costs about 0.3 ms; the paper has 1,000 users
GROUPS = (2, 10, 30)  # κ
ROUNDS = 3


def measure(released: Tables, _truth: Truth, settings: MeasureSettings) -> list[Score]:
    """Both indexes for every number of groups; 1: the same groups."""
    histories = released.histories
    users = histories.users(USERS, settings.seed)
    own, shown = syntactic_pair(histories, users)
    order = generator(settings.seed).permutation(len(users))
    found = []
    for number in GROUPS:
        if number > len(users) // 2:
            continue
        first = order[:number]
        rand, jaccard = indexes(groups(own, first), groups(shown, first))
        found.append(Score(f"kmeans:{number} groups:rand", rand, len(users)))
        found.append(Score(f"kmeans:{number} groups:jaccard", jaccard, len(users)))
    return found


def syntactic_pair(histories: PublishedHistories, users: Ints) -> tuple[SyntacticDistance, SyntacticDistance]:
    """The distance between these users by their own rows, and by the rows of their records."""
    store = histories.log.store
    words = read_words(store)
    texts = (words.start, words.word.astype(np.int64), words_of(words.text.to_pylist()))
    own = SyntacticDistance(read_user_rows(store), *texts).part(users)
    shown = SyntacticDistance(_shown_rows(histories, users), *texts)
    return own, shown


def _shown_rows(histories: PublishedHistories, users: Ints) -> UserRows:
    """The rows of the records of these users; texts that are not in the log are left out."""
    events: Any = histories.release.table("events")
    record = events["user"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    query = histories.log.texts.find(events["query"])
    time = events["time"].cast("int64").to_numpy()
    urls = events["url"].fill_null("").combine_chunks().dictionary_encode()
    sites = sites_of(urls.dictionary)
    site = sites.of_url[urls.indices.to_numpy()].astype(np.int64)
    rank = np.where(site >= 0, events["rank"].fill_null(0).to_numpy(), 0).astype(np.int64)
    order = np.lexsort((query, time, record))
    order = order[query[order] >= 0]
    begin = np.searchsorted(record[order], np.arange(len(histories.records.owner) + 1))
    mine = histories.record_of[users]
    length = np.where(mine >= 0, np.diff(begin)[mine], 0)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
    place = order[np.arange(start[-1]) + np.repeat(begin[mine] - start[:-1], length)]
    return UserRows(start, query[place], time[place], rank[place], site[place], sites)


def groups(distance: SyntacticDistance, first: Ints) -> Ints:
    """k-means that begins with these users as middles. Ties go to the first middle."""
    space = distance.space()
    everybody = np.arange(distance.users)
    middles = [distance.point(int(user)) for user in first]
    group = np.zeros(distance.users, np.int64)
    for _round in range(ROUNDS):
        group = np.argmin([distance.row_from(middle, everybody) for middle in middles], axis=0)
        for number in np.unique(group):
            middles[number] = space.centroid(np.flatnonzero(group == number))
    return group


def indexes(one: Ints, other: Ints) -> tuple[float, float]:
    """Rand and Jaccard index, by pairs of users: together in both, in one, in the other, in none."""
    together = _pairs(np.unique(np.stack([one, other]), axis=1, return_counts=True)[1])
    first = _pairs(np.unique(one, return_counts=True)[1])
    second = _pairs(np.unique(other, return_counts=True)[1])
    everything = len(one) * (len(one) - 1) // 2
    either = first + second - together
    rand = (together + everything - either) / everything if everything else 1.0
    return rand, together / either if either else 1.0


def _pairs(sizes: Any) -> int:
    return int((sizes * (sizes - 1) // 2).sum())
