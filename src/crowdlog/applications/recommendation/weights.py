"""How much each earlier query of a context counts (Feild 2013, §6.3.3, Figure 6.6).

A context is q_1 … q_m, the last one the reference query. Every task model is a mixture: λ times its own
weight and 1 − λ times that of `decay`. The study uses λ = 1 throughout.
"""

from __future__ import annotations

from collections.abc import Sequence

BETA = 0.8
TAU = 0.2  # a query is on task if its same-task score is above, strictly
LAMBDA = 1.0


def context_weights(
    model: str, same_task: Sequence[float], *, beta: float = BETA, tau: float = TAU, lam: float = LAMBDA
) -> list[float]:
    """The weight of each query of a context, oldest first; `same_task` is its score with the reference query,
    1 for the reference itself.
    """
    m = len(same_task)
    decay = [beta ** (m - 1 - i) for i in range(m)]
    if model == "reference":
        return [0.0] * (m - 1) + [1.0] if m else []
    if model == "decay":
        return decay
    own = _own(model, same_task, decay, beta, tau)
    return [lam * weight + (1 - lam) * plain for weight, plain in zip(own, decay, strict=True)]


def _own(
    model: str, same_task: Sequence[float], decay: Sequence[float], beta: float, tau: float
) -> list[float]:
    scored = list(zip(same_task, decay, strict=True))
    if model == "soft":
        return [score * plain for score, plain in scored]
    if model == "firm1":
        return [score * plain if score > tau else 0.0 for score, plain in scored]
    steps = task_distances(same_task, tau)
    if model == "hard":
        return [beta**step if score > tau else 0.0 for score, step in zip(same_task, steps, strict=True)]
    return [score * beta**step if score > tau else 0.0 for score, step in zip(same_task, steps, strict=True)]


def task_distances(same_task: Sequence[float], tau: float) -> list[int]:
    """How many steps back a query is on the list of queries on task: 0 for the last one, 1 before, …"""
    later = 0
    steps = []
    for score in reversed(same_task):
        steps.append(later)
        later += score > tau
    return steps[::-1]


def same_task_by_cluster(scores: Sequence[Sequence[float]], eta: float = TAU) -> list[float]:
    """sametask₂ (Feild 2013, eq. 6.6): cluster the context by single link at η; the best score of a query
    with any other of the reference's cluster; 0 outside of it, 1 for the reference.
    """
    m = len(scores)
    cluster = {m - 1}
    grown = True
    while grown:
        near = {i for i in range(m) for k in cluster if i != k and scores[i][k] >= eta}
        grown = not near <= cluster
        cluster |= near
    best = [max((scores[i][k] for k in cluster if k != i), default=0.0) for i in range(m)]
    return [1.0 if i == m - 1 else best[i] if i in cluster else 0.0 for i in range(m)]
