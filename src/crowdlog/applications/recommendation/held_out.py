"""Contexts of people whose searches are in no graph: what a recommendation is tried on.

A context is the queries of a true task but its last one, which is what should be recommended.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from crowdlog.applications.recommendation.contexts import same_task_scores
from crowdlog.applications.tasks.commands import LabelledLog

SHORTEST = 3  # queries of a task: one to come, a reference and at least one before


def held_out_contexts(
    log: LabelledLog, most: int, seed: int, known: Container[str] | None = None
) -> list[dict[str, Any]]:
    """At most so many contexts: id, context, sametask, later.

    `known`: only contexts whose later query is among these. Most searches are one person's own, and what
    nobody else ever asked cannot be recommended.
    """
    kept = log.searches.kept
    texts = log.texts.take(log.searches.query[kept]).to_pylist()
    tasks: dict[int, list[str]] = {}
    for task, text in zip(log.labels.task[kept].tolist(), texts, strict=True):
        mine = tasks.setdefault(task, [])
        if task >= 0 and text not in mine:
            mine.append(text)
    long = [
        queries
        for queries in tasks.values()
        if len(queries) >= SHORTEST and (known is None or queries[-1] in known)
    ]
    order = np.random.default_rng(seed).permutation(len(long))[:most]
    return [
        {
            "id": str(number),
            "context": long[place][:-1],
            "sametask": same_task_scores(long[place][:-1]),
            "later": [long[place][-1]],
        }
        for number, place in enumerate(order.tolist())
    ]
