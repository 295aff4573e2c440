"""Measures by names that people read: 'adhoc:RW:RR' is 'ad-hoc search, random walk, reciprocal rank'."""

from __future__ import annotations

from crowdlog.comparison.rows import ANSWERED, LESS_IS_BETTER

_OCCURRENCES = {"queries": "searches", "pairs": "next searches"}
_COVERAGE = {
    "distinct": "different {kind} shown",
    "impressions": "{occurrences} covered",
    "median_relative_error": "median error of the counts of {kind}",
    "drop_rate": "frequent {kind} that are missing",
    "spurious_rate": "shown {kind} that are not in the log",
}
_PARTS = {
    "adhoc": "ad-hoc search",
    "sites": "site search",
    "suggestion": "query suggestion",
    "sessions": "session search",
    "keywords": "advertising keywords",
    "patterns": "completions of a prefix",
    "clustering": "groups of sites",
    "ilr": "change of histories (ILR)",
    "srp": "interests left (SRP)",
    "il": "change of groups by meaning (IL)",
    "kmeans": "change of groups by words",
    "top": "highest frequencies",
    "RW": "random walk",
    "RW-2": "random walk of two steps",
    "IF": "implicit feedback",
    "per-query": "each query once",
    "AP@100": "average precision",
    "P@5": "precision of the first five",
    "P@10": "precision of the first ten",
    "R@10": "recall in the first ten",
    "RR": "reciprocal rank",
    "nDCG@10": "nDCG of the first ten",
}


def readable(name: str) -> str:
    """The name of a measure in words. What is not known here keeps its own."""
    whole = name.removesuffix(ANSWERED)
    parts = whole.split(":")
    if len(parts) == 3 and parts[0] == "coverage" and parts[2] in _COVERAGE:
        said = _COVERAGE[parts[2]].format(kind=parts[1], occurrences=_OCCURRENCES.get(parts[1], parts[1]))
    else:
        said = ", ".join(_PARTS.get(part, part.replace("_", " ")) for part in parts)
    answered = ", of what is answered" if name.endswith(ANSWERED) else ""
    better = " (less is better)" if parts[-1] in LESS_IS_BETTER else ""
    return f"{said}{answered}{better}"


def is_share(name: str) -> bool:
    """Whether its values are told in per cent: shares and relative errors, no scores of rankings."""
    return name.startswith(("coverage:", "srp:", "ilr", "clustering:"))
