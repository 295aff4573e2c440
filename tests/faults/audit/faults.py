"""The seeded faults: name, the broken mechanism with its parameters,
and the audit that must raise the alarm.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from crowdlog.artifacts.kinds import ARTIFACTS
from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.noise import DiscreteLaplace
from tests.faults.audit import broken as b
from tests.support.unchecked import unchecked

FIELD: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "d": 3}
PARAMETERS: dict[str, dict[str, Any]] = {
    "Korolova": {"epsilon": 2.0, "delta": 1e-6, "d": 2, "d_clicks": 3},
    "AClick": {"epsilon": 2.0, "q_f": 2, "c_f": 3, "delta": 1e-6},
    "AClick, open": {"epsilon": 2.0, "q_f": 2, "c_f": 3, "delta": 1e-6, "mode": "open"},
    "ASession": {"epsilon": 2.0, "delta": 1e-6, "l_s": 2, "l_q": 3, "l": 3},
    "Keys": {"epsilon": 1.0, "delta": 1e-6},
    "Ladder": {"epsilon": 1.0, "delta": 1e-6, "people": 1000},
    "Keys, short": {"epsilon": 1.0, "delta": 1e-6, "selection": "routed", "route": "short"},
    "Keys, names": {"epsilon": 1.0, "delta": 1e-6, "selection": "routed", "weight_counts": 0.0},
    "Keys, greedy": {"epsilon": 1.0, "delta": 1e-6, "selection": "greedy"},
    "Keys, mad2r": {"epsilon": 1.0, "delta": 1e-6, "selection": "mad2r"},
    "Crowd": {"epsilon": 1.0, "delta": 1e-6, "weight_clicks": 0.0, "weight_pairs": 0.0},
}


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    audit: str
    mechanism: Mechanism


def fault(name: str, audit: str, kind: str, parts: Any = None, **more: Any) -> Fault:
    return Fault(name, audit, b.broken(kind.partition(",")[0], parts, **more)(**PARAMETERS.get(kind, FIELD)))


def counts(name: str, audit: str, change: Any) -> Fault:
    return fault(name, audit, "DPu", b.count_noise(change))


def selects(name: str, audit: str, rule: Any) -> Fault:
    return fault(name, audit, "DPu", b.selection(rule))


def half_delta(promise: Any) -> Any:
    return unchecked(promise, guarantee=approximate(promise.guarantee.epsilon, promise.guarantee.delta / 2))


def selection_only(promise: Any) -> Any:
    return unchecked(promise, guarantee=approximate(promise.steps[1].epsilon, promise.guarantee.delta))


def shared_draw(noise: Any) -> Any:
    return np.full_like(noise, noise[0]) if len(noise) else noise


NOISE = [
    counts("half the noise", "noise", lambda n, scale, r: n + b.drawn(n, scale / 2, r)),
    counts("a fifth less noise", "noise", lambda n, scale, r: n + b.drawn(n, 0.8 * scale, r)),
    counts("noise never negative", "noise", lambda n, scale, r: n + np.abs(b.drawn(n, scale, r))),
    counts("negative noise dropped", "noise", lambda n, scale, r: n + np.maximum(b.drawn(n, scale, r), 0)),
    counts("noise in steps of two", "noise", lambda n, scale, r: n + b.drawn(n, scale, r) // 2 * 2),
    counts(
        "counts capped before the noise",
        "noise",
        lambda n, scale, r: np.minimum(n, 40) + b.drawn(n, scale, r),
    ),
    counts(
        "no noise on large counts", "noise", lambda n, scale, r: n + np.where(n < 40, b.drawn(n, scale, r), 0)
    ),
    counts(
        "noise cut off at three scales",
        "noise",
        lambda n, scale, r: n + np.clip(b.drawn(n, scale, r), -int(3 * scale), int(3 * scale)),
    ),
    fault("selection noise published again", "noise", "DPu", b.selection_noise_again()),
    fault("selection noise published again, on impressions", "noise", "DPa", b.selection_noise_again()),
]
INDEPENDENCE = [
    counts(
        "one draw for all keys", "independence", lambda n, scale, r: n + shared_draw(b.drawn(n, scale, r))
    ),
    counts("every draw used twice", "independence", b.used_twice),
    counts("every draw used twice, for keys far apart", "independence", b.halves_alike),
    fault("all draws doubled up", "independence", "DPu", b.doubled_up()),
    fault("all draws doubled up in ZEALOUS", "independence", "Zealous", b.doubled_up()),
    fault("all draws doubled up in Korolova", "independence", "Korolova", b.doubled_up()),
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
    selects(
        "large counts shown without a draw",
        "selection",
        lambda n, noise, t: (n + noise > t.K) | (n > t.K + 1),
    ),
]
DELTA = [
    selects(
        "raw filter of five people not paid for",
        "delta",
        lambda n, noise, t: (n + noise > t.K - 4) & (n >= 5),
    ),
    selects("threshold two too low", "delta", lambda n, noise, t: n + noise > t.K - 2),
    selects("one person is enough", "delta", lambda n, noise, t: (n + noise > t.K) | (n == 1)),
    fault("every query listed", "delta", "DPu", after=b.with_all_queries),
    fault("raw filter of ZEALOUS not paid for", "delta", "Zealous", b.threshold(K=lambda K: K - 1)),
    fault("half the δ is promised", "closed form", "DPu", promise=half_delta),
]
EPSILON = [
    fault("counts are not in the promise", "epsilon", "DPa", promise=selection_only),
    fault(
        "noise of ZEALOUS for one key instead of d",
        "epsilon",
        "Zealous",
        b.threshold(scale=lambda scale: scale / 2),
    ),
    counts("true counts", "epsilon", lambda n, scale, r: n),
    counts(
        "noise for one impression instead of d",
        "epsilon",
        lambda n, scale, r: n + DiscreteLaplace(scale / 4).draw(len(n), r),
    ),
    fault("no bound, seen in the counts", "epsilon", "DPa", b.unbounded()),
]
REPLAY = [
    fault("one artifact too many", "replay", "DPa", b.one_more()),
    fault("one artifact too many in ZEALOUS", "replay", "Zealous", b.one_more()),
    fault("no bound", "replay", "DPu", b.unbounded()),
    fault("no bound in ZEALOUS", "replay", "Zealous", b.unbounded()),
    fault("bounded key by key", "replay", "DPa", b.bounds(first=b.per_key)),
    fault("bounded by popularity", "replay", "DPu", b.bounds(first=b.most_popular)),
    fault("robots get more", "replay", "DPu", b.bounds(first=b.robots_get_more)),
    fault(
        "bounded before spellings are merged", "replay", "Zealous", b.bounds(first_distinct=b.repeats_kept)
    ),
    fault("clicks are not bounded", "replay", "Korolova", b.clicks_unbounded()),
    fault("every clicked page shown", "replay", "Korolova", b.selection(b.every_page_shown)),
    fault("number of users in the notes", "replay", "DPu", after=b.noted_users),
    fault("share of the true total", "replay", "Zealous", after=b.with_share),
]
CROWD = [
    fault("Crowd with half the count noise", "noise", "Crowd", b.crowd_counts(noise_share=0.5)),
    fault("Crowd with counts bounded too late", "replay", "Crowd", b.crowd_counts(bound_share=4)),
    fault("Crowd with a low threshold", "delta", "Crowd", b.threshold(threshold=lambda _bar: 1.0)),
    fault("Crowd with half the count noise, seen in ε", "epsilon", "Crowd", b.crowd_counts(noise_share=0.5)),
    fault("Crowd with half the selection noise", "epsilon", "Crowd", b.threshold(mu=lambda mu: 2 * mu)),
    fault(
        "Crowd with whole weights", "epsilon", "Crowd", {"privacy.selection.kernels.weigh": b.whole_weights}
    ),
]
KEYS = [
    fault("Keys with half the count noise", "noise", "Keys", b.crowd_counts(noise_share=0.5)),
    fault("Keys with half the count noise, seen in ε", "epsilon", "Keys", b.crowd_counts(noise_share=0.5)),
    fault("Keys with counts bounded too late", "replay", "Keys", b.crowd_counts(bound_share=4)),
    fault(
        "scouted greedy, a unit too many",
        "delta",
        "Keys, short",
        {"privacy.selection.scouted_greedy.passes": b.unit_too_many},
    ),
    fault(
        "scouted greedy, a unit for each item",
        "epsilon",
        "Keys, short",
        {"privacy.selection.kernels.one_unit_each": b.whole_units},
    ),
    fault(
        "names alone, a unit too many",
        "delta",
        "Keys, names",
        {"privacy.selection.scouted_greedy.passes": b.unit_too_many},
    ),
    fault("names alone with the true counts beside them", "noise", "Keys, names", b.told_counts()),
    fault(
        "names alone with the true counts beside them, seen in ε", "epsilon", "Keys, names", b.told_counts()
    ),
    fault("GreedyUpdate with a low threshold", "delta", "Keys, greedy", b.impatient_greedy(lower=1)),
    fault("GreedyUpdate with a third of the noise", "epsilon", "Keys, greedy", b.impatient_greedy(1 / 3)),
    fault("MAD2R with low thresholds", "delta", "Keys, mad2r", b.careless_mad2r(lower=12.0)),
    fault("MAD2R with a third of the noise", "epsilon", "Keys, mad2r", b.careless_mad2r(1 / 3)),
]
A_CLICK = [
    fault(
        "A_Click with noise for asked queries only",
        "delta",
        "AClick",
        b.selection(lambda n, noise, t: (n > 0) & (n + noise > t.K)),
    ),
    fault(
        "A_Click with a raw filter of five",
        "delta",
        "AClick",
        b.selection(lambda n, noise, t: (n >= 5) & (n + noise > t.K)),
    ),
    fault(
        "A_Click, open, with a raw filter of five",
        "delta",
        "AClick, open",
        b.selection(lambda n, noise, t: (n >= 5) & (n + noise > t.K - 4)),
    ),
    fault("A_Click outside its pool", "selection", "AClick", b.outside_the_pool()),
    fault(
        "A_Click with half the selection noise",
        "selection",
        "AClick",
        b.selection(lambda n, noise, t: n + noise // 2 > t.K),
    ),
    fault(
        "A_Click, open, at the threshold is enough",
        "selection",
        "AClick, open",
        b.selection(lambda n, noise, t: n + noise >= t.K),
    ),
    fault(
        "A_Click with half the count noise",
        "noise",
        "AClick",
        b.count_noise(lambda n, scale, r: n + b.drawn(n, scale / 2, r)),
    ),
    fault("A_Click with true counts", "epsilon", "AClick", b.count_noise(lambda n, scale, r: n)),
    fault("A_Click with one artifact too many", "replay", "AClick", b.one_more()),
    fault("A_Click with unbounded clicks", "replay", "AClick", b.clicks_unbounded()),
    fault("A_Click shows every clicked page", "replay", "AClick, open", b.selection(b.every_page_shown)),
    fault("A_Click with all draws doubled up", "independence", "AClick", b.doubled_up()),
]
A_SESSION = [
    fault("A_Session with one session too many", "replay", "ASession", b.sessions_cut(more_sessions=1)),
    fault("A_Session with one query too many", "replay", "ASession", b.sessions_cut(more_queries=1)),
    fault("A_Session with unbounded clicks", "replay", "ASession", b.clicks_unbounded()),
    fault(
        "A_Session that counts twice",
        "replay",
        "ASession",
        {"engine.subsequences.count_subsequences": b.counted_twice},
    ),
    fault("A_Session with noise for one sequence", "noise", "ASession", b.noise_for_one_sequence()),
    fault(
        "A_Session, at the threshold is enough",
        "selection",
        "ASession",
        b.selection(lambda n, noise, t: n + noise >= t.K),
    ),
    fault(
        "A_Session, one person is enough",
        "delta",
        "ASession",
        b.selection(lambda n, noise, t: (n + noise > t.K) | (n == 1)),
    ),
    fault("A_Session with true counts", "epsilon", "ASession", b.count_noise(lambda n, scale, r: n)),
    fault("A_Session with all draws doubled up", "independence", "ASession", b.doubled_up()),
    fault("A_Session with the number of users in the notes", "replay", "ASession", after=b.noted_users),
]
# kinds of which several have one row
SHARING = [kind for kind in ARTIFACTS if "session" in kind or "window" in kind]


def kinds(name: str, kind: str, artifacts: Iterable[str], parts: Any, **more: Any) -> list[Fault]:
    """The fault on each of these kinds of artifact."""
    broken = b.broken(kind, parts)
    return [
        Fault(f"{name}, {artifact}", "replay", broken(**FIELD, artifact=artifact, **more))
        for artifact in artifacts
    ]


EVERY_KIND = [
    *kinds("one artifact too many", "DPa", ARTIFACTS, b.one_more()),
    *kinds("bounded by popularity", "DPu", ARTIFACTS, b.bounds(first=b.most_popular)),
    *kinds("bounded by numbers of keys", "Zealous", ARTIFACTS, b.bounds(first_distinct=b.by_key)),
    *kinds("the engine chooses", "Zealous", SHARING, b.bounds(first_distinct=b.engine_chooses)),
    *kinds(
        "the engine chooses at random",
        "DPa",
        SHARING,
        b.bounds(random=b.engine_chooses_at_random),
        keep="random",
    ),
    *kinds(
        "the engine chooses at random for DP_u",
        "DPu",
        SHARING,
        b.bounds(random=b.engine_chooses_at_random),
        keep="random",
    ),
]
LADDER = [
    fault("Ladder with a low bar for open keys", "delta", "Ladder", b.low_open_bar()),
    fault("Ladder with half the noise of rounds", "epsilon", "Ladder", b.half_round_noise()),
    fault("Ladder with half the noise of people", "noise", "Ladder", b.half_people_noise()),
    fault("Ladder that counts people at twice its μ", "replay", "Ladder", b.twice_the_privacy_of_people()),
    fault("Ladder with half the noise of hours and topics", "noise", "Ladder", b.half_cell_noise()),
    fault("Ladder whose hours count searches", "replay", "Ladder", b.searches_instead_of_people()),
    fault("Ladder that scales nobody", "replay", "Ladder", b.nobody_is_scaled()),
]


FAULTS = [
    *NOISE,
    *INDEPENDENCE,
    *SOURCE,
    *SELECTION,
    *DELTA,
    *EPSILON,
    *REPLAY,
    *CROWD,
    *LADDER,
    *KEYS,
    *A_CLICK,
    *A_SESSION,
    *EVERY_KIND,
]
