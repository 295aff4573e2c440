"""What is published of a collection: which mechanisms can decide it, what they promise, what they keep.

Proof: proofs/collections.md.

A collection knows of each opened artifact how many people sent it and, if it counts impressions, how often
they had it. A mechanism whose plan needs no more decides over it as over a log's counts. The opening is a
look at the data before any noise: an artifact of k − 1 people cannot be read, one of k can. Noisy mechanisms
raise their threshold for it (`Mechanism.opened`), so that ε and δ stay what the label says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.artifacts.kinds import Artifact, counted_as
from crowdlog.crowd.artifact import OpenedArtifact
from crowdlog.crowd.manifest import ALWAYS, Layer, Manifest
from crowdlog.errors import InputError
from crowdlog.plan.selections import KeySelections, SampledThreshold

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.release.promise import Promise

_COLLUSION = (
    "The randomness server and the aggregation server together can test guesses of artifacts below the "
    "threshold (docs/threat-model.md)."
)
_SYBILS = (
    "Whoever holds k − 1 invitations can find out whether one more person has an artifact that he guessed."
)
_SIZES = "The aggregation server sees how many people share each artifact, also of those it cannot read."
_OWN_CHOICE = "Every member chooses at random which of her artifacts she sends; her limit d is enforced."

Kept = list[tuple[OpenedArtifact, dict[str, int]]]  # each artifact with its numbers by column, `count` first


@dataclass(frozen=True)
class Decision:
    """What will be published of one layer."""

    promise: Promise
    kept: Kept = field(repr=False)


def policies_of(manifest: Manifest) -> tuple[Mechanism, ...]:
    """Return the mechanism of each layer; each must fit what the collection can open and count."""
    # The mechanisms bring the counting engine, which a server needs only when it creates or publishes.
    from crowdlog.mechanisms import parse

    policies = []
    for layer in manifest.layers:
        policy = parse(layer.policy)
        _refuse_misfit(policy, manifest, layer)
        policies.append(policy)
    return tuple(policies)


def sampling_of(policy: str | None) -> int:
    """With which probability, in millionths, members must report for this policy."""
    from crowdlog.mechanisms import parse

    selection = parse(policy).plan[0].selection if policy else None
    return selection.millionths if isinstance(selection, SampledThreshold) else ALWAYS


def _refuse_misfit(policy: Mechanism, manifest: Manifest, layer: Layer) -> None:
    name = type(policy).__name__
    # refuses what needs more than a collection knows, and a k below the collection's
    (plan,) = policy.opened(layer.k).tables
    asked = plan.artifact.kind, plan.artifact.representation
    if asked != (counted_as(layer.artifact), manifest.representation):
        raise InputError(
            f"The policy {name} is for artifact={asked[0]!r} and representation={asked[1]!r}; "
            f"the collection has {counted_as(layer.artifact)!r} and {manifest.representation!r}."
        )
    if manifest.count not in policy.collected_counts:
        needed = policy.collected_counts[0]
        raise InputError(f"{name} needs a collection that counts {needed}; this one counts {manifest.count}.")
    if manifest.secondary and policy.opened(layer.k).guarantee.protects:
        raise InputError(f"{name} promises differential privacy, which texts in the secondary field break.")
    _refuse_other_sampling(plan.selection, manifest, name)
    chosen_by_lot = plan.noise is not None or isinstance(plan.selection, SampledThreshold)
    if chosen_by_lot and not (plan.bound.by_lot and plan.reach.total == manifest.limit):
        raise InputError(
            f"{name} needs d={manifest.limit} (the collection's limit) and keep='random', as its members "
            f"choose. Got {policy!r}."
        )


def _refuse_other_sampling(selection: KeySelections | None, manifest: Manifest, name: str) -> None:
    """Members and policy must agree on the probability with which each artifact is reported."""
    asked = selection.millionths if isinstance(selection, SampledThreshold) else ALWAYS
    if manifest.inner_artifact and asked < ALWAYS:
        raise InputError(f"{name} is for collections of one level: sampling inside a query is not proved.")
    if asked != manifest.sampling:
        raise InputError(
            f"{name} is for members who report with probability {asked / ALWAYS:g}; the collection has "
            f"{manifest.sampling / ALWAYS:g}."
        )


def promise_of_layer(policy: Mechanism, manifest: Manifest, layer: Layer) -> Promise:
    """What publishing this layer so promises, from the terms alone."""
    from crowdlog.release.promise import Step, said_of, steps_of

    own = policy.opened(layer.k)
    mined = Artifact(layer.artifact, manifest.representation)
    tables = tuple(replace(plan, counts=manifest.count, artifact=mined) for plan in own.tables)
    (plan,) = own.tables
    # what a step says of counts is said of what this collection counts
    counted = dict(zip(steps_of(plan), steps_of(replace(plan, counts=manifest.count)), strict=True))
    bounding, *_ = counted  # done by the members themselves
    told = [counted.get(step, step) for step in own.steps if step != bounding]
    steps = said_of(told, plan.name, mined.table)
    left_out = Step("Leave out", "What is inside a query that is not published is not published either.")
    noisy = own.guarantee.protects
    sampled = manifest.sampling < ALWAYS
    unit = "different artifacts" if manifest.count == "users" else "impressions"
    first = (
        Step("Bound", f"Every member sends at most {manifest.limit} {unit}, chosen at random."),
        Step(
            "Open",
            f"What fewer than {layer.k} people sent cannot be "
            f"read{'; the cost of this look at the data is part of δ' if noisy and not sampled else ''}.",
        ),
    )
    return replace(
        own,
        tables=tables,
        steps=(*first, *steps, *((left_out,) if layer.artifact == manifest.inner_artifact else ())),
        numbers={**own.numbers, "k": layer.k},
        assumptions=(*own.assumptions, *((_OWN_CHOICE,) if noisy else ())),
        unprotected=(*own.unprotected, _COLLUSION, _SYBILS, _SIZES),
        accounting=(),
        proof=own.proof if sampled else "proofs/collections.md",
        as_published=own.as_published if sampled else {},
    )


def decide_layer(
    policy: Mechanism,
    manifest: Manifest,
    layer: Layer,
    opened: Sequence[OpenedArtifact],
    randomness: Randomness,
) -> Decision:
    """Apply a layer's policy to what was opened."""
    from crowdlog.plan.decide import TableCounts, by_counts

    promise = promise_of_layer(policy, manifest, layer)
    (plan,) = promise.tables
    people = np.array([group.people for group in opened], np.int64)
    impressions = np.array([group.impressions for group in opened], np.int64)
    found = by_counts(plan, TableCounts(np.arange(len(opened)), impressions, people), randomness)
    beside = policy.people_column if plan.noise is None and plan.counts == "impressions" else None
    kept: Kept = []
    for place, count in zip(found.key.tolist(), found.count.tolist(), strict=True):
        row = {"count": count}
        if beside is not None:
            row[beside] = opened[place].people
        kept.append((opened[place], row))
    return Decision(promise, kept)


