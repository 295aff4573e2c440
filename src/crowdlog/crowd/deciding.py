"""What a policy promises about a collection, and which opened artifacts it publishes. Proof: proofs/collections.md.

The opening is a look at the data before any noise: an artifact of k − 1 people cannot be read, one of k can. Noisy policies raise their threshold
for it, so that ε and δ stay what the label says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import Counted
from crowdlog.crowd.manifest import Layer, Manifest
from crowdlog.mechanisms.counting import add_noise
from crowdlog.mechanisms.feild import DPa, DPu
from crowdlog.mechanisms.frequency import KA, FTa, FTu
from crowdlog.mechanisms.semantic import KAnonymity
from crowdlog.mechanisms.zealous import Zealous
from crowdlog.privacy.guarantee import NO_GUARANTEE, Guarantee, compose
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee, smallest_threshold
from crowdlog.release.promise import Promise, Step

_COLLUSION = "The randomness server and the aggregation server together can test guesses of artifacts below the threshold (docs/threat-model.md)."
_SYBILS = "Whoever holds k − 1 invitations can find out whether one more person has an artifact that he guessed."
_SIZES = "The aggregation server sees how many people share each artifact, also of those it cannot read."
_OWN_BOUND = "Every member keeps the bound d on what she sends: nobody can check it, because nothing links two reports of one person."
_PROOF = "proofs/collections.md"
_SAMPLER = 0.999  # a thousandth of δ pays for the distance of the counts' noise from ideal noise, as in DPa and DPu themselves

Exact = FTu | FTa | KA | KAnonymity
Policy = Exact | Zealous | DPa | DPu
Kept = list[tuple[Counted, dict[str, int]]]  # each artifact with its numbers by column, `count` first


@dataclass(frozen=True)
class Decision:
    """What will be published of one layer."""

    promise: Promise
    kept: Kept = field(repr=False)


def decide(policy: Policy, manifest: Manifest, layer: Layer, opened: Sequence[Counted], randomness: Randomness) -> Decision:
    """Apply a layer's policy to what was opened."""
    promise = promise_of(policy, manifest, layer)
    if isinstance(policy, Exact):
        return Decision(promise, _exact(policy, manifest, opened))
    if isinstance(policy, Zealous):
        return Decision(promise, _same_noise(policy, layer, opened, randomness))
    return Decision(promise, _fresh_noise(policy, layer, opened, randomness))


def promise_of(policy: Policy, manifest: Manifest, layer: Layer) -> Promise:
    """What publishing this layer so promises, from the terms alone."""
    own = policy.promise()
    unit = "different artifacts" if manifest.count == "users" else "impressions"
    bound = Step("Bound", f"Every member sends at most {manifest.limit} {unit}, chosen at random.")
    unprotected = (*own.unprotected, _COLLUSION, _SYBILS, _SIZES)
    common = replace(own, counts=manifest.count, unprotected=unprotected, proof=_PROOF, as_published={}, accounting=())
    if isinstance(policy, Exact):
        opening = Step("Open", f"What fewer than {layer.k} people sent cannot be read.")
        return replace(common, steps=(bound, opening, _exact_step(policy, manifest, layer)))
    opening = Step("Open", f"What fewer than {layer.k} people sent cannot be read; the cost of this look at the data is part of δ.")
    threshold, guarantee, steps, settings = _noisy_parts(policy, layer)
    settings |= {"K": threshold.K, "b": threshold.scale, "d": threshold.d, "k": layer.k}
    assumptions = (*own.assumptions, _OWN_BOUND)
    return replace(common, guarantee=guarantee, steps=(bound, opening, *steps), settings=settings, assumptions=assumptions)


def together(promises: Sequence[Promise], tables: Sequence[str]) -> Promise:
    """The promise of publishing several layers: ε and δ add up; where one promises nothing, nothing is promised."""
    if len(promises) == 1:
        return promises[0]
    covered = all(promise.guarantee.protects for promise in promises)
    named = list(zip(tables, promises, strict=True))
    return replace(
        promises[0],
        guarantee=compose([promise.guarantee for promise in promises]) if covered else NO_GUARANTEE,
        steps=tuple(replace(step, name=f"{table}: {step.name}") for table, promise in named for step in promise.steps),
        settings={f"{table} {name}": value for table, promise in named for name, value in promise.settings.items()},
        assumptions=_union([promise.assumptions for promise in promises]),
        errata=_union([promise.errata for promise in promises]),
        unprotected=_union([promise.unprotected for promise in promises]),
    )


