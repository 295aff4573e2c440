"""Plans as JSON and back: a label carries the plan of its tables, so that whoever reads a release knows how
it was made.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.errors import InputError
from crowdlog.plan import bounds, candidates, selections
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.dp_sips import DPSIPS
from crowdlog.privacy.selection.laplace_threshold import LaplaceThreshold
from crowdlog.privacy.selection.policy_gaussian import PolicyGaussian
from crowdlog.privacy.selection.truncated_geometric import TruncatedGeometric
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian

_METHODS = (AdaptiveGaussian, DPSIPS, LaplaceThreshold, PolicyGaussian, TruncatedGeometric, WeightedGaussian)
_PARTS = {
    kind.__name__: kind
    for kind in (
        *(TablePlan, Artifact, Sequences, DiscreteLaplace, RoundedGaussian, *_METHODS),
        *(bounds.FirstOccurrences, bounds.RandomOccurrences, bounds.FirstKeys, bounds.RandomKeys),
        *(bounds.SquaredBudget, bounds.SessionCut, bounds.Unbounded),
        *(
            candidates.OfTheLog,
            candidates.Pool,
            candidates.OfShown,
            candidates.PublicResults,
            candidates.Favours,
        ),
        *(selections.NoisyThreshold, selections.WeightedRounds, selections.KeySelection, selections.AtLeast),
    )
}


def to_json(plans: Sequence[TablePlan]) -> list[Any]:
    """Every part as an object whose `is` names its class."""
    return [_encoded(plan) for plan in plans]


def from_json(stored: Any) -> tuple[TablePlan, ...]:
    """The plans that `to_json` wrote."""
    try:
        plans = tuple(_decoded(each) for each in stored) if isinstance(stored, list) else (None,)
    except (KeyError, TypeError, InputError):
        plans = (None,)
    if not all(isinstance(plan, TablePlan) for plan in plans):
        raise InputError(
            "The plan of tables in the label cannot be read: it is damaged, or another version of crowdlog wrote it."
        )
    return plans


def _encoded(value: Any) -> Any:
    if not dataclasses.is_dataclass(value):
        return value
    fields = {field.name: _encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return {"is": type(value).__name__, **fields}


def _decoded(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    kind = _PARTS[value["is"]]
    fields = {name: _decoded(part) for name, part in value.items() if name != "is"}
    if not all(_fits(part, _hints(kind)[name]) for name, part in fields.items()):
        raise TypeError(f"a part of {kind.__name__} is of another kind")
    return kind(**fields)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: Any, hint: Any) -> bool:
    """Is the value what the field says? Whoever reads a plan relies on it."""
    if get_origin(hint) is UnionType:
        return any(_fits(value, part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is Selection:
        return isinstance(value, _METHODS)
    if hint in (int, float):
        return type(value) in (int, hint) and math.isfinite(value)
    return isinstance(value, hint)
