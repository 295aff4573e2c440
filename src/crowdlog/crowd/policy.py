"""Which opened artifacts are published, with which counts: the mechanism that the collection named when it was created decides.

FTu publishes every opened artifact that enough people sent, with exact counts. Zealous publishes noisy numbers of people; the collection's k is
its raw filter, so what the filter costs is part of its δ (proofs/threshold.md), and the members keep its bound d themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crowdlog.crowd.artifact import impressions_of
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.mechanisms.frequency import FTu
    from crowdlog.mechanisms.zealous import Zealous
    from crowdlog.privacy.thresholds import Threshold

_COLLUSION = "The randomness server and the aggregation server together can test guesses of artifacts below the threshold (docs/threat-model.md)."
_SYBILS = "Whoever holds k − 1 invitations can find out whether one more person has an artifact that he guessed."
_SIZES = "The aggregation server sees how many people share each artifact, also of those it cannot read."
_OWN_BOUND = "Every member keeps the bound d on her own artifacts: nobody can check it, because nothing links two reports of one person."
_SETTING = "indistinguishability"  # the kind of promise whose proof covers the raw filter


@dataclass(frozen=True)
class Decision:
    """What will be published: each group with its numbers by column, `count` first."""

    promise: Promise
    kept: list[tuple[Opened, dict[str, int]]] = field(repr=False)


def policy_of(manifest: Manifest) -> FTu | Zealous:
    """Return the mechanism a collection is published with; it must fit what the collection can open."""
    # The mechanisms bring the counting engine, which a server needs only when it creates or publishes.
    from crowdlog.mechanisms import parse
    from crowdlog.mechanisms.frequency import FTu
    from crowdlog.mechanisms.zealous import Zealous

    policy, k = parse(manifest.policy), manifest.collection.k
    if not isinstance(policy, FTu | Zealous):
        raise InputError(f"A collection is published with FTu or Zealous; got {type(policy).__name__}.")
    if (policy.artifact, policy.representation) != (manifest.artifact, manifest.representation):
        raise InputError(f"The policy must have artifact={manifest.artifact!r} and representation={manifest.representation!r}, as the collection.")
    if isinstance(policy, FTu) and policy.k < k:
        raise InputError(f"The collection opens what {k} people share; the policy's k must be at least that. Got {policy.k}.")
    if isinstance(policy, Zealous) and (policy.d, policy.setting, policy.keep, manifest.count) != (manifest.limit, _SETTING, "random", "users"):
        raise InputError(f"For Zealous count users, and give d={manifest.limit} (the collection's limit), keep='random' and no other setting.")
    return policy


def decide(manifest: Manifest, opened: Sequence[Opened], randomness: Randomness) -> Decision:
    """Apply the collection's policy to what was opened."""
    from crowdlog.mechanisms.frequency import FTu

    policy = policy_of(manifest)
    decision = _exact(policy, manifest, opened) if isinstance(policy, FTu) else _noisy(policy, manifest, opened, randomness)
    unprotected = (*decision.promise.unprotected, _COLLUSION, _SYBILS, _SIZES)
    return replace(decision, promise=replace(decision.promise, unprotected=unprotected))


def _exact(policy: FTu, manifest: Manifest, opened: Sequence[Opened]) -> Decision:
    kept = [group for group in opened if group.people >= policy.k]
    promise = replace(policy.promise(), counts=manifest.count)
    if manifest.count == "users":
        return Decision(promise, [(group, {"count": group.people}) for group in kept])
    return Decision(promise, [(group, {"count": impressions_of(group), "users": group.people}) for group in kept])


def _noisy(policy: Zealous, manifest: Manifest, opened: Sequence[Opened], randomness: Randomness) -> Decision:
    from crowdlog.privacy.thresholds import smallest_threshold

    threshold = smallest_threshold(policy.epsilon, policy.delta, policy.d, distinct=True, at_least=manifest.collection.k)
    noise = threshold.noise.draw(len(opened), randomness).tolist()
    counted = [(group, {"count": group.people + drawn}) for group, drawn in zip(opened, noise, strict=True)]
    return Decision(_noisy_promise(policy.promise(), threshold), [(group, row) for group, row in counted if row["count"] > threshold.K])


def _noisy_promise(promise: Promise, threshold: Threshold) -> Promise:
    """Zealous with the collection's k in the place of its k'."""
    guarantee = threshold.guarantee()
    steps = (
        Step("Bound", f"Every member sends at most {threshold.d} artifacts, chosen at random."),
        Step("Drop", f"What fewer than {threshold.at_least} people sent cannot be read; the cost of this look at the data is part of δ."),
        Step("Select and count", f"Publish the number of people plus noise where it is above {threshold.K}.", guarantee.epsilon, guarantee.delta),
    )
    settings = {"K": threshold.K, "b": threshold.scale, "k'": threshold.at_least - 1, "d": threshold.d}
    return replace(promise, guarantee=guarantee, steps=steps, settings=settings, assumptions=(*promise.assumptions, _OWN_BOUND), as_published={})
