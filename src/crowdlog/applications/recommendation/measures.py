"""How good recommendations are: the study's MRR over documents, that of later queries, and coverage.

The study's MRR: documents are retrieved for the top recommendation, those shown for any query of the context
are taken out, and the reciprocal rank of the first relevant one counts; 0 where there is none, over all ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.recommendation.bm25 import BM25
from crowdlog.errors import InputError
from crowdlog.log.normalise import normalise
from crowdlog.measure.intervals import bootstrap_mean


def reciprocal_rank(ranked: Sequence[str], good: set[str]) -> float:
    """1 / the place of the first good one; 0 without."""
    return next((1 / place for place, name in enumerate(ranked, 1) if name in good), 0.0)


def score_recommendations(
    recs: Sequence[Mapping[str, Any]],
    truth: Sequence[Mapping[str, Any]],
    documents: Mapping[str, str] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Means over ids with 95 % intervals. An id `7#3` is draw 3 of the context 7: truth is that of 7."""
    true = {str(row["id"]): row for row in truth}
    _refuse_no_truth(truth, "later" if documents is None else "relevant")
    searcher = BM25(documents) if documents is not None else None
    columns: dict[str, list[float]] = {"coverage": [], "mrr_later": []}
    if searcher is not None:
        columns["mrr"] = []
    for row in recs:
        name = str(row["id"])
        wanted = true.get(name, true.get(name.rpartition("#")[0]))
        if wanted is None:
            raise InputError("The recommendations name an id that the truth does not hold.")
        queries = [query for query, _score in row["recs"]]
        columns["coverage"].append(float(bool(queries)))
        later = {normalise(query) for query in wanted.get("later", [])}
        columns["mrr_later"].append(reciprocal_rank(queries, later))
        if searcher is not None:
            shown = set(wanted.get("shown", []))
            found = [name for name in searcher.rank(queries[0]) if name not in shown] if queries else []
            columns["mrr"].append(reciprocal_rank(found, set(wanted.get("relevant", []))))
    if not recs:
        raise InputError("There are no recommendations to score.")
    report: dict[str, Any] = {"ids": len(recs)}
    for name, values in columns.items():
        interval = bootstrap_mean(np.array(values), np.random.default_rng(seed))
        report[name] = {"value": float(np.mean(values)), "interval": interval}
    return report


def _refuse_no_truth(truth: Sequence[Mapping[str, Any]], field: str) -> None:
    """A misspelt field would score 0 everywhere."""
    if not any(field in row for row in truth):
        raise InputError(f"No line of the truth has '{field}': there is nothing to compare with.")


def read_documents(path: str) -> dict[str, str]:
    """Lines of a name, a tab and a text; a first line `doc<TAB>text` names the columns."""
    try:
        lines = Path(path).read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"The documents {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The documents {path} cannot be read: they are not UTF-8 text.") from None
    found = {}
    for number, line in enumerate(lines, 1):
        name, tab, text = line.rstrip("\r").partition("\t")
        if not tab and name:
            raise InputError(f"The documents {path} cannot be used: line {number} has no tab.")
        if tab and not (number == 1 and (name, text) == ("doc", "text")):
            found[name] = text
    return found
