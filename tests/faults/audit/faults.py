"""The seeded faults: name, the broken mechanism with its parameters, and the audit that must raise the alarm."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.noise import DiscreteLaplace
from tests.faults.audit import broken as b

FIELD: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "d": 3}
PARAMETERS: dict[str, dict[str, Any]] = {
    "Korolova": {"epsilon": 2.0, "delta": 1e-6, "d": 2, "d_clicks": 3},
    "Crowd": {"epsilon": 1.0, "delta": 1e-6, "weight_clicks": 0.0, "weight_pairs": 0.0},
}


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    audit: str
    mechanism: Mechanism


def fault(name: str, audit: str, kind: str, parts: Any = None, **more: Any) -> Fault:
    return Fault(name, audit, b.broken(kind, parts, **more)(**PARAMETERS.get(kind, FIELD)))


def counts(name: str, audit: str, change: Any) -> Fault:
    return fault(name, audit, "DPu", b.count_noise(change))


def selects(name: str, audit: str, rule: Any) -> Fault:
    return fault(name, audit, "DPu", b.selection(rule))


def half_delta(promise: Any) -> Any:
    return dataclasses.replace(promise, guarantee=approximate(promise.guarantee.epsilon, promise.guarantee.delta / 2))


def selection_only(promise: Any) -> Any:
    return dataclasses.replace(promise, guarantee=approximate(promise.steps[1].epsilon, promise.guarantee.delta))


def shared_draw(noise: Any) -> Any:
    return np.full_like(noise, noise[0]) if len(noise) else noise


NOISE = [
    counts("half the noise", "noise", lambda n, scale, r: n + b.drawn(n, scale / 2, r)),
    counts("a fifth less noise", "noise", lambda n, scale, r: n + b.drawn(n, 0.8 * scale, r)),
    counts("noise never negative", "noise", lambda n, scale, r: n + np.abs(b.drawn(n, scale, r))),
    counts("negative noise dropped", "noise", lambda n, scale, r: n + np.maximum(b.drawn(n, scale, r), 0)),
    counts("noise in steps of two", "noise", lambda n, scale, r: n + b.drawn(n, scale, r) // 2 * 2),
    counts("counts capped before the noise", "noise", lambda n, scale, r: np.minimum(n, 40) + b.drawn(n, scale, r)),
    counts("no noise on large counts", "noise", lambda n, scale, r: n + np.where(n < 40, b.drawn(n, scale, r), 0)),
    counts("noise cut off at three scales", "noise", lambda n, scale, r: n + np.clip(b.drawn(n, scale, r), -int(3 * scale), int(3 * scale))),
    fault("selection noise published again", "noise", "DPu", b.selection_noise_again()),
    fault("selection noise published again, on impressions", "noise", "DPa", b.selection_noise_again()),
]
INDEPENDENCE = [
    counts("one draw for all keys", "independence", lambda n, scale, r: n + shared_draw(b.drawn(n, scale, r))),
    counts("every draw used twice", "independence", b.used_twice),
    counts("noise kept for the next release", "independence", b.cached()),
    fault("clicks with the noise of queries", "independence", "Korolova", b.noise_of_queries_again()),
]
SOURCE = [
    counts("seed fixed", "source", b.fixed_seed),
    counts("noise from another generator", "source", b.numpy_noise),
    fault("rows in the order of reading", "source", "DPu", after=b.by_text),
]
SELECTION = [
    selects("at the threshold is enough", "selection", lambda n, noise, t: n + noise >= t.K),
    selects("threshold one too high", "selection", lambda n, noise, t: n + noise > t.K + 1),
    selects("selection without noise", "selection", lambda n, noise, t: n > t.K),
    selects("half the selection noise", "selection", lambda n, noise, t: n + noise // 2 > t.K),
    selects("selection noise never negative", "selection", lambda n, noise, t: n + np.abs(noise) > t.K),
    selects("threshold from the data", "selection", lambda n, noise, t: n + noise > np.mean(n)),
    selects("one selection draw for all keys", "selection", lambda n, noise, t: n + shared_draw(noise) > t.K),
    selects("large counts shown without a draw", "selection", lambda n, noise, t: (n + noise > t.K) | (n > t.K + 1)),
]
DELTA = [
    selects("raw filter of five people not paid for", "delta", lambda n, noise, t: (n + noise > t.K - 4) & (n >= 5)),
    selects("threshold two too low", "delta", lambda n, noise, t: n + noise > t.K - 2),
    selects("one person is enough", "delta", lambda n, noise, t: (n + noise > t.K) | (n == 1)),
    fault("every query listed", "delta", "DPu", after=b.with_all_queries),
    fault("raw filter of ZEALOUS not paid for", "delta", "Zealous", b.zealous_threshold(K=lambda K: K - 1)),
    fault("half the δ is promised", "closed form", "DPu", promise=half_delta),
]
EPSILON = [
    fault("counts are not in the promise", "epsilon", "DPa", promise=selection_only),
    fault("noise of ZEALOUS for one key instead of d", "epsilon", "Zealous", b.zealous_threshold(scale=lambda scale: scale / 2)),
    counts("true counts", "epsilon", lambda n, scale, r: n),
    counts("noise for one impression instead of d", "epsilon", lambda n, scale, r: n + DiscreteLaplace(scale / 4).draw(len(n), r)),
    fault("no bound, seen in the counts", "epsilon", "DPa", b.unbounded()),
]
REPLAY = [
    fault("one artifact too many", "replay", "DPa", b.one_more()),
    fault("one artifact too many in ZEALOUS", "replay", "Zealous", b.one_more()),
    fault("no bound", "replay", "DPu", b.unbounded()),
    fault("no bound in ZEALOUS", "replay", "Zealous", b.unbounded()),
    fault("bounded key by key", "replay", "DPa", {"bound": b.Bounds(first=b.per_key)}),
    fault("bounded by popularity", "replay", "DPu", {"bound": b.Bounds(first=b.most_popular)}),
    fault("robots get more", "replay", "DPu", {"bound": b.Bounds(first=b.robots_get_more)}),
    fault("bounded before spellings are merged", "replay", "Zealous", {"bound": b.Bounds(first_distinct=b.repeats_kept)}),
    fault("clicks are not bounded", "replay", "Korolova", b.clicks_unbounded()),
    fault("every clicked page shown", "replay", "Korolova", {"select": b.every_page_shown}),
    fault("number of users in the notes", "replay", "DPu", after=b.noted_users),
    fault("share of the true total", "replay", "Zealous", after=b.with_share),
]
CROWD = [
    fault("Crowd with half the count noise", "noise", "Crowd", b.crowd_counts(noise_share=0.5)),
    fault("Crowd with counts bounded too late", "replay", "Crowd", b.crowd_counts(bound_share=4)),
    fault("Crowd with a low threshold", "delta", "Crowd", {"AdaptiveGaussian": b.LowThreshold}),
]
FAULTS = [*NOISE, *INDEPENDENCE, *SOURCE, *SELECTION, *DELTA, *EPSILON, *REPLAY, *CROWD]
