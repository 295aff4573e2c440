"""What a mechanism says about itself: noise of each table's counts, thresholds, and how far one person moves a table."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crowdlog.artifacts.kinds import Artifact
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

EPSILON = 2.0  # at which the statistical audits run: small thresholds, and e^ε is still seen in some thousand samples
SMALL_DELTA, LARGE_DELTA = 1e-3, 0.05  # for the ε audit, for the δ audit (a δ of 1e-6 would need 10^8 samples)
KEYS = 2  # of one person that count, in the statistical audits
PEOPLE = 256  # of one world: the public bound on users, where a mechanism needs one


class Noise(Protocol):
    def tail(self, t: int) -> float: ...


@dataclass(frozen=True)
class Bar:
    """A key is shown when its count plus discrete Laplace noise is above K, and where a raw filter drops fewer than `at_least`."""

    K: int
    scale: float
    at_least: int = 1

    def shown(self, count: int) -> float:
        return DiscreteLaplace(self.scale).tail(self.K - count) if count >= self.at_least else 0.0


@dataclass(frozen=True)
class Declared:
    """By table. `published_noise`: the noise that selects is the noise that is published."""

    noise: dict[str, Noise]
    bars: dict[str, Bar]
    published_noise: bool


def declared(mechanism: Mechanism) -> Declared:
    """Read the settings of the promise."""
    settings: dict[str, Any] = dict(mechanism.promise().settings)
    table = Artifact(getattr(mechanism, "artifact", "query")).table
    published = "k'" in settings
    noise: dict[str, Noise] = {}
    bars: dict[str, Bar] = {}
    if {"K", "b"} <= settings.keys():
        bars[table] = Bar(settings["K"], settings["b"], settings.get("k'", 0) + 1)
    if published:
        noise[table] = DiscreteLaplace(settings["b"])
    for name, key in ((table, "count"), ("clicks", "clicks"), ("pairs", "suggestions")):
        if f"{key} noise scale" in settings:
            noise[name] = DiscreteLaplace(settings[f"{key} noise scale"])
    if "clicks K" in settings:  # its selection noise has the scale of its count noise
        bars["clicks"] = Bar(settings["clicks K"], settings["clicks noise scale"])
    for name in ("queries", "clicks", "pairs"):
        if f"{name} count noise sd" in settings:
            noise[name] = RoundedGaussian(settings[f"{name} count noise sd"])
    return Declared(noise, bars, published)


def small(mechanism: Mechanism, delta: float) -> Mechanism:
    """The same mechanism with parameters at which its promise can be seen to break in a few thousand samples."""
    wanted: dict[str, Any] = {"epsilon": EPSILON, "delta": delta}
    wanted |= {name: min(getattr(mechanism, name), KEYS) for name in ("d", "d_clicks") if getattr(mechanism, name, None) is not None}
    if getattr(mechanism, "users", None) is not None:
        wanted["users"] = PEOPLE
    return _replace(mechanism, wanted)


def _replace(mechanism: Any, wanted: dict[str, Any]) -> Mechanism:
    known = {field.name for field in dataclasses.fields(mechanism)}
    replaced: Mechanism = dataclasses.replace(mechanism, **{name: value for name, value in wanted.items() if name in known})
    return replaced


def kept_keys(mechanism: Mechanism) -> int:
    """How many keys of one person count; KEYS where the mechanism bounds her in another way."""
    return min(int(getattr(mechanism, "d", KEYS)), KEYS)


@dataclass(frozen=True)
class Reach:
    """How far one person may move the counts of one table: the sum of changes, the sum of their squares, and each."""

    total: float = float("inf")
    squares: float = float("inf")
    each: float = float("inf")


def reach(mechanism: Mechanism, table: str) -> Reach:
    """The bound that the noise was made for."""
    d, budget = getattr(mechanism, "d", None), getattr(mechanism, "budget", None)
    if d is None:
        return Reach(squares=budget) if budget is not None else Reach()
    if table == "clicks":
        d = getattr(mechanism, "d_clicks", None) or d
    return Reach(total=d, each=1) if mechanism.promise().counts == "users" else Reach(total=d)
