"""The score of every pair of a person's searches, by the trees of a model and its table of quiet pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.applications.tasks.bins import cell
from crowdlog.applications.tasks.model import QUIET_BETWEEN, QUIET_SECONDS, TaskModel
from crowdlog.applications.tasks.pair_features import (
    BETWEEN,
    EDIT,
    LOUD,
    SECONDS,
    SEMANTIC,
    TRIGRAM,
    common,
    meet,
    rest_of_features,
    text_evidence,
)
from crowdlog.applications.trees import score_in_step

_TREES, _BINNED, _LUCCHESE = range(3)


def scorer(model: TaskModel) -> tuple[Any, ...]:
    """A model as the kernels take it."""
    kind = _LUCCHESE if model.learner == "lucchese" else _TREES if model.bins == "none" else _BINNED
    return (
        kind,
        model.trees.stepped(),
        model.trees.logistic,
        model.quiet,
        np.array(QUIET_SECONDS),
        np.array(QUIET_BETWEEN),
        model.table(),
        model.bins == "bin1",
        model.alpha,
    )


@njit(cache=True, nogil=True)
def pair_score(people, scorer, i, j, vector):  # type: ignore[no-untyped-def]
    """The score of two searches."""
    kind, trees, logistic, quiet, seconds, between, table, fine, alpha = scorer
    evidence = text_evidence(people, i, j, vector)
    if kind == _TREES and not evidence:
        row = np.searchsorted(seconds, vector[SECONDS], side="right")
        return quiet[row, np.searchsorted(between, vector[BETWEEN], side="right")]
    rest_of_features(people, i, j, vector)
    if kind == _BINNED:
        return table[cell(vector, fine)]
    if kind == _LUCCHESE:
        return alpha * (vector[TRIGRAM] + vector[EDIT]) / 2 + (1 - alpha) * vector[SEMANTIC]
    raw = score_in_step(trees, vector)
    return 1 / (1 + np.exp(-raw)) if logistic else raw


@njit(cache=True, nogil=True)
def score_matrix(people, scorer, begin, end):  # type: ignore[no-untyped-def]
    """The scores of all pairs of the searches begin … end − 1."""
    scores = np.zeros((end - begin, end - begin), np.float32)
    if scorer[0] == _TREES and len(people.vectors) == 0:
        _fill_by_trees(people, scorer, begin, scores)
        return scores
    vector = np.zeros(11)
    for i in range(len(scores)):
        for j in range(i):
            scores[i, j] = scores[j, i] = pair_score(people, scorer, begin + j, begin + i, vector)
    return scores


@njit(cache=True, nogil=True)
def _fill_by_trees(people, scorer, begin, scores):  # type: ignore[no-untyped-def]
    """`pair_score` of all pairs. Nine of ten are quiet and told so from plain arrays, without a vector."""
    quiet, seconds, between = scorer[3], scorer[4], scorer[5]
    text, time, site_at, site = people.text, people.time, people.site_at, people.site
    signs, hidden = people.texts.signs, people.texts.hidden
    grams, grams_at = people.texts.grams, people.texts.grams_at
    stems, stems_at = people.texts.stems, people.texts.stems_at
    vector = np.zeros(11)
    for i in range(begin, begin + len(scores)):
        row = column = 0
        for j in range(begin, i):
            row = _place(seconds, abs(time[i] - time[j]), row)
            column = _place(between, i - j - 1, column)
            score = quiet[row, column]
            if _loud_texts(signs, hidden, grams, grams_at, stems, stems_at, text[i], text[j]) or (
                common(site, site_at[i], site_at[i + 1], site_at[j], site_at[j + 1]) > 0
            ):
                score = pair_score(people, scorer, j, i, vector)
            scores[i - begin, j - begin] = scores[j - begin, i - begin] = score


@njit(cache=True, nogil=True)
def _place(bounds, value, place):  # type: ignore[no-untyped-def]
    """How many bounds a value reaches; `place` is where its neighbour was, and most often right."""
    while place < len(bounds) and value >= bounds[place]:
        place += 1
    while place > 0 and value < bounds[place - 1]:
        place -= 1
    return place


@njit(cache=True, nogil=True)
def _loud_texts(signs, hidden, grams, grams_at, stems, stems_at, s, t):  # type: ignore[no-untyped-def]
    """Whether two texts have enough in common to be told by it: trigrams, or a stem.

    What they share is at most the bits that meet and what one of them hides behind a bit of its own.
    """
    if not meet(signs, s, t):
        return False
    if common(stems, stems_at[s], stems_at[s + 1], stems_at[t], stems_at[t + 1]) > 0:
        return True
    a, b = grams_at[s], grams_at[t]
    a_end, b_end = grams_at[s + 1], grams_at[t + 1]
    whole = a_end - a + b_end - b
    most = _bits_met(signs, s, t) + min(hidden[s], hidden[t])
    if most < LOUD * (whole - most):
        return False
    both = common(grams, a, a_end, b, b_end)
    return both / max(1, whole - both) >= LOUD


@njit(cache=True, nogil=True)
def _bits_met(signs, s, t):  # type: ignore[no-untyped-def]
    count = 0
    for word in range(signs.shape[1]):
        both = signs[s, word] & signs[t, word]
        while both:
            both &= both - np.uint64(1)
            count += 1
    return count
