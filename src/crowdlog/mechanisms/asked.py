"""Whether a mechanism promises the ε and δ that its parameters ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from crowdlog.errors import PrivacyRefusal
from crowdlog.mechanisms.parameters import RoleName, with_role
from crowdlog.plan.agreement import Contradiction

if TYPE_CHECKING:
    from crowdlog.release.promise import Promise

Method = TypeVar("Method", bound=Callable[..., "Promise"])
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


def as_asked(method: Method) -> Method:
    """The method of a mechanism that makes a promise, which now refuses one that is dearer than asked for."""

    @wraps(method)
    def checked(self: Any, *values: Any, **named: Any) -> Promise:
        promise = method(self, *values, **named)
        for found in dearer_than_asked(self, promise):
            raise PrivacyRefusal(
                f"The promise of {type(self).__name__} is not what it asks for. {found.sentence}"
            )
        return promise

    return checked  # type: ignore[return-value]  # it has the same signature
