"""Crowd, the default: adaptive selection of queries, then their counts, clicks and reformulations, all under
one (ε, δ). Proof: proofs/crowd.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import NGRAMS, PUBLIC_POOL, read_pool
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import ITEMS, POOL, Role, parameter, weight
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION
from crowdlog.number_format import rounded_down
from crowdlog.plan.bounds import SquaredBudget
from crowdlog.plan.candidates import Favours, OfShown, OfTheLog
from crowdlog.plan.selections import WeightedRounds
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.accounting import GaussianStep, TailStep, for_ledger
from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import approximate
from crowdlog.privacy.histories import count_noise
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.adaptive_gaussian import NOISE_SHARE, AdaptiveGaussian, in_weight
from crowdlog.privacy.selection.own_size import OwnSizes, Part, own_sizes
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore

KEY_SHARE = 0.6  # of what clicks or reformulations get, for choosing them; the rest for their counts
NO_OVERLAP = (
    "No query of this log is in the pool: it favours nothing. Another pool or representation may fit."
)
KINDS = {"queries": "query", "clicks": "click", "pairs": "pair"}
BUDGET = Role("bound", small=16, moderate=1_000_000)


@dataclass(frozen=True)
class TableBudget:
    """One table's share: μ of choosing its keys, the part of δ for a lone user's keys, μ of its counts."""

    mu_keys: float
    tail: float
    mu_counts: float


@dataclass(frozen=True, repr=False)
class Crowd(Mechanism):
    """Choose queries in many small noisy rounds, each aimed by the last; publish them with noisy counts,
    clicks and next queries.
    """

    title: ClassVar[str] = (
        "Queries of the crowd with noisy counts, what was clicked for them and what was asked next"
    )
    example: ClassVar[str] = "Crowd(epsilon=2.3, delta=1e-6)"
    source: ClassVar[str] = (
        "crowdlog; builds on Gopi et al. 2020 (weighted Gaussian) and Swanberg et al. 2023 (DP-SIPS)"
    )
    formula: ClassVar[str] = (
        "μ the largest with δ_Gauss(ε, μ) ≤ 0.7·δ, split so that Σμ_k² ≤ μ²; a key is shown if its noisy "
        "weight passes ρ in one of several rounds; publish n(q) + N(0, budget/μ_k²)"
    )
    whole_log: ClassVar[str] = (
        "it divides each person's weight among all her artifacts, which takes her whole log"
    )

    epsilon: float = shared.epsilon()
    delta: float = shared.delta(least=1e-30)
    weight_select: float = parameter(
        "share of the privacy for choosing queries, relative to the other weights",
        default=5.0,
        above=0,
        role=weight("keys"),
    )
    weight_counts: float = parameter(
        "share for the counts of queries", default=2.0, above=0, role=weight("counts")
    )
    weight_clicks: float = parameter(
        "share for clicks; 0 publishes no clicks", default=2.0, least=0, role=weight("clicks")
    )
    weight_pairs: float = parameter(
        "share for reformulations (query, next query); 0 publishes none",
        default=1.0,
        least=0,
        role=weight("pairs"),
    )
    items: int = parameter(
        "different queries (clicks, reformulations) that one user supports at most: a random set",
        default=200,
        least=1,
        most=10_000,
        role=ITEMS,
    )
    budget: int = parameter(
        "a user's counts n in one table are bounded by the sum of n²",
        default=16,
        least=1,
        most=1_000_000,
        role=BUDGET,
    )
    pool: str | None = parameter(
        f"public queries that are helped: a file with one a line, or '{NGRAMS}', frequent English words and "
        "word pairs; costs no privacy",
        default=None,
        role=POOL,
    )
    unknown: float = parameter(
        "with a pool: how much each query outside it is worth, relative to those inside",
        default=0.5,
        least=0.01,
        most=1,
    )
    clean: bool = shared.clean()
    representation: str = shared.representation()

    def check_inputs(self) -> None:
        if self.pool is not None:
            read_pool(self.pool, self.representation)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        if self.pool is None:
            return ()
        with self.open(log) as source:
            inside = source.places(read_pool(self.pool, self.representation))
        return (NO_OVERLAP,) if inside.max(initial=-1) < 0 else ()

    def parts(self) -> dict[str, TableBudget]:
        """The split of μ² and of the tail probability, from the parameters alone."""
        check_epsilon_delta(self.epsilon, self.delta)
        weights = {
            "queries": self.weight_select,
            "clicks": self.weight_clicks * KEY_SHARE,
            "pairs": self.weight_pairs * KEY_SHARE,
        }
        counts = {
            "queries": self.weight_counts,
            **{name: weights[name] * (1 / KEY_SHARE - 1) for name in ("clicks", "pairs")},
        }
        whole, keys = sum(weights.values()) + sum(counts.values()), sum(weights.values())
        mu = self.mu * ROOM_BELOW
        tail = (1 - NOISE_SHARE) * self.delta * ROOM_BELOW
        return {
            name: TableBudget(
                mu * math.sqrt(weight / whole), tail * weight / keys, mu * math.sqrt(counts[name] / whole)
            )
            for name, weight in weights.items()
            if weight > 0
        }

    @property
    def mu(self) -> float:
        """The μ of all noise together, for people with the most artifacts: what is split by the weights."""
        return largest_mu(self.epsilon, NOISE_SHARE * self.delta)

    @property
    def selections(self) -> tuple[Part, ...]:
        """Every selection of the release with its noise and its threshold."""
        each = self.parts().values()
        return tuple(Part(part.mu_keys, self._bar(part)) for part in each)

    @property
    def own(self) -> OwnSizes:
        """How much longer vectors of people with fewer artifacts are, in every selection alike."""
        return own_sizes(self.epsilon, self.delta, self.selections, self._mu_counts, self.items)

    @property
    def _mu_counts(self) -> float:
        return math.sqrt(sum(part.mu_counts**2 for part in self.parts().values())) / ROOM_BELOW

    def _bar(self, part: TableBudget) -> float:
        return self.selection.bar(part.mu_keys, part.tail, self.epsilon)

    @property
    def selection(self) -> AdaptiveGaussian:
        return AdaptiveGaussian(items_per_user=self.items)

    def _rounds(self, part: TableBudget) -> WeightedRounds:
        own = self.own
        longest = part.mu_keys * own.largest
        return WeightedRounds(self.selection, longest, in_weight(self._bar(part), longest), part.tail, own)

    def _tables(self) -> tuple[TablePlan, ...]:
        favours = None
        if self.pool is not None:
            favours = Favours(self.pool, len(read_pool(self.pool, self.representation)), self.unknown)
        return tuple(
            TablePlan(
                Artifact(KINDS[name], self.representation),
                "impressions",
                SquaredBudget(self.budget, self.items),
                self._rounds(part),
                count_noise(self.budget, part.mu_counts),
                OfTheLog() if name == "queries" else OfShown(),
                clean=self.clean,
                favours=favours if name == "queries" else None,
            )
            for name, part in self.parts().items()
        )

    def promise(self) -> Promise:
        tables = self._tables()
        mu, tail = self.own.whole(self.selections, self._mu_counts), self.own.tail(self.selections)
        whole = (
            "All noise below together protects as one Gaussian noise does whose standard deviation is "
            f"{rounded_down(1 / mu)} times what one person can change; {rounded_down(1 / self.mu)} times for "
            f"people with {self.items} artifacts, who have most keys of their own to pay for."
        )
        steps = [Step("Add noise", whole, self.epsilon, NOISE_SHARE * self.delta)]
        for plan in tables:
            if isinstance(plan.selection, WeightedRounds) and plan.noise is not None:
                rounds = (
                    f"Show those whose noisy weight over {self.selection.rounds} rounds is at least "
                    f"{plan.selection.threshold:.4g}."
                )
                counts = (
                    f"Publish counts with fresh noise of standard deviation {plan.noise.sd:.4g} (in the "
                    "first step's ε and δ)."
                )
                steps += [
                    Step(f"Bound {plan.name}", f"Count {plan.bound}."),
                    Step(f"Select {plan.name}", rounds, 0.0, plan.selection.tail),
                    Step(f"Count {plan.name}", counts),
                ]
        favours = tables[0].favours
        if favours is not None:
            others = f"others count {favours.unknown:g} times as much"
            what = (
                f"Choosing queries favours {favours.size} public ones; {others}. "
                "The list does not depend on this log."
            )
            steps.insert(1, Step("Favour the pool", what))
        return Promise(
            approximate(self.epsilon, self.delta),
            tuple(steps),
            tables,
            {"mu": mu, "items per user": self.items, "rounds": self.selection.rounds},
            assumptions=(HONEST_USERS, *((PUBLIC_POOL,) if self.pool else ())),
            unprotected=(INJECTION,),
            accounting=for_ledger([GaussianStep(mu), TailStep(tail)]),
            proof="proofs/crowd.md",
        )
