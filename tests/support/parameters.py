"""Mechanisms of the table at many parameters, drawn by the ranges and roles that their parameters declare."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import strategies as st

from crowdlog.mechanisms import parse
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import Range, Role, spelled

# Where a range is open, what audits and owners use.
_BY_ROLE = {"epsilon": (0.02, 12.0), "delta": (1e-12, 0.05), "weight": (0.1, 5.0), "people": (500, 10**6)}
_WHOLE, _REAL = (1, 60), (0.1, 5.0)


def mechanisms(spelling: str) -> st.SearchStrategy[Mechanism]:
    """This mechanism with any of its numbers, words and switches changed; its files stay."""
    like = parse(spelling)
    drawn = {
        field.name: values
        for field in dataclasses.fields(like)  # type: ignore[arg-type]
        if (values := _values(field, getattr(like, field.name))) is not None
    }
    return st.fixed_dictionaries({}, optional=drawn).map(
        lambda changed: dataclasses.replace(like, **changed)  # type: ignore[type-var]
    )


def _values(field: Any, now: Any) -> st.SearchStrategy[Any] | None:
    limits: Range = field.metadata["range"]
    role: Role = field.metadata["role"]
    kind = spelled(field).removesuffix(" | None")
    if limits.choices:
        return st.sampled_from(limits.choices)
    if kind == "bool":
        return st.booleans()
    if kind not in ("int", "float") or role.name == "threshold":
        return None
    low, high = _BY_ROLE.get(role.name, _WHOLE if kind == "int" else _REAL)
    low = max(low, *(at for at in (limits.least, limits.above) if at is not None), low)
    high = min(high, *(at for at in (limits.most, limits.below) if at is not None), high)
    if kind == "int":
        return st.integers(int(low), int(high))
    between = st.floats(low, high, exclude_min=limits.above == low, exclude_max=limits.below == high)
    return st.just(0.0) | between if limits.least == 0 else between  # 0 often leaves a table out
