"""Keys: artifacts of any one kind, chosen by any of the selections, with noisy counts. Proof: proofs/keys.md."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, laplace_sd
from crowdlog.mechanisms.frequency import ARTIFACT_HELP, REPRESENTATION_HELP
from crowdlog.mechanisms.mining import open_mine, read_histories
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.accounting import GaussianStep, PromisedStep, TailStep, for_ledger
from crowdlog.privacy.accounting import Step as AccountedStep
from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import Guarantee, approximate
from crowdlog.privacy.histories import count_noise, noisy_counts
from crowdlog.privacy.selection.adaptive_gaussian import NOISE_SHARE, AdaptiveGaussian
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.privacy.selection.base import Selection

# Spelling: (module, class, parameter that bounds a user's items, its default where `items` is left out).
SELECTIONS = {
    "adaptive": ("adaptive_gaussian", "AdaptiveGaussian", "items_per_user", 200),
    "weighted": ("weighted_gaussian", "WeightedGaussian", "items_per_user", 200),
    "policy": ("policy_gaussian", "PolicyGaussian", "items_per_user", 200),
    "sips": ("dp_sips", "DPSIPS", "items_per_user", 200),
    "laplace": ("laplace_threshold", "LaplaceThreshold", "d", 1),
    "geometric": ("truncated_geometric", "TruncatedGeometric", "d", 1),
}
# Share of δ that pays for the Gaussian noise of a selection; the rest is its chance to show a key of one user alone (the selections' proof pages).
GAUSSIAN_SHARES = {"adaptive": NOISE_SHARE, "weighted": 0.5, "policy": 0.5, "sips": 0.5}
ROUNDING_ROOM = 1 - 1e-12  # two rounded shares never add up to more than the whole


@dataclass(frozen=True, repr=False)
class Keys(Mechanism):
    """Choose the keys of one kind of artifact by a selection of your choice, then publish their counts with fresh Gaussian noise."""

    title: ClassVar[str] = "Artifacts of one kind, chosen by one of six key selections, with noisy counts"
    source: ClassVar[str] = (
        "crowdlog; selections of Korolova et al. 2009, Desfontaines et al. 2022, Gopi et al. 2020, Swanberg et al. 2023 and crowdlog's own"
    )

    epsilon: float = parameter("privacy loss of one user", above=0)
    delta: float = parameter("probability that the promise may fail", least=1e-29, below=1)
    selection: str = parameter(
        "adaptive (crowdlog's), weighted, policy (Gaussian), sips (DP-SIPS), laplace (threshold of 2009) or geometric (truncated)",
        default="adaptive",
        choices=tuple(SELECTIONS),
    )
    artifact: str = parameter(ARTIFACT_HELP, default="query", choices=tuple(ARTIFACTS))
    items: int | None = parameter(
        "different artifacts that one user supports at most, a random set; left out: 200, for laplace and geometric 1",
        default=None,
        least=1,
        most=10_000,
    )
    weight_select: float = parameter("share of ε and δ for choosing, relative to weight_counts", default=3.0, above=0)
    weight_counts: float = parameter("share for the counts", default=1.0, above=0)
    budget: int = parameter("a user's counts n are bounded by the sum of n²", default=16, least=1, most=1_000_000)
    clean: bool = parameter("set negative counts to 0: costs no privacy", default=True)
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def method(self) -> Selection:
        """The selection with its bound."""
        module, name, bound, default = SELECTIONS[self.selection]
        kind = getattr(importlib.import_module(f"crowdlog.privacy.selection.{module}"), name)
        selection: Selection = kind(**{bound: default if self.items is None else self.items})
        return selection

    def shares(self) -> tuple[Guarantee, Guarantee]:
        """(ε, δ) of choosing and of counting, from the parameters alone."""
        check_epsilon_delta(self.epsilon, self.delta)
        whole = (self.weight_select + self.weight_counts) / ROUNDING_ROOM
        parts = [(self.epsilon * weight / whole, self.delta * weight / whole) for weight in (self.weight_select, self.weight_counts)]
        return approximate(*parts[0]), approximate(*parts[1])

    @property
    def mu_counts(self) -> float:
        counting = self.shares()[1]
        return largest_mu(counting.epsilon, counting.delta)

    def promise(self) -> Promise:
        choosing, counting = self.shares()
        selected, sd = self.method().promise(choosing.epsilon, choosing.delta), count_noise(self.budget, self.mu_counts).sigma
        table = Artifact(self.artifact).table
        threshold, noise = _last_bar(selected.parameters)
        settings: dict[str, Setting] = {f"{table} threshold": threshold, f"{table} selection noise sd": noise}
        settings |= {f"selection {name}": value for name, value in selected.parameters.items() if name not in ("threshold", "sigma")}
        return Promise(
            approximate(self.epsilon, self.delta),
            (
                Step(f"Select {table}", f"Show those that the {self.selection} selection lets through.", choosing.epsilon, choosing.delta),
                Step(f"Count {table}", f"Publish counts with fresh noise of standard deviation {sd:.4g}.", counting.epsilon, counting.delta),
            ),
            {**settings, f"{table} count noise sd": sd},
            assumptions=(HONEST_USERS,),
            unprotected=(INJECTION,),
            accounting=for_ledger([*self._choosing_steps(choosing), GaussianStep(self.mu_counts)]),
            proof="proofs/keys.md",
        )

    def _choosing_steps(self, choosing: Guarantee) -> tuple[AccountedStep, ...]:
        """What tight composition needs: the noise and the tail of a Gaussian selection, the promise of the others."""
        if self.selection not in GAUSSIAN_SHARES:
            return (PromisedStep(choosing.epsilon, choosing.delta),)
        share, method = GAUSSIAN_SHARES[self.selection], self.method()
        mu, tail = largest_mu(choosing.epsilon, share * choosing.delta), (1 - share) * choosing.delta
        if isinstance(method, AdaptiveGaussian):  # its tail is a part of δ at this ε alone
            tail = method.own_keys(mu, method.threshold(mu, tail, choosing.epsilon))
        return GaussianStep(mu), TailStep(tail)

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        choosing, _ = self.shares()
        artifact, sd = Artifact(self.artifact, self.representation), count_noise(self.budget, self.mu_counts).sigma
        with open_mine(log, self.representation) as mine:
            keys, histories = read_histories(mine.artifacts(artifact), artifact)
            kept = self.method().select(histories.distinct(), choosing.epsilon, choosing.delta, randomness).items
            counts = noisy_counts(histories.only(kept), self.budget, self.mu_counts, randomness)
            shown = np.maximum(counts, 0) if self.clean else counts
            table = mine.table(artifact, keys[kept], shown, noise=np.full(len(kept), sd))
        return Protected({artifact.table: table}, {f"{artifact.table} noise sd": sd})


def _last_bar(parameters: Mapping[str, float]) -> tuple[float, float]:
    """What a key must reach in the end, and the standard deviation of the noise on it: in weight, or in people where people are counted."""
    match parameters:
        case {"K": K, "scale": scale}:
            return K + 1, laplace_sd(scale)
        case {"always_from": people}:
            return people, 0.0
        case {"rounds": rounds, **more} if f"threshold_{rounds:.0f}" in more:
            return more[f"threshold_{rounds:.0f}"], more[f"sigma_{rounds:.0f}"]
    return parameters["threshold"], parameters["sigma"]
