"""Ways to find tasks without learning: what a model must beat.

time gap; geometric (Gayo-Avello 2009); cascade (Hagen et al. 2011, without its step on a text collection);
QC-WCC and QC-HTC (Lucchese et al. 2011) by letters alone, the mean of trigrams and edit distance: their
semantic half needs a text collection; all different; all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from crowdlog.applications.tasks.clustering import single_link
from crowdlog.applications.tasks.find import SearchBlock
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.pair_features import SECONDS, STEMS_IN, TRIGRAM, pair_matrix
from crowdlog.applications.tasks.pair_scores import score_matrix, scorer
from crowdlog.log.sessions import SESSION_MINUTES, ends_session
from crowdlog.types import Bools, Floats, Ints

ETA = 0.2  # Lucchese et al. 2011
DAY = 86_400
_LEXICAL = TaskModel("lucchese", "none", ETA, "single", alpha=1.0)


def _neighbours(block: SearchBlock) -> Floats:
    """The feature vectors of each search of a block and the one after it."""
    first = np.arange(len(block.rows) - 1)
    found: Floats = pair_matrix(block.people, first, first + 1)
    return found


def _runs(block: SearchBlock, joined: Bools) -> Ints:
    """Each search of a run of neighbours that belong together is of its first search's task."""
    new = np.ones(len(block.rows), bool)
    new[1:] = ~joined
    new[block.parts[:-1]] = True
    found: Ints = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
    return found


def time_gap(block: SearchBlock) -> Ints:
    """A task ends at a pause of more than 26 minutes."""
    return _runs(block, ~ends_session(np.abs(np.diff(block.people.time)), SESSION_MINUTES))


def _geometric(vectors: Floats) -> Bools:
    """Time and likeness are two sides of a right angle: one task where its hypotenuse is at least 1.

    Likeness is the overlap of trigrams as a cosine is one; time falls to 0 in a day.
    """
    likeness = 2 * vectors[:, TRIGRAM] / (1 + vectors[:, TRIGRAM])
    time = np.maximum(0, 1 - vectors[:, SECONDS] / DAY)
    found: Bools = (likeness**2 + time**2 >= 1) & (likeness > 0)
    return found


def geometric(block: SearchBlock) -> Ints:
    """Neighbours by time and likeness."""
    return _runs(block, _geometric(_neighbours(block)))


def cascade(block: SearchBlock) -> Ints:
    """Neighbours: one text's words hold the other's; else by time and likeness. Then a run joins the latest
    earlier one whose last search has such a text, too.
    """
    vectors = _neighbours(block)
    runs = _runs(block, (vectors[:, STEMS_IN] >= 1) | _geometric(vectors))
    out = runs.copy()
    for begin, end in zip(block.parts[:-1], block.parts[1:], strict=True):
        starts = np.unique(runs[begin:end])
        ends = np.append(starts[1:], end) - 1
        for number in range(1, len(starts)):
            earlier = ends[:number][::-1]
            pairs = pair_matrix(block.people, earlier, np.full(len(earlier), starts[number]))
            near = np.flatnonzero((pairs[:, STEMS_IN] >= 1) | (pairs[:, TRIGRAM] >= 0.4))
            if len(near):
                out[starts[number] : ends[number] + 1] = out[earlier[near[0]]]
    return out


def _by_matrix(cluster: Callable[[Any], Any]) -> Callable[[SearchBlock], Ints]:
    def find(block: SearchBlock) -> Ints:
        out = np.empty(len(block.rows), np.int64)
        for begin, end in zip(block.parts[:-1], block.parts[1:], strict=True):
            scores = score_matrix(block.people, scorer(_LEXICAL), int(begin), int(end))
            out[begin:end] = begin + cluster(scores)
        return out

    return find


@njit(cache=True, nogil=True)
def head_tail(scores, eta):  # type: ignore[no-untyped-def]
    """QC-HTC: runs of neighbours with at least η; two runs are as alike as the least of the four scores of
    their first and last searches; connected runs are a task.
    """
    n = len(scores)
    run = np.zeros(n, np.int64)
    heads, tails = [0], [0]
    for i in range(1, n):
        if scores[i, i - 1] >= eta:
            tails[-1] = i
        else:
            heads.append(i)
            tails.append(i)
        run[i] = len(heads) - 1
    alike = np.zeros((len(heads), len(heads)), np.float32)
    for a in range(len(heads)):
        for b in range(a):
            one = min(scores[heads[a], heads[b]], scores[heads[a], tails[b]])
            other = min(scores[tails[a], heads[b]], scores[tails[a], tails[b]])
            alike[a, b] = alike[b, a] = min(one, other)
    task = single_link(alike, np.full(len(heads), -1), eta)
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = heads[task[run[i]]]
    return out


def all_different(block: SearchBlock) -> Ints:
    return np.arange(len(block.rows))


def all_same(block: SearchBlock) -> Ints:
    return np.repeat(block.parts[:-1], np.diff(block.parts))


BASELINES: dict[str, Callable[[SearchBlock], Ints]] = {
    "time-gap": time_gap,
    "geometric": geometric,
    "cascade": cascade,
    "qc-wcc": _by_matrix(lambda scores: single_link(scores, np.full(len(scores), -1), ETA)),
    "qc-htc": _by_matrix(lambda scores: head_tail(scores, ETA)),
    "all-different": all_different,
    "all-same": all_same,
}
