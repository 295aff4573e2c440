"""The same mechanism with parameters at which its promise can be seen to break in a few thousand samples."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

EPSILON = 2.0  # at which the statistical audits run: small thresholds, and e^ε is still seen in some thousand samples
SMALL_DELTA, LARGE_DELTA = 1e-3, 0.05  # for the ε audit, for the δ audit (a δ of 1e-6 would need 10^8 samples)
KEYS = 2  # of one person that count
PEOPLE = 256  # of one world: the public bound on users, where a mechanism needs one
SPREAD = 4  # keys that a person may spread her weight over in the ε audit: without a bound on its length she would have twice as much
MOST = {"d": KEYS, "d_clicks": KEYS, "q_f": KEYS, "c_f": KEYS, "l": KEYS, "l_s": KEYS, "l_q": 2, "items": SPREAD, "budget": 16}
POOL_SCALES = 3  # a pool's threshold in scales of its noise: any is equally private, a low one needs small crowds
FOCUS, GAUSSIAN_FOCUS = 4, 12  # how much more than all others together the step in focus gets; Gaussian noise adds in squares, so more is left
OPTIONAL = ("weight_clicks", "weight_pairs", "weight_suggestions")  # steps that a mechanism can leave out

Focus = Literal["all", "keys", "counts", "edges"]


def small(mechanism: Mechanism, delta: float) -> Mechanism:
    """ε = 2, this δ, and people who add little."""
    wanted: dict[str, Any] = {name: min(value, most) for name, most in MOST.items() if (value := getattr(mechanism, name, None)) is not None}
    wanted |= {"epsilon": EPSILON, "delta": delta, "K": None, "invented": 1e9, "least_count": 0}
    if getattr(mechanism, "users", None) is not None:
        wanted["users"] = PEOPLE
    if hasattr(mechanism, "items"):
        wanted["items"] = KEYS
    return _low_pool_threshold(replaced(mechanism, wanted))


def for_epsilon(mechanism: Mechanism) -> Mechanism:
    """Small, with the δ at which the ε audit sees most. Laplace noise spends its ε everywhere; Gaussian noise only in the tail that δ pays for."""
    wanted = small(mechanism, LARGE_DELTA if hasattr(mechanism, "budget") else SMALL_DELTA)
    return replaced(wanted, {"items": min(getattr(mechanism, "items", None) or SPREAD, SPREAD)})


def _low_pool_threshold(mechanism: Any) -> Mechanism:
    closed = getattr(mechanism, "mode", "") == "closed"
    return replaced(mechanism, {"K": round(POOL_SCALES * mechanism.selection(1).scale)}) if closed else mechanism


def replaced(mechanism: Any, wanted: dict[str, Any]) -> Mechanism:
    """With these parameters, of those it has."""
    known = {field.name for field in dataclasses.fields(mechanism)}
    changed: Mechanism = dataclasses.replace(mechanism, **{name: value for name, value in wanted.items() if name in known})
    return changed


@dataclass(frozen=True)
class Variant:
    """A mechanism that spends most of its privacy on one step, so that a fault of this step breaks the whole promise."""

    mechanism: Mechanism
    focus: Focus


def variants(mechanism: Mechanism) -> list[Variant]:
    """One for each step that has a weight; the mechanism itself if there is nothing to choose."""
    shares = {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism) if field.name.startswith("weight_")}  # type: ignore[arg-type]
    if hasattr(mechanism, "select_share"):
        most = FOCUS / (FOCUS + 1)
        return [Variant(replaced(mechanism, {"select_share": most}), "keys"), Variant(replaced(mechanism, {"select_share": 1 - most}), "counts")]
    found, focused = [], GAUSSIAN_FOCUS if hasattr(mechanism, "budget") else FOCUS
    for name in (name for name, weight in shares.items() if weight > 0):
        others = {other: float(other not in OPTIONAL) for other in shares if other != name}
        focus: Focus = "edges" if name in OPTIONAL else "counts" if name == "weight_counts" else "all" if "weight_sessions" in shares else "keys"
        found.append(Variant(_low_pool_threshold(replaced(mechanism, {**others, name: focused * max(1.0, sum(others.values()))})), focus))
    return found or [Variant(mechanism, "all")]


def kept_keys(mechanism: Mechanism) -> int:
    """How many keys of one person count."""
    found = ((name, getattr(mechanism, name, None)) for name in ("l_s", "q_f", "d", "items"))
    return next((min(int(value), MOST[name]) for name, value in found if value is not None), KEYS)


def kept_edges(mechanism: Mechanism) -> int:
    """How many clicks or pairs of one person count."""
    found = ((name, getattr(mechanism, name, None)) for name in ("d_clicks", "c_f", "l"))
    return next((min(int(value), MOST[name]) for name, value in found if value is not None), kept_keys(mechanism))
