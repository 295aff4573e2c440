"""Parameters as data: range, unit, default and help of each, from which validation, command line, documents and forms are made."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from crowdlog.errors import InputError


@dataclass(frozen=True)
class Range:
    """The allowed values: at least / above, at most / below, or one of some words."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.choices:
            return "one of " + ", ".join(repr(choice) for choice in self.choices)
        parts = [("of at least", self.least), ("above", self.above), ("of at most", self.most), ("below", self.below)]
        return " and ".join(f"{word} {value:g}" for word, value in parts if value is not None)

    def holds(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )


def parameter(help: str, *, default: Any = dataclasses.MISSING, unit: str = "", **limits: Any) -> Any:  # noqa: A002 - it is the help text
    """A dataclass field of a mechanism. `limits`: least, above, most, below, choices. A default of None means the value may be left out."""
    return dataclasses.field(default=default, metadata={"help": help, "unit": unit, "range": Range(**limits)})


_KINDS = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}


def check(mechanism: Any) -> None:
    """Raise InputError for the first parameter that is of the wrong kind or outside its range."""
    for field in dataclasses.fields(mechanism):
        kind, optional = field.type.removesuffix(" | None"), field.type.endswith(" | None")
        value, limits = getattr(mechanism, field.name), field.metadata["range"]
        if optional and value is None:
            continue
        if kind == "float" and type(value) is int:
            value = float(value)
            object.__setattr__(mechanism, field.name, value)  # so that epsilon=1 and epsilon=1.0 are the same mechanism
        fits = type(value).__name__ == kind and (not limits.choices or value in limits.choices)
        if fits and kind in ("int", "float"):
            fits = math.isfinite(value) and limits.holds(value)
        if not fits:
            wanted = " ".join(word for word in (_KINDS[kind] if not limits.choices else "", str(limits)) if word)
            raise InputError(f"The '{field.name}' parameter of {type(mechanism).__name__} must be {wanted}. Got {value!r}.")
