"""Crowd, the default: adaptive selection of queries, then their counts, clicks and reformulations, all under one (ε, δ). Proof: proofs/crowd.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION
from crowdlog.mechanisms.frequency import REPRESENTATION_HELP
from crowdlog.mechanisms.mining import Mine, open_mine, read_histories
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.pools import NGRAMS, PUBLIC_POOL, positions, read_pool
from crowdlog.privacy.accounting import GaussianStep, TailStep, for_ledger
from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.histories import count_noise, noisy_counts
from crowdlog.privacy.rounding import sum_up
from crowdlog.privacy.selection.adaptive_gaussian import NOISE_SHARE, AdaptiveGaussian
from crowdlog.release.promise import Promise, Protected, Setting, Step

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

Ints = NDArray[np.int64]
KEY_SHARE = 0.6  # of what clicks or reformulations get, for choosing them; the rest for their counts
NO_OVERLAP = "No query of this log is in the pool: it favours nothing. Another pool or representation may fit."
ROUNDING_ROOM = 1 - 1e-12  # rounded shares never add up to more than the whole


@dataclass(frozen=True)
class Part:
    """One table's share: μ of choosing its keys, the part of δ for keys of one user alone, μ of its counts."""

    mu_keys: float
    tail: float
    mu_counts: float


