"""Whether a mechanism promises the ε and δ that its parameters ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms.parameters import RoleName, roles, with_role
from crowdlog.plan.agreement import Contradiction

if TYPE_CHECKING:
    from crowdlog.release.promise import Promise

Method = TypeVar("Method", bound=Callable[..., "Promise"])
EXTREME = 6  # powers of ten
EXTREME_EPSILON = 500.0  # e^ε is near the end of what a float holds
_ROLES: tuple[tuple[str, RoleName], ...] = (("ε", "epsilon"), ("δ", "delta"))


def dearer_than_asked(mechanism: Any, promise: Promise) -> Iterator[Contradiction]:
    """Each of ε and δ that is above the parameter of its role; none where nothing is promised."""
    guarantee = promise.guarantee
    for symbol, role in _ROLES if guarantee.protects else ():
        promised = getattr(guarantee, role)
        for name, asked in with_role(mechanism, role).items():
            if promised > asked:
                sentence = f"The plan costs {symbol} = {promised:.4g}; {name} asks for at most {asked:.4g}."
                yield Contradiction(f"{symbol} asked for", asked, promised, sentence)


def raise_if_extreme(mechanism: Any) -> None:
    """InputError for the parameter farthest from 1, if one is so far that noise or thresholds made of it are
    beyond all numbers: then a promise that cannot be computed is no fault of ours.
    """
    numbers = {name: getattr(mechanism, name) for name in roles(mechanism)}
    sizes = {
        name: abs(math.log10(value))
        for name, value in numbers.items()
        if type(value) in (int, float) and value > 0
    }
    sizes |= {name: math.inf for name, ε in with_role(mechanism, "epsilon").items() if ε > EXTREME_EPSILON}
    name = max(sizes, key=sizes.__getitem__, default="")
    if name and sizes[name] > EXTREME:
        raise InputError(
            f"The '{name}' parameter of {type(mechanism).__name__} is too extreme to compute a promise with, "
            f"together with the others. Choose one nearer to 1. Got {numbers[name]!r}."
        )


def as_asked(method: Method) -> Method:
    """The method of a mechanism that makes a promise, which now refuses one that is dearer than asked for."""

    @wraps(method)
    def checked(self: Any, *values: Any, **named: Any) -> Promise:
        try:
            promise = method(self, *values, **named)
        except (ArithmeticError, ValueError):  # too large, divided by zero, or the logarithm of zero
            raise_if_extreme(self)
            raise
        for found in dearer_than_asked(self, promise):
            raise PrivacyRefusal(
                f"The promise of {type(self).__name__} is not what it asks for. {found.sentence}"
            )
        return promise

    return checked  # type: ignore[return-value]  # it has the same signature