def table_of(layer: Layer) -> str:
    return Artifact(layer.artifact).table


def _union(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentence for part in parts for sentence in part))


def _exact(policy: Exact, manifest: Manifest, opened: Sequence[Counted]) -> Kept:
    """Whatever is at the bar, with exact numbers."""
    kept = [group for group in opened if (group.impressions if isinstance(policy, FTa) else group.people) >= _bar(policy)]
    if manifest.count == "users":
        return [(group, {"count": group.people}) for group in kept]
    people = "degree" if isinstance(policy, KAnonymity) else "users"  # each in the word of its mechanism
    return [(group, {"count": group.impressions, people: group.people}) for group in kept]


def _exact_step(policy: Exact, manifest: Manifest, layer: Layer) -> Step:
    number, unit = _bar(policy), "impressions" if isinstance(policy, FTa) else "people"
    shown = "people" if manifest.count == "users" else "impressions and of people"
    return Step("Threshold", f"Publish every {layer.artifact} with at least {number} {unit}, with its exact number of {shown}.")


def _bar(policy: Exact) -> int:
    return policy.K + 1 if isinstance(policy, KA) else policy.k


def _threshold(policy: Zealous | DPa | DPu, layer: Layer) -> tuple[Threshold, Guarantee]:
    """The threshold on people or impressions, with the opening as its raw filter."""
    if isinstance(policy, Zealous):
        if policy.setting == "probabilistic":  # its own raw filter is not below the opening: policy.py saw to that
            return policy.threshold()
        found = smallest_threshold(policy.epsilon, policy.delta, policy.d, distinct=True, at_least=layer.k)
        return found, found.guarantee()
    # k − 1 others may have d impressions each of an artifact that she makes readable.
    lowest = layer.k if policy.distinct else (layer.k - 1) * policy.d + 1
    share = policy.epsilon * policy.select_share, policy.delta * _SAMPLER
    found = smallest_threshold(*share, policy.d, distinct=policy.distinct, at_least=lowest)
    return found, found.guarantee()


def _noisy_parts(policy: Zealous | DPa | DPu, layer: Layer) -> tuple[Threshold, Guarantee, list[Step], dict[str, Any]]:
    """The threshold, what is promised in all, the steps after the opening and further settings."""
    threshold, chosen = _threshold(policy, layer)
    cost = (chosen.epsilon, chosen.delta)
    if isinstance(policy, Zealous):
        drop = [Step("Drop", f"Drop what fewer than {threshold.at_least} people sent.")] if threshold.at_least > layer.k else []
        rule = f"Publish the number of people plus noise where it is above {threshold.K}."
        return threshold, chosen, [*drop, Step("Select and count", rule, *cost)], {"k'": threshold.at_least - 1}
    scale = float(policy.promise().settings["count noise scale"])
    counted = laplace_guarantee(policy.d, scale)
    what = "people" if policy.distinct else "impressions"
    steps = [
        Step("Select", f"Show an artifact when its number of {what} plus noise is above {threshold.K}.", *cost),
        Step("Count", f"Publish its impressions with fresh noise of scale {scale:.4g}.", counted.epsilon, counted.delta),
    ]
    return threshold, compose([chosen, counted]), steps, {"count noise scale": scale}


def _same_noise(policy: Zealous, layer: Layer, opened: Sequence[Counted], randomness: Randomness) -> Kept:
    """The number of people plus the noise that selected it."""
    threshold, _guarantee = _threshold(policy, layer)
    candidates = [group for group in opened if group.people >= threshold.at_least]
    noise = threshold.noise.draw(len(candidates), randomness).tolist()
    counted = [(group, {"count": group.people + drawn}) for group, drawn in zip(candidates, noise, strict=True)]
    return [(group, row) for group, row in counted if row["count"] > threshold.K]


def _fresh_noise(policy: DPa | DPu, layer: Layer, opened: Sequence[Counted], randomness: Randomness) -> Kept:
    """DPa and DPu: selected by a noisy number, published with impressions under fresh noise."""
    threshold, _guarantee = _threshold(policy, layer)
    compared = np.array([group.people if policy.distinct else group.impressions for group in opened], np.int64)
    selected = compared + threshold.noise.draw(len(opened), randomness) > threshold.K
    shown = [group for group, kept in zip(opened, selected.tolist(), strict=True) if kept]
    true = np.array([group.impressions for group in shown], np.int64)
    scale = float(policy.promise().settings["count noise scale"])
    published = add_noise(true, scale, randomness, clean=True).tolist()
    return [(group, {"count": count}) for group, count in zip(shown, published, strict=True)]