def beside_published(outer: Decision, inner: Decision) -> Decision:
    """Keep of what is inside queries what is inside a published one: the terms promise that each query is
    published as the outer policy allows, and a pair names its query.
    """
    queries = {group.artifact for group, _row in outer.kept}
    kept = [(group, row) for group, row in inner.kept if group.artifact.split(b"\t")[0] in queries]
    return replace(inner, kept=kept)


def together(promises: Sequence[Promise]) -> Promise:
    """The promise of publishing several layers: ε and δ add up, the least k counts; where one promises
    nothing, nothing is promised.
    """
    from crowdlog.privacy.guarantee import compose

    if len(promises) == 1:
        return promises[0]
    named = [(promise.tables[0].name, promise) for promise in promises]
    return replace(
        promises[0],
        guarantee=compose([promise.guarantee for promise in promises]),
        tables=tuple(plan for promise in promises for plan in promise.tables),
        steps=tuple(
            replace(step, name=f"{table}: {step.name}") for table, promise in named for step in promise.steps
        ),
        numbers={
            f"{table} {name}": value for table, promise in named for name, value in promise.numbers.items()
        },
        assumptions=_union([promise.assumptions for promise in promises]),
        errata=_union([promise.errata for promise in promises]),
        unprotected=_union([promise.unprotected for promise in promises]),
    )


def _union(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentence for part in parts for sentence in part))
