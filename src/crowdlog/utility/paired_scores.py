"""A retrieval task done twice, with the release and with the original log, and compared fairly.

A release that answers only easy queries looks better than the log it came from. So every score comes with the
number of queries it rests on, the original's own score, and both scores on the queries that both can answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crowdlog.measure.draws import generator
from crowdlog.measure.intervals import bootstrap_mean, paired_t_test
from crowdlog.measure.ragged import Lists
from crowdlog.models.ranker import Ranker
from crowdlog.types import Bools, Floats, Ints
from crowdlog.utility.score import Score, share


@dataclass(frozen=True)
class Topics:
    """What is asked and what would be right. Topics of one group (a session) count as one observation."""

    queries: Lists
    relevant: Lists
    group: Ints

    def __len__(self) -> int:
        return len(self.group)


@dataclass(frozen=True)
class PairedScores:
    """The scores of both logs by metric, one entry per topic; NaN where it was not asked or has no answer."""

    group: Ints
    released: Mapping[str, Floats]
    original: Mapping[str, Floats]
    own: Bools  # the topics drawn for the original's own score
    answered: tuple[int, int]  # groups the release, and the original, could answer, before drawing a sample
    asked: int  # groups in all


def compare_rankers(
    topics: Topics, released: Ranker, original: Ranker, metrics: Sequence[str], *, sample: int, seed: int
) -> PairedScores:
    """Ask both logs. At most `sample` groups each, drawn from those each can answer (0: all)."""
    can = [released.knows(topics.queries), original.knows(topics.queries)]
    groups = [np.unique(topics.group[mask]) for mask in can]
    drawn = [_drawn(topics.group, mask, found, sample, seed) for mask, found in zip(can, groups, strict=True)]
    scores = [
        _scores(topics, released, drawn[0], metrics),
        _scores(topics, original, drawn[1] | (drawn[0] & can[1]), metrics),
    ]
    answered = len(groups[0]), len(groups[1])
    return PairedScores(topics.group, scores[0], scores[1], drawn[1], answered, len(np.unique(topics.group)))


def _drawn(group: Ints, can: Bools, groups: Ints, sample: int, seed: int) -> Bools:
    if not sample or len(groups) <= sample:
        return can
    chosen = generator(seed).choice(groups, sample, replace=False)
    return can & np.isin(group, chosen)


def _scores(topics: Topics, ranker: Ranker, asked: Bools, metrics: Sequence[str]) -> dict[str, Floats]:
    which = np.flatnonzero(asked)
    found = per_topic(ranker.rank(topics.queries.take(which)), topics.relevant.take(which), metrics)
    scores = {}
    for metric in metrics:
        scores[metric] = np.full(len(topics), np.nan)
        scores[metric][which] = found[metric]
    return scores


def per_topic(ranked: Lists, relevant: Lists, metrics: Sequence[str]) -> dict[str, Floats]:
    """Each metric, under the name that ir-measures gives it, for each topic.

    What is left out counts as not found.
    """
    import ir_measures

    # The library breaks ties by name, so every place gets a score of its own.
    run = {
        str(i): {str(item): -float(place) for place, item in enumerate(ranked[i].tolist())}
        for i in range(len(ranked))
    }
    truth = {str(i): {str(item): 1 for item in relevant[i].tolist()} for i in range(len(relevant))}
    found = {name: np.zeros(len(relevant)) for name in metrics}
    for result in ir_measures.iter_calc([ir_measures.parse_measure(name) for name in metrics], truth, run):
        found[str(result.measure)][int(result.query_id)] = result.value
    return found


def joined(folds: Sequence[PairedScores]) -> PairedScores:
    """The scores of several folds as one."""
    if len(folds) == 1:
        return folds[0]
    start = np.cumsum([0] + [int(fold.group.max(initial=-1)) + 1 for fold in folds])
    return PairedScores(
        np.concatenate([fold.group + start[i] for i, fold in enumerate(folds)]),
        {metric: np.concatenate([fold.released[metric] for fold in folds]) for metric in folds[0].released},
        {metric: np.concatenate([fold.original[metric] for fold in folds]) for metric in folds[0].original},
        np.concatenate([fold.own for fold in folds]),
        (sum(fold.answered[0] for fold in folds), sum(fold.answered[1] for fold in folds)),
        sum(fold.asked for fold in folds),
    )


def scored(name: str, pair: PairedScores, metric: str, seed: int) -> Score:
    """The release's score on what it answers, with everything a fair reader wants beside it."""
    released, original = pair.released[metric], pair.original[metric]
    value = _means(pair.group, released, ~np.isnan(released))
    own = _means(pair.group, original, pair.own)
    common = ~np.isnan(released) & ~np.isnan(original)
    ours, theirs = _means(pair.group, released, common), _means(pair.group, original, common)
    draws = generator(seed)
    return Score(
        f"{name}:{metric}",
        _mean(value),
        len(value),
        bootstrap_mean(value, draws),
        {
            "asked": pair.asked,
            "answered": pair.answered[0],
            "unanswered_as_zero": (_mean(value) or 0.0) * (share(pair.answered[0], pair.asked) or 0.0),
            "original": _mean(own),
            "original_evaluated": len(own),
            "original_answered": pair.answered[1],
            "original_unanswered_as_zero": (_mean(own) or 0.0) * (share(pair.answered[1], pair.asked) or 0.0),
            "common": len(ours),
            "released_on_common": _mean(ours),
            "original_on_common": _mean(theirs),
            "difference_interval": bootstrap_mean(ours - theirs, draws),
            "p_value": paired_t_test(ours, theirs),
        },
    )


def _means(group: Ints, scores: Floats, which: Bools) -> Floats:
    """The mean score of each group over the marked topics."""
    _groups, codes = np.unique(group[which], return_inverse=True)
    means: Floats = (
        np.bincount(codes, weights=scores[which]) / np.bincount(codes) if len(codes) else np.zeros(0)
    )
    return means


def _mean(scores: Floats) -> float | None:
    return float(scores.mean()) if len(scores) else None
