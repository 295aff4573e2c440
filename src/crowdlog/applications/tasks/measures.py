"""How good found tasks are: pairs, best matches, B³ and breaks, with intervals over people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.measure.intervals import RESAMPLES
from crowdlog.types import Floats, Ints


@dataclass(frozen=True)
class PersonScore:
    """Counts of one person: pairs by truth and finding, tasks, searches and breaks."""

    both: int  # pairs of one task in truth and finding
    found_only: int
    true_only: int
    neither: int
    best_match: float  # Σ over true tasks: size × F of the found task that fits best
    b3_precision: float  # Σ over searches
    b3_recall: float
    searches: int
    breaks: tuple[int, int, int]  # right, wrongly said, missed

    @property
    def pairs(self) -> int:
        return self.both + self.found_only + self.true_only + self.neither


def score_person(truth: Any, found: Any, unit: Any) -> PersonScore:
    """One person's searches in the order of time. Pairs and breaks lie within units only."""
    _names, unit_of = np.unique(np.asarray(unit), return_inverse=True)
    true_of = _joint(unit_of, truth)
    found_of = _joint(unit_of, found)
    cell = _counts(_joint(true_of, found_of))
    in_true, in_found, in_unit = _counts(true_of), _counts(found_of), _counts(unit_of)
    both = int(_pairs(cell))
    same_found, same_true, pairs = int(_pairs(in_found)), int(_pairs(in_true)), int(_pairs(in_unit))
    overlap = _overlap(true_of, found_of)
    best = (2 * overlap / (in_true[:, None] + in_found[None, :])).max(axis=1)
    at = overlap[true_of, found_of]
    return PersonScore(
        both,
        same_found - both,
        same_true - both,
        pairs - same_found - same_true + both,
        float((in_true * best).sum()),
        float((at / in_found[found_of]).sum()),
        float((at / in_true[true_of]).sum()),
        len(true_of),
        _breaks(unit_of, true_of, found_of),
    )


def _joint(a: Any, b: Any) -> Ints:
    """Numbers 0, 1, … of equal (a, b)."""
    _names, b_of = np.unique(np.asarray(b), return_inverse=True)
    codes = np.asarray(a).astype(np.int64) * (int(b_of.max(initial=0)) + 1) + b_of
    numbers: Ints = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return numbers


def _counts(numbers: Ints) -> Ints:
    return np.bincount(numbers)


def _pairs(sizes: Ints) -> Any:
    return (sizes * (sizes - 1) // 2).sum()


def _overlap(true_of: Ints, found_of: Ints) -> Ints:
    shape = (int(true_of.max()) + 1, int(found_of.max()) + 1)
    flat = np.bincount(true_of * shape[1] + found_of, minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def _breaks(unit: Ints, truth: Ints, found: Ints) -> tuple[int, int, int]:
    inside = unit[1:] == unit[:-1]
    true_break = (truth[1:] != truth[:-1])[inside]
    found_break = (found[1:] != found[:-1])[inside]
    right = int((true_break & found_break).sum())
    return right, int(found_break.sum()) - right, int(true_break.sum()) - right


def f_score(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """F_β; 0 where both are 0."""
    below = beta**2 * precision + recall
    return np.where(below > 0, (1 + beta**2) * precision * recall / np.where(below > 0, below, 1), 0.0)


def _ratio(top: Any, bottom: Any) -> Any:
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), 1.0)


# Each measure is a function of sums (or means) over people: row = a (re)sample of people.
def count_table(people: Sequence[PersonScore]) -> Floats:
    columns = []
    for p in people:
        pairs = max(p.pairs, 1)
        columns.append(
            [
                float(p.pairs > 0),
                (p.both + p.neither) / pairs if p.pairs else 0.0,
                _f1(p) if p.pairs else 0.0,
                p.both,
                p.found_only,
                p.true_only,
                p.neither,
                p.best_match,
                p.b3_precision,
                p.b3_recall,
                p.searches,
                *p.breaks,
            ]
        )
    return np.array(columns, np.float64)


def _f1(p: PersonScore) -> float:
    """1 where neither truth nor finding joins anything: nothing was missed and nothing made up."""
    whole = 2 * p.both + p.found_only + p.true_only
    return 2 * p.both / whole if whole else 1.0


MEASURES: dict[str, Callable[[Any], Any]] = {
    "accuracy": lambda s: _ratio(s[..., 1], s[..., 0]),
    "pair_f1": lambda s: _ratio(2 * s[..., 3], 2 * s[..., 3] + s[..., 4] + s[..., 5]),
    "pair_f1_macro": lambda s: _ratio(s[..., 2], s[..., 0]),
    "pair_precision": lambda s: _ratio(s[..., 3], s[..., 3] + s[..., 4]),
    "pair_recall": lambda s: _ratio(s[..., 3], s[..., 3] + s[..., 5]),
    "rand": lambda s: _ratio(s[..., 3] + s[..., 6], s[..., 3:7].sum(axis=-1)),
    "jaccard": lambda s: _ratio(s[..., 3], s[..., 3:6].sum(axis=-1)),
    "best_match_f": lambda s: _ratio(s[..., 7], s[..., 10]),
    "b3": lambda s: f_score(_ratio(s[..., 8], s[..., 10]), _ratio(s[..., 9], s[..., 10])),
    "break_precision": lambda s: _ratio(s[..., 11], s[..., 11] + s[..., 12]),
    "break_recall": lambda s: _ratio(s[..., 11], s[..., 11] + s[..., 13]),
    "break_f1": lambda s: _break_f(s, 1.0),
    "break_f1.5": lambda s: _break_f(s, 1.5),
}


def _break_f(s: Any, beta: float) -> Any:
    return f_score(MEASURES["break_precision"](s), MEASURES["break_recall"](s), beta)


def summary(people: Sequence[PersonScore], seed: int = 0) -> dict[str, Any]:
    """Every measure with its 95 % interval over people, and how many people, searches and pairs there are.

    `accuracy` is the mean over people who have pairs (macro); `pair_f1` is over all pairs together (micro).
    """
    table = count_table(people)
    drawn = np.random.default_rng(seed).integers(0, len(table), (RESAMPLES, len(table)))
    weights = np.stack([np.bincount(row, minlength=len(table)) for row in drawn])
    resampled = weights @ table
    whole = table.sum(axis=0)
    report: dict[str, Any] = {
        "people": len(people),
        "searches": int(whole[10]),
        "pairs": int(whole[3:7].sum()),
    }
    for name, measure in MEASURES.items():
        low, high = np.quantile(measure(resampled), [0.025, 0.975])
        report[name] = {"value": float(measure(whole)), "interval": [float(low), float(high)]}
    return report
