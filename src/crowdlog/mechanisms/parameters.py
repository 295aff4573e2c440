"""Parameters as data: range, unit, default and help of each, from which validation, command line, documents
and forms are made.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

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
        parts = [
            ("of at least", self.least),
            ("above", self.above),
            ("of at most", self.most),
            ("below", self.below),
        ]
        return " and ".join(f"{word} {value:g}" for word, value in parts if value is not None)

    def holds(self, value: float) -> bool:
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )


RoleName = Literal[
    "epsilon",
    "delta",
    "bound",
    "items",
    "threshold",
    "anonymity",
    "weight",
    "share",
    "people",
    "pool",
    "results",
    "topics",
    "representation",
    "free",
    "look",
    "fixed",
]


@dataclass(frozen=True)
class Role:
    """What a parameter means to those who try a mechanism at other parameters than an owner would: audits,
    attacks, forms.

    epsilon, delta: the promise asked for · bound: how much of one person counts; `small` and `moderate` are
    the largest values at which a few thousand samples, or a replay, are affordable · items: among how many
    keys one person divides her weight · threshold: a bar that the owner may raise; left out, it is the lowest
    · anonymity: how many must have, or share, what is shown of a promise of k-anonymity · weight: a step's
    part of the privacy, `pays` says of which; share: the part of choosing, the rest counts · people: a public
    bound on the number of people · pool, results, topics: a public file · representation: how queries are
    written · free: it changes what is useful, not what is private; audits set it to `small` · look: whether a
    private look at the whole log decides something; audits take each decision of `small` in turn, since many
    of their people are in one log · fixed: it stays as it is.
    """

    name: RoleName
    small: Any = None
    moderate: Any = None
    pays: str = ""


FIXED = Role("fixed")
EPSILON, DELTA, PEOPLE, REPRESENTATION = (
    Role("epsilon"),
    Role("delta"),
    Role("people"),
    Role("representation"),
)
ITEMS, THRESHOLD, ANONYMITY = Role("items"), Role("threshold"), Role("anonymity")
SHARE, POOL, RESULTS, TOPICS = Role("share"), Role("pool"), Role("results"), Role("topics")
BOUND = Role("bound", small=2, moderate=20)


def weight(pays: str) -> Role:
    """The part of this step: "keys", "counts", or the name of a table with all its steps."""
    return Role("weight", pays=pays)


def free(small: Any) -> Role:
    """Any value is equally private; audits use this one."""
    return Role("free", small=small)


def look(decisions: tuple[str, ...]) -> Role:
    """A value that is not among these looks at the log to decide for one of them."""
    return Role("look", small=decisions)


def parameter(
    help: str,  # noqa: A002 - it is the help text
    *,
    default: Any = dataclasses.MISSING,
    unit: str = "",
    role: Role = FIXED,
    **limits: Any,
) -> Any:
    """A dataclass field of a mechanism. `limits`: least, above, most, below, choices.

    A default of None means the value may be left out.
    """
    return dataclasses.field(
        default=default, metadata={"help": help, "unit": unit, "role": role, "range": Range(**limits)}
    )


def roles(mechanism: Any) -> dict[str, Role]:
    """The role of each parameter."""
    return {field.name: field.metadata["role"] for field in dataclasses.fields(mechanism)}


def with_role(mechanism: Any, *names: RoleName) -> dict[str, Any]:
    """The parameters of these roles that are set, with their values."""
    found = {name: getattr(mechanism, name) for name, role in roles(mechanism).items() if role.name in names}
    return {name: value for name, value in found.items() if value is not None}


def spelled(field: dataclasses.Field[Any]) -> str:
    """The type of a parameter as text, whether or not its module keeps annotations as texts."""
    return field.type if isinstance(field.type, str) else getattr(field.type, "__name__", str(field.type))


LARGEST = 1 << 62  # above every number: counts and noise are whole numbers of 64 bits
_KINDS = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "True or False"}


def check(mechanism: Any) -> None:
    """Raise InputError for the first parameter that is of the wrong kind or outside its range."""
    for field in dataclasses.fields(mechanism):
        kind, optional = spelled(field).removesuffix(" | None"), spelled(field).endswith(" | None")
        value, limits = getattr(mechanism, field.name), field.metadata["range"]
        if optional and value is None:
            continue
        if kind == "float" and type(value) is int:
            value = float(max(-LARGEST, min(value, LARGEST)))
            # so that epsilon=1 and epsilon=1.0 are the same mechanism
            object.__setattr__(mechanism, field.name, value)
        fits = type(value).__name__ == kind and (not limits.choices or value in limits.choices)
        if fits and kind in ("int", "float"):
            fits = abs(value) < LARGEST and limits.holds(value)
        if not fits:
            wanted = " ".join(
                word for word in (_KINDS[kind] if not limits.choices else "", str(limits)) if word
            )
            if type(value) in (int, float) and value >= LARGEST:
                wanted += f"{' and' if str(limits) else ''} below {LARGEST:.1e}"
            raise InputError(
                f"The '{field.name}' parameter of {type(mechanism).__name__} must be {wanted}. Got {value!r}."
            )
