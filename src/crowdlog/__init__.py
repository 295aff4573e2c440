"""crowdlog publishes what the crowd searched for, never what a person did."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from crowdlog.compiling import forget_older

__version__ = "0.1.0"

forget_older()  # before the first of them is loaded

if TYPE_CHECKING:  # mechanisms stand in their own table and no second one; see __getattr__
    from crowdlog.attacks import attack as attack
    from crowdlog.comparison import compare as compare
    from crowdlog.comparison.comparison import Comparison as Comparison
    from crowdlog.log.importer import import_log as import_log
    from crowdlog.log.store import LogStore as LogStore
    from crowdlog.log.synth import synthesize as synthesize
    from crowdlog.mechanisms import parse as parse
    from crowdlog.release.folder import Release as Release
    from crowdlog.release.promise import Promise as Promise
    from crowdlog.utility.registry import score as score

_PLACES = {
    "attack": "attacks",
    "compare": "comparison",
    "Comparison": "comparison.comparison",
    "import_log": "log.importer",
    "LogStore": "log.store",
    "parse": "mechanisms",
    "score": "utility.registry",
    "synthesize": "log.synth",
    "Promise": "release.promise",
    "Release": "release.folder",
}


def __dir__() -> list[str]:
    """What a notebook completes: the Python interface."""
    mechanisms = importlib.import_module("crowdlog.mechanisms")
    return sorted([*_PLACES, *mechanisms.MECHANISMS, "__version__"])


def __getattr__(name: str) -> Any:
    """Names of the Python interface are loaded when they are used: importing crowdlog alone loads none."""
    if name in _PLACES:
        return getattr(_module(_PLACES[name]), name)
    if name[:1].isupper():
        mechanisms = importlib.import_module("crowdlog.mechanisms")
        if name in mechanisms.MECHANISMS:
            return mechanisms.find(name)
    raise AttributeError(f"module 'crowdlog' has no attribute {name!r}")


def _module(place: str) -> Any:
    """A module of ours; where a package is missing the error says which extra brings it."""
    try:
        return importlib.import_module(f"crowdlog.{place}")
    except ModuleNotFoundError as error:
        from crowdlog.extras import advice

        if found := advice(error.name):
            raise ModuleNotFoundError(found, name=error.name) from None
        raise
