"""Keys: artifacts of any one kind, chosen by any of the selections, with noisy counts or without counts
(proofs/keys.md).
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.crowd import BUDGET
from crowdlog.mechanisms.parameters import ITEMS, look, parameter, weight
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION
from crowdlog.plan.bounds import SquaredBudget
from crowdlog.plan.selections import KeySelection
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.accounting import GaussianStep, for_ledger
from crowdlog.privacy.gaussian import check_epsilon_delta, largest_mu
from crowdlog.privacy.guarantee import Guarantee, approximate
from crowdlog.privacy.histories import count_noise
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.routed import ROUTES
from crowdlog.release.promise import Promise, Step

if TYPE_CHECKING:
    from crowdlog.privacy.selection.base import Selection

# Spelling: (module, class, parameter that bounds a user's items, its default where `items` is left out).
SELECTIONS = {
    "adaptive": ("adaptive_gaussian", "AdaptiveGaussian", "items_per_user", 300),
    "weighted": ("weighted_gaussian", "WeightedGaussian", "items_per_user", 200),
    "policy": ("policy_gaussian", "PolicyGaussian", "items_per_user", 200),
    "greedy": ("greedy_update", "GreedyUpdate", "items_per_user", 100),
    "mad2r": ("mad2r", "MAD2R", "items_per_user", 100),
    "sips": ("dp_sips", "DPSIPS", "items_per_user", 200),
    "routed": ("routed", "Routed", "items_per_user", 300),
    "laplace": ("laplace_threshold", "LaplaceThreshold", "d", 1),
    "geometric": ("truncated_geometric", "TruncatedGeometric", "d", 1),
}


@dataclass(frozen=True, repr=False)
class Keys(Mechanism):
    """Choose the keys of one kind of artifact by a selection of your choice, then publish their counts with
    fresh Gaussian noise; or, with `weight_counts=0`, their names alone.
    """

    title: ClassVar[str] = "Artifacts of one kind, chosen by one of nine key selections"
    example: ClassVar[str] = "Keys(epsilon=2.3, delta=1e-6, artifact='pair')"
    source: ClassVar[str] = (
        "crowdlog; selections of Korolova et al. 2009, Gopi et al. 2020, Carvalho et al. "
        "2022, Desfontaines et al. 2022, "
        "Swanberg et al. 2023, Chen et al. 2025 and crowdlog's own"
    )
    formula: ClassVar[str] = (
        "show a if its noisy weight > ρ(selection); publish n(a) + N(0, budget/μ²), μ of (ε₂, δ₂)"
    )
    whole_log: ClassVar[str] = (
        "it divides each person's weight, or the square of her counts, among all her artifacts, which takes "
        "her whole log"
    )

    epsilon: float = shared.epsilon()
    delta: float = shared.delta(least=1e-29)
    selection: str = parameter(
        "adaptive, routed (crowdlog's; routed also for short histories), weighted, policy, greedy, sips, "
        "mad2r, laplace, geometric (published)",
        default="adaptive",
        choices=tuple(SELECTIONS),
    )
    route: str = parameter(
        "of the routed selection: auto looks privately; a public fact may say long, short (one day, one "
        "session) or shared (site search)",
        default="auto",
        choices=ROUTES,
        role=look(ROUTES[1:]),
    )
    artifact: str = shared.artifact()
    items: int | None = parameter(
        "different artifacts that one user supports at most, a random set; "
        "left out: 300 (adaptive), 200 or 1 (laplace, geometric)",
        default=None,
        least=1,
        most=10_000,
        role=ITEMS,
    )
    weight_select: float = parameter(
        "share of ε and δ for choosing, relative to weight_counts", default=3.0, above=0, role=weight("keys")
    )
    weight_counts: float = parameter(
        "share for the counts; 0 publishes names alone, without counts",
        default=1.0,
        least=0,
        role=weight("counts"),
    )
    budget: int = parameter(
        "a user's counts n are bounded by the sum of n²", default=16, least=1, most=1_000_000, role=BUDGET
    )
    clean: bool = shared.clean()
    representation: str = shared.representation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.route != "auto" and self.selection != "routed":
            raise InputError(
                "The 'route' parameter of Keys needs selection='routed'. "
                f"Got {self.route!r} with {self.selection!r}."
            )

    def method(self) -> Selection:
        """The selection with its bound."""
        module, name, bound, default = SELECTIONS[self.selection]
        kind = getattr(importlib.import_module(f"crowdlog.privacy.selection.{module}"), name)
        settings: dict[str, Any] = {bound: default if self.items is None else self.items}
        if self.selection == "routed":
            settings["route"] = self.route
        selection: Selection = kind(**settings)
        return selection

    def shares(self) -> tuple[Guarantee, Guarantee]:
        """(ε, δ) of choosing and of counting, from the parameters alone."""
        check_epsilon_delta(self.epsilon, self.delta)
        if not self.weight_counts:
            return approximate(self.epsilon, self.delta), approximate(0.0, 0.0)
        whole = (self.weight_select + self.weight_counts) / ROOM_BELOW
        parts = [
            (self.epsilon * weight / whole, self.delta * weight / whole)
            for weight in (self.weight_select, self.weight_counts)
        ]
        return approximate(*parts[0]), approximate(*parts[1])

    @property
    def mu_counts(self) -> float:
        """The μ of the Gaussian noise of the counts; 0 if no counts are published."""
        counting = self.shares()[1]
        return largest_mu(counting.epsilon, counting.delta) if self.weight_counts else 0.0

    def promise(self) -> Promise:
        choosing, _counting = self.shares()
        method = self.method()
        keys = SELECTIONS[self.selection][3] if self.items is None else self.items
        selection = KeySelection(method, choosing.epsilon, choosing.delta)
        bound = SquaredBudget(self.budget, keys)
        noise = count_noise(self.budget, self.mu_counts) if self.weight_counts else None
        table = TablePlan(
            Artifact(self.artifact, self.representation),
            "impressions",
            bound,
            selection,
            noise,
            clean=self.clean,
            names_only=noise is None,
        )
        further = method.promise(choosing.epsilon, choosing.delta).parameters
        return Promise(
            approximate(self.epsilon, self.delta),
            self._steps(table),
            (table,),
            {f"selection {name}": value for name, value in further.items()},
            assumptions=(HONEST_USERS,),
            unprotected=(INJECTION,),
            accounting=for_ledger(
                [*selection.accounting(), *([GaussianStep(self.mu_counts)] if noise is not None else [])]
            ),
            proof="proofs/keys.md",
        )

    def _steps(self, table: TablePlan) -> tuple[Step, ...]:
        choosing, counting = self.shares()
        shown = f"Show those that the {self.selection} selection lets through"
        if table.noise is None:
            whose = self._supported(table.bound.keys)
            names = f"{shown}, without counts: the column count is 1 in every row."
            return (
                Step(f"Bound {table.name}", whose),
                Step(f"Select {table.name}", names, choosing.epsilon, choosing.delta),
            )
        counts = f"Publish counts with fresh noise of standard deviation {table.noise.sd:.4g}."
        return (
            Step(f"Bound {table.name}", f"Count {table.bound}."),
            Step(f"Select {table.name}", f"{shown}.", choosing.epsilon, choosing.delta),
            Step(f"Count {table.name}", counts, counting.epsilon, counting.delta),
        )

    def _supported(self, most: float) -> str:
        """Of how much of one person names alone are made."""
        if self.selection == "routed" and self.route == "auto":
            return (
                "A noisy look at the log decides whether each person supports one by one unit, or at most "
                f"{most} different ones."
            )
        if self.selection == "routed" and self.route != "long":
            return "Each person supports one by one unit, however many she has."
        return f"At most {most} different ones of each person support a choice."
