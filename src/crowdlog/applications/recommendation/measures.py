"""How good recommendations are: the study's MRR over documents, that of later queries, and coverage.

The study's MRR: documents are retrieved for the top recommendation, those shown for any query of the context
are taken out, and the reciprocal rank of the first relevant one counts; 0 where there is none, over all ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdlog.applications.input_text import input_text
from crowdlog.applications.recommendation.bm25 import BM25
from crowdlog.errors import InputError
from crowdlog.log.normalise import normalise
from crowdlog.measure.intervals import bootstrap_mean
from crowdlog.types import Floats


def reciprocal_rank(ranked: Sequence[str], good: set[str]) -> float:
    """1 / the place of the first good one; 0 without."""
    return next((1 / place for place, name in enumerate(ranked, 1) if name in good), 0.0)


def _queries(recs: Any) -> list[str]:
    """The recommended queries, best first."""
    pairs: list[Any] = recs if isinstance(recs, list) else [None]
    if not all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
        raise InputError("The recommendations cannot be used: recs is a list of [query, score] for each id.")
    return [normalise(pair[0]) for pair in pairs]


def _texts(row: Mapping[str, Any], field: str) -> set[str]:
    """A field of the truth: a list of texts, or nothing."""
    values = row.get(field, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"The truth cannot be used: '{field}' is a list of texts for each id.")
    return set(values)


def score_recommendations(
    recs: Sequence[Mapping[str, Any]],
    truth: Sequence[Mapping[str, Any]],
    documents: Mapping[str, str] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Means over ids with 95 % intervals. An id `7#3` is draw 3 of the context 7: truth is that of 7, and an
    interval is drawn over contexts, because draws of one context are alike. A context of the truth without
    a line counts 0, as often as others have ids on average: who leaves out the hard ones does not score
    better.
    """
    true = {str(row["id"]): row for row in truth}
    _refuse_no_truth(truth, "later" if documents is None else "relevant")
    searcher = BM25(documents) if documents is not None else None
    contexts: list[str] = []
    columns: dict[str, list[float]] = {"coverage": [], "mrr_later": []}
    if searcher is not None:
        columns["mrr"] = []
    for row in recs:
        name = str(row["id"])
        context = name if name in true else name.rpartition("#")[0]
        if context not in true:
            raise InputError("The recommendations name an id that the truth does not hold.")
        wanted = true[context]
        contexts.append(context)
        queries = _queries(row["recs"])
        columns["coverage"].append(float(bool(queries)))
        later = {normalise(query) for query in _texts(wanted, "later")}
        columns["mrr_later"].append(reciprocal_rank(queries, later))
        if searcher is not None:
            shown = _texts(wanted, "shown")
            found = [name for name in searcher.rank(queries[0]) if name not in shown] if queries else []
            columns["mrr"].append(reciprocal_rank(found, _texts(wanted, "relevant")))
    if not recs:
        raise InputError("There are no recommendations to score.")
    unanswered = len(true) - len(set(contexts))
    report: dict[str, Any] = {"ids": len(recs), "unanswered": unanswered}
    of = np.unique(contexts, return_inverse=True)[1]
    answers = np.bincount(of)
    ids: Floats = np.append(answers, np.full(unanswered, answers.mean()))
    for name, values in columns.items():
        sums: Floats = np.bincount(of, np.array(values), len(ids)).astype(np.float64)
        interval = bootstrap_mean(sums, np.random.default_rng(seed), ids)
        report[name] = {"value": float(sums.sum() / ids.sum()), "interval": interval}
    return report


def _refuse_no_truth(truth: Sequence[Mapping[str, Any]], field: str) -> None:
    """A misspelt field would score 0 everywhere."""
    if not any(field in row for row in truth):
        raise InputError(f"No line of the truth has '{field}': there is nothing to compare with.")


def read_documents(path: str) -> dict[str, str]:
    """Lines of a name, a tab and a text; a first line `doc<TAB>text` names the columns."""
    found = {}
    for number, line in enumerate(input_text(path, "file of documents").split("\n"), 1):
        name, tab, text = line.rstrip("\r").partition("\t")
        if not tab and name:
            raise InputError(f"The documents {path} cannot be used: line {number} has no tab.")
        if tab and not (number == 1 and (name, text) == ("doc", "text")):
            found[name] = text
    if not found:
        raise InputError(f"The documents {path} cannot be used: there is none.")
    return found
