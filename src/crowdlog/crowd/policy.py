"""Which mechanisms can decide over a collection, and what each needs of its terms. What they then do: deciding.py.

A collection knows of each opened artifact how many people sent it and, if it counts impressions, how often they had it: one value per person and
artifact. A mechanism that needs no more can be its policy; any other needs people's own logs, which never leave them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from crowdlog.crowd.manifest import Layer, Manifest
from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.crowd.deciding import Policy

# What the others need beyond that.
_NEEDS = {
    "AClick": "it gives noise to every query of a pool, asked or not, and keeps each person's first queries in the order of time",
    "ASession": "it publishes sequences of whole sessions",
    "Crowd": "it divides each person's weight among all her artifacts, which takes her whole log",
    "Keys": "it divides each person's weight, or the square of her counts, among all her artifacts, which takes her whole log",
    "SemanticKAnonymity": "it counts the different people behind several queries together, and nothing links the reports of one person",
    "Korolova": "it keeps each person's first queries in the order of time and shares one ε among three tables (DPa is its selection, for one table)",
}
_ROWS = "it publishes people's own rows"


def policies_of(manifest: Manifest) -> tuple[Policy, ...]:
    """Return the mechanism of each layer; each must fit what the collection can open and count."""
    # The mechanisms bring the counting engine, which a server needs only when it creates or publishes.
    from crowdlog.crowd.deciding import promise_of
    from crowdlog.mechanisms import parse

    policies = []
    for layer in manifest.layers:
        policy: Any = parse(layer.policy)
        name = type(policy).__name__
        if name not in _FITS:
            raise InputError(f"A collection cannot be published with {name}: {_NEEDS.get(name, _ROWS)}. Use one of {', '.join(_FITS)}.")
        _same_artifact(policy, manifest, layer)
        _FITS[name](policy, manifest, layer)
        promise_of(policy, manifest, layer)  # an ε and δ that no threshold can keep are refused now
        policies.append(policy)
    return tuple(policies)


def _same_artifact(policy: Any, manifest: Manifest, layer: Layer) -> None:
    own = "click" if type(policy).__name__ == "KA" else "query"  # KA and KAnonymity have one kind of artifact, as it is
    asked = getattr(policy, "artifact", own), getattr(policy, "representation", "original")
    if asked != (layer.artifact, manifest.representation):
        raise InputError(
            f"The policy {type(policy).__name__} is for artifact={asked[0]!r} and representation={asked[1]!r}; "
            f"the collection has {layer.artifact!r} and {manifest.representation!r}."
        )


def _counts(manifest: Manifest, count: str, policy: Any) -> None:
    if manifest.count != count:
        raise InputError(f"{type(policy).__name__} needs a collection that counts {count}; this one counts {manifest.count}.")


def _ftu(policy: Any, manifest: Manifest, layer: Layer) -> None:
    if policy.k < layer.k:
        raise InputError(f"The collection opens what {layer.k} people share; the k of {type(policy).__name__} must be at least that. Got {policy.k}.")


def _k_anonymity(policy: Any, manifest: Manifest, layer: Layer) -> None:
    _counts(manifest, "impressions", policy)
    _ftu(policy, manifest, layer)


def _fta(policy: Any, manifest: Manifest, layer: Layer) -> None:
    _counts(manifest, "impressions", policy)


def _ka(policy: Any, manifest: Manifest, layer: Layer) -> None:
    _counts(manifest, "users", policy)
    if layer.k - 1 > policy.K:
        raise InputError(f"The collection opens what {layer.k} people share; the K of KA must be at least {layer.k - 1}. Got {policy.K}.")


def _bounded(policy: Any, manifest: Manifest) -> None:
    """The members keep the bound d: a random choice, of as much as the collection's limit says."""
    if (policy.d, policy.keep) != (manifest.limit, "random"):
        raise InputError(
            f"{type(policy).__name__} needs d={manifest.limit} (the collection's limit) and keep='random', as its members choose. "
            f"Got d={policy.d} and keep={policy.keep!r}."
        )


def _zealous(policy: Any, manifest: Manifest, layer: Layer) -> None:
    _counts(manifest, "users", policy)
    _bounded(policy, manifest)
    if policy.setting == "probabilistic" and (lowest := policy.threshold()[0].at_least) < layer.k:
        raise InputError(
            f"Zealous in the probabilistic setting keeps what {lowest} people share here, but the collection opens what {layer.k} do: "
            f"its proof has no room for that. Choose a smaller ε, a larger limit, a k of at most {lowest}, or the other setting."
        )


def _noisy_impressions(policy: Any, manifest: Manifest, layer: Layer) -> None:
    _counts(manifest, "impressions", policy)
    _bounded(policy, manifest)


_FITS: dict[str, Callable[[Any, Manifest, Layer], None]] = {
    "FTu": _ftu,
    "FTa": _fta,
    "KA": _ka,
    "KAnonymity": _k_anonymity,
    "Zealous": _zealous,
    "DPu": _noisy_impressions,
    "DPa": _noisy_impressions,
}
