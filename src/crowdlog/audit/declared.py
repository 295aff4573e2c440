"""What a mechanism says about itself: noise of each table's counts, thresholds, and how far one person moves a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from crowdlog.artifacts.kinds import Artifact
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

EDGES = {"clicks": "clicks", "pairs": "suggestions"}  # tables of what belongs to shown queries, and how settings call them


class Noise(Protocol):
    def tail(self, t: int) -> float: ...


@dataclass(frozen=True)
class Bar:
    """A key is shown when its count plus discrete Laplace noise is above K, and where a raw filter drops fewer than `at_least`.

    One person adds at most d units, to one key all (`heavy`) or one. `public`: keys come from a pool, so that a key of hers alone costs nothing.
    """

    K: int
    scale: float
    d: int
    at_least: int = 1
    heavy: bool = True
    public: bool = False

    def shown(self, count: int) -> float:
        return DiscreteLaplace(self.scale).tail(self.K - count) if count >= self.at_least else 0.0


@dataclass(frozen=True)
class Crossing:
    """About which crowd is shown half of the time, and how far from it noise reaches."""

    centre: float
    sd: float
    gaussian: bool

    def crowds(self, units: int) -> tuple[int, ...]:
        """Crowds at which one person changes the odds most: Gaussian noise does so in its tails, Laplace noise from just below the threshold on."""
        places = (-2 * self.sd, -1.25 * self.sd, -0.75 * self.sd, self.sd) if self.gaussian else (-units, 0)
        return tuple(sorted({max(1, round(self.centre + place)) for place in places}))


@dataclass(frozen=True)
class Declared:
    """By table. `published_noise`: the noise that selects is the noise that is published. `least`: smaller published counts are left out."""

    noise: dict[str, Noise]
    bars: dict[str, Bar]
    crossings: dict[str, Crossing]
    published_noise: bool
    least: int | None

    def shown(self, table: str, count: int, *, pooled: bool) -> float:
        """The chance that a key of this count is shown. Clicks and pairs are candidates only where their queries are shown."""
        own = 0.0 if self.bars[table].public and not pooled else self.bars[table].shown(count)
        if table == "queries" and self.least is not None:
            own *= self.noise[table].tail(self.least - count - 1)
        if table in EDGES and "queries" in self.bars:
            own *= self.shown("queries", count, pooled=pooled) ** (2 if table == "pairs" else 1)
        return own


def declared(mechanism: Mechanism) -> Declared:
    """Read the settings of the promise."""
    settings: dict[str, Any] = dict(mechanism.promise().settings)
    table, published = main_table(mechanism), "k'" in settings
    noise: dict[str, Noise] = {}
    bars: dict[str, Bar] = {}
    heavy = not (mechanism.promise().counts == "users" or getattr(mechanism, "distinct", False))
    closed = getattr(mechanism, "mode", "") == "closed"
    if {"K", "b"} <= settings.keys():
        bars[table] = Bar(settings["K"], settings["b"], units(mechanism, table), settings.get("k'", 0) + 1, heavy, closed)
    if published:
        noise[table] = DiscreteLaplace(settings["b"])
    for name, key in ((table, "count"), *EDGES.items()):
        if f"{key} noise scale" in settings:
            noise[name] = DiscreteLaplace(settings[f"{key} noise scale"])
        if f"{key} K" in settings:  # its selection noise has the scale of its count noise
            bars[name] = Bar(settings[f"{key} K"], settings[f"{key} noise scale"], units(mechanism, name))
    crossings = {name: Crossing(bar.K, bar.scale, gaussian=False) for name, bar in bars.items()}
    for name in ("queries", *EDGES):
        if f"{name} count noise sd" in settings:
            noise[name] = RoundedGaussian(settings[f"{name} count noise sd"])
        if f"{name} threshold" in settings:
            crossings[name] = Crossing(settings[f"{name} threshold"], settings[f"{name} selection noise sd"], gaussian=True)
    return Declared(noise, bars, crossings, published, getattr(mechanism, "least_count", None))


def main_table(mechanism: Mechanism) -> str:
    """The table whose keys are chosen first."""
    return "sessions" if hasattr(mechanism, "l_s") else Artifact(getattr(mechanism, "artifact", "query")).table


def units(mechanism: Any, table: str) -> int:
    """How many counts of this table one person adds at most; 0 where the mechanism bounds her in another way."""
    names = {"sessions": ["sensitivity"], "clicks": ["d_clicks", "c_f", "l", "d", "q_f"]}.get(table, ["q_f", "d"])
    return next((int(value) for value in (getattr(mechanism, name, None) for name in names) if value is not None), 0)


def chooses_at_random(mechanism: Any) -> bool:
    """Whether what counts of a person is drawn by lot. The outcome then follows her number in the log, its distribution does not."""
    return hasattr(mechanism, "budget") or getattr(mechanism, "keep", "first") == "random"


@dataclass(frozen=True)
class Reach:
    """How far one person may move the counts of one table: the sum of changes, the sum of their squares, and each."""

    total: float = float("inf")
    squares: float = float("inf")
    each: float = float("inf")


def reach(mechanism: Mechanism, table: str) -> Reach:
    """The bound that the noise was made for."""
    budget, d = getattr(mechanism, "budget", None), units(mechanism, table)
    if not d:
        return Reach(squares=budget) if budget is not None else Reach()
    return Reach(total=d, each=1) if mechanism.promise().counts == "users" else Reach(total=d)
