"""Plans as JSON and back: a label carries the plan of its tables, so that whoever reads a release knows how
it was made.
"""

from __future__ import annotations

import builtins
import dataclasses
import math
import types
import typing
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.errors import InputError
from crowdlog.plan import bounds, candidates, selections
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.own_size import OwnSizes

Record = TypeVar("Record")
_PARTS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        TablePlan,
        Artifact,
        Sequences,
        Breakdown,
        DiscreteLaplace,
        RoundedGaussian,
        RowNoise,
        OwnSizes,
        bounds.FirstOccurrences,
        bounds.RandomOccurrences,
        bounds.FirstKeys,
        bounds.RandomKeys,
        bounds.SquaredBudget,
        bounds.ScaledLength,
        bounds.SessionCut,
        bounds.Unbounded,
        bounds.DividedPerson,
        candidates.OfTheLog,
        candidates.Pool,
        candidates.OfShown,
        candidates.PublicResults,
        candidates.Favours,
        candidates.NamedBy,
        candidates.PublicValues,
        selections.NoisyThreshold,
        selections.WeightedRounds,
        selections.GradedRounds,
        selections.KeySelection,
        selections.AtLeast,
        selections.SampledThreshold,
    )
}
# Ways of selecting keys, and the modules of privacy.selection that hold them: loaded when a plan names them.
_METHODS = {
    "AdaptiveGaussian": "adaptive_gaussian",
    "DPSIPS": "dp_sips",
    "GreedyUpdate": "greedy_update",
    "LaplaceThreshold": "laplace_threshold",
    "MAD2R": "mad2r",
    "PolicyGaussian": "policy_gaussian",
    "Routed": "routed",
    "TruncatedGeometric": "truncated_geometric",
    "WeightedGaussian": "weighted_gaussian",
}


def part_names() -> set[str]:
    """The names of all classes that a plan may be made of."""
    return {*_PARTS, *_METHODS}


def _part(name: str) -> Any:
    if name in _PARTS:
        return _PARTS[name]
    return getattr(import_module(f"crowdlog.privacy.selection.{_METHODS[name]}"), name)


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
            "The plan of tables in the label cannot be read: it is damaged, or another version of crowdlog "
            "wrote it."
        )
    return plans


def _encoded(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if not dataclasses.is_dataclass(value):
        return value
    fields = {field.name: _encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return {"is": type(value).__name__, **fields}


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, Mapping):
        return value
    kind = _part(value["is"])
    return kind(**_checked(kind, {name: _decoded(part) for name, part in value.items() if name != "is"}))


def record(kind: type[Record], fields: Mapping[str, Any]) -> Record:
    """A dataclass of plain fields, which must be of the kinds that it says."""
    try:
        return kind(**_checked(kind, fields))
    except (KeyError, TypeError):
        raise InputError(
            f"a {kind.__name__.lower()} in it is not whole. It was damaged or changed by hand."
        ) from None


def _checked(kind: type, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    if not all(fits(part, _hints(kind)[name]) for name, part in fields.items()):
        raise TypeError(f"a part of {kind.__name__} is of another kind")
    return fields


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def fits(value: Any, hint: Any) -> bool:
    """Is the value what the field says? Whoever reads a plan or a label relies on it."""
    inner = get_args(hint)
    match get_origin(hint):
        case types.UnionType:
            return any(fits(value, part) for part in inner)
        case typing.Literal:
            return value in inner
        case builtins.list:
            return isinstance(value, list) and all(fits(each, inner[0]) for each in value)
        case builtins.tuple:
            return isinstance(value, tuple) and all(fits(each, inner[0]) for each in value)
        case builtins.dict:
            return isinstance(value, dict) and all(fits(each, inner[1]) for each in value.values())
    if hint is Any:
        return True
    if hint is Selection:
        return type(value).__name__ in _METHODS
    if hint in (int, float):
        return type(value) in (int, hint) and _is_finite(value)
    return isinstance(value, hint)


def _is_finite(number: float) -> bool:
    """Whether it is a number that floats can hold, too."""
    try:
        return math.isfinite(number)
    except OverflowError:
        return False