@dataclass(frozen=True, repr=False)
class Crowd(Mechanism):
    """Choose queries in many small noisy rounds, each aimed by the last; publish them with noisy counts, clicks and next queries."""

    title: ClassVar[str] = "Queries of the crowd with noisy counts, what was clicked for them and what was asked next"
    source: ClassVar[str] = "crowdlog; builds on Gopi et al. 2020 (weighted Gaussian) and Swanberg et al. 2023 (DP-SIPS)"

    epsilon: float = parameter("privacy loss of one user, all tables together", above=0)
    delta: float = parameter("probability that the promise may fail", least=1e-30, below=1)
    weight_select: float = parameter("share of the privacy for choosing queries, relative to the other weights", default=5.0, above=0)
    weight_counts: float = parameter("share for the counts of queries", default=2.0, above=0)
    weight_clicks: float = parameter("share for clicks; 0 publishes no clicks", default=2.0, least=0)
    weight_pairs: float = parameter("share for reformulations (query, next query); 0 publishes none", default=1.0, least=0)
    items: int = parameter(
        "different queries (clicks, reformulations) that one user supports at most: a random set", default=200, least=1, most=10_000
    )
    budget: int = parameter("a user's counts n in one table are bounded by the sum of n²", default=16, least=1, most=1_000_000)
    pool: str | None = parameter(
        f"public queries that are helped: a file with one a line, or '{NGRAMS}', frequent English words and word pairs; costs no privacy",
        default=None,
    )
    unknown: float = parameter("with a pool: how much each query outside it is worth, relative to those inside", default=0.5, least=0.01, most=1)
    clean: bool = parameter("set negative counts to 0: costs no privacy", default=True)
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def check_inputs(self) -> None:
        if self.pool is not None:
            read_pool(self.pool, self.representation)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        if self.pool is None:
            return ()
        with open_mine(log, self.representation) as mine:
            return (NO_OVERLAP,) if positions(mine, read_pool(self.pool, self.representation)).max(initial=-1) < 0 else ()

    def parts(self) -> dict[str, Part]:
        """The split of μ² and of the tail probability, from the parameters alone."""
        check_epsilon_delta(self.epsilon, self.delta)
        weights = {"queries": self.weight_select, "clicks": self.weight_clicks * KEY_SHARE, "pairs": self.weight_pairs * KEY_SHARE}
        counts = {"queries": self.weight_counts, **{name: weights[name] * (1 / KEY_SHARE - 1) for name in ("clicks", "pairs")}}
        whole, keys = sum(weights.values()) + sum(counts.values()), sum(weights.values())
        mu, tail = self.mu * ROUNDING_ROOM, (1 - NOISE_SHARE) * self.delta * ROUNDING_ROOM
        return {
            name: Part(mu * math.sqrt(weight / whole), tail * weight / keys, mu * math.sqrt(counts[name] / whole))
            for name, weight in weights.items()
            if weight > 0
        }

    @property
    def mu(self) -> float:
        """The μ of all noise together."""
        return largest_mu(self.epsilon, NOISE_SHARE * self.delta)

    @property
    def selection(self) -> AdaptiveGaussian:
        return AdaptiveGaussian(items_per_user=self.items)

    def threshold(self, part: Part) -> float:
        return self.selection.threshold(part.mu_keys, part.tail, self.epsilon)

    def own_keys(self) -> float:
        """At most the probability that any key of one user alone is shown."""
        return sum_up(self.selection.own_keys(part.mu_keys, self.threshold(part)) for part in self.parts().values())

    def promise(self) -> Promise:
        parts = self.parts()
        whole = f"All noise below is one Gaussian mechanism: sensitivity over standard deviation is {self.mu:.4g} in total; squares add up."
        steps = [Step("Add noise", whole, self.epsilon, NOISE_SHARE * self.delta)]
        settings: dict[str, Setting] = {"mu": self.mu, "items per user": self.items, "rounds": self.selection.rounds}
        for name, part in parts.items():
            threshold, sd = self.threshold(part), count_noise(self.budget, part.mu_counts).sigma
            settings |= {f"{name} threshold": threshold, f"{name} selection noise sd": 1 / part.mu_keys, f"{name} count noise sd": sd}
            steps += [
                Step(
                    f"Select {name}",
                    f"Show those whose noisy weight over {self.selection.rounds} rounds is at least {threshold:.4g}.",
                    0.0,
                    part.tail,
                ),
                Step(f"Count {name}", f"Publish counts with fresh noise of standard deviation {sd:.4g} (in the first step's ε and δ)."),
            ]
        if self.pool is not None:
            size = len(read_pool(self.pool, self.representation))
            helped = (
                f"Choosing queries favours {size} public ones; others count {self.unknown:g} times as much. The list does not depend on this log."
            )
            steps.insert(1, Step("Favour the pool", helped))
        return Promise(
            approximate(self.epsilon, self.delta),
            tuple(steps),
            settings,
            assumptions=(HONEST_USERS, *((PUBLIC_POOL,) if self.pool else ())),
            unprotected=(INJECTION,),
            accounting=for_ledger([GaussianStep(self.mu), TailStep(self.own_keys())]),
            proof="proofs/crowd.md",
        )

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        parts = self.parts()
        with open_mine(log, self.representation) as mine:
            shown, tables = np.zeros(0, np.int64), {}
            for name, kind in (("queries", "query"), ("clicks", "click"), ("pairs", "pair")):
                if name in parts:
                    artifact = Artifact(kind, self.representation)
                    keys, table = self._release(mine, artifact, parts[name], shown, randomness)
                    shown, tables[name] = (keys if kind == "query" else shown), table
        return Protected(tables, {f"{name} noise sd": count_noise(self.budget, part.mu_counts).sigma for name, part in parts.items()})

    def _release(self, mine: Mine, artifact: Artifact, part: Part, shown: Ints, randomness: Randomness) -> tuple[Ints, pa.Table]:
        """Choose the keys of one kind and count them. Of clicks and pairs only those of queries that are shown already."""
        keys, histories = read_histories(mine.artifacts(artifact), artifact, shown if artifact.kind != "query" else None)
        prior = self._prior(mine) if artifact.kind == "query" else None
        kept = self.selection.run(histories.distinct(), part.mu_keys, self.threshold(part), randomness, prior).items
        counts = noisy_counts(histories.only(kept), self.budget, part.mu_counts, randomness)
        noise = np.full(len(kept), count_noise(self.budget, part.mu_counts).sigma)
        return keys[kept], mine.table(artifact, keys[kept], np.maximum(counts, 0) if self.clean else counts, noise=noise)

    def _prior(self, mine: Mine) -> NDArray[np.float64] | None:
        """1 for queries of the pool, less for others: a function of each query's text alone."""
        return None if self.pool is None else np.where(positions(mine, read_pool(self.pool, self.representation)) >= 0, 1.0, self.unknown)
