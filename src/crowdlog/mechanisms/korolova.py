"""The query–click graph of Korolova, Kenthapadi, Mishra and Ntoulas 2009: queries, their counts, clicks and
reformulations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import read_surfaced
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, parameter, weight
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION, PUBLIC_RESULTS, SAMPLER_SHARE
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.plan.candidates import OfShown, PublicResults
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.published import dp_a
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.release.promise import Promise, promise_of

TOP_CLICKED = (
    "Which URLs appear is taken from the clicks themselves, as in the paper's experiment. "
    "The proof does not cover that: one person's click can put a URL into the release."
)


@dataclass(frozen=True, repr=False)
class Korolova(Mechanism):
    """Keep the first d queries of each user, show queries whose noisy count is above K, publish counts and
    clicks with fresh noise.
    """

    title: ClassVar[str] = "Frequent queries with noisy counts and what was clicked for them"
    example: ClassVar[str] = "Korolova(epsilon=2.3, delta=1e-6, d=20)"
    source: ClassVar[str] = (
        "Korolova, Kenthapadi, Mishra, Ntoulas: Releasing search queries and clicks privately, WWW 2009"
    )
    formula: ClassVar[str] = (
        "show q if M(q) + DL(d/ε₁) > K; publish M(q) + DL(d/ε₂); clicks (q, u) if C(q, u) + DL(d_c/ε₃) > K_c"
    )
    whole_log: ClassVar[str] = (
        "it keeps each person's first queries in the order of time and shares one ε among three tables"
    )

    epsilon: float = shared.epsilon()
    delta: float = shared.delta()
    d: int = parameter("how many queries are kept of each user: her first ones", least=1, role=BOUND)
    d_clicks: int | None = parameter(
        "how many clicks are kept of each user; d if left out", default=None, least=1, role=BOUND
    )
    urls: str = parameter(
        "which URLs may appear: 'private' selects them with noise; "
        "'public' takes them from the file in 'surfaced'; "
        "'top-clicked' as the paper's experiment, not private",
        default="private",
        choices=("private", "public", "top-clicked"),
    )
    surfaced: str | None = shared.surfaced()
    weight_select: float = shared.weight_select()
    weight_counts: float = shared.weight_counts()
    weight_clicks: float = shared.weight_clicks()
    weight_suggestions: float = parameter(
        "share of ε for reformulations (query, next query); 0 publishes none",
        default=0.0,
        least=0,
        role=weight("pairs"),
    )
    clean: bool = shared.clean()
    representation: str = shared.representation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.urls == "public") != (self.surfaced is not None):
            raise InputError(
                "Korolova needs 'surfaced', a file of public results, exactly when urls='public'."
            )

    def check_inputs(self) -> None:
        if self.surfaced is not None:
            read_surfaced(self.surfaced, self.representation)

    def _share(self, weight: float) -> float:
        """This step's part of ε."""
        total = self.weight_select + self.weight_counts + self.weight_clicks + self.weight_suggestions
        return self.epsilon * (weight / total) * ROOM_BELOW

    def _threshold(self, epsilon: float, d: int) -> NoisyThreshold:
        selections = 1 + (self.weight_clicks > 0 and self.urls == "private") + (self.weight_suggestions > 0)
        return NoisyThreshold.of(smallest_threshold(epsilon, self.delta * SAMPLER_SHARE / selections, d))

    def _queries(self) -> TablePlan:
        scale = self.d / self._share(self.weight_counts)
        selection = self._threshold(self._share(self.weight_select), self.d)
        artifact = Artifact("query", self.representation)
        return TablePlan(
            artifact,
            "impressions",
            FirstOccurrences(self.d),
            selection,
            DiscreteLaplace(scale),
            clean=self.clean,
        )

    def _edges(self, kind: str, d: int, share: float) -> TablePlan:
        """Clicks or reformulations of shown queries: half of their ε chooses them, unless their candidates
        are public.
        """
        private = kind == "pair" or self.urls == "private"
        half = share / 2 if private else share
        return TablePlan(
            Artifact(kind, self.representation),
            "impressions",
            FirstOccurrences(d),
            self._threshold(half, d) if private else None,
            DiscreteLaplace(d / half),
            PublicResults(self.surfaced) if self.surfaced and kind == "click" else OfShown(),
            clean=self.clean,
        )

    def promise(self) -> Promise:
        tables = [self._queries()]
        if self.weight_clicks:
            tables.append(self._edges("click", self.d_clicks or self.d, self._share(self.weight_clicks)))
        if self.weight_suggestions:
            tables.append(self._edges("pair", self.d, self._share(self.weight_suggestions)))
        covered = self.urls != "top-clicked" or not self.weight_clicks
        published = dp_a(self.epsilon, self.delta, self.d)
        return promise_of(
            tables,
            covered=None if covered else NO_GUARANTEE,
            assumptions=(HONEST_USERS, *((PUBLIC_RESULTS,) if self.surfaced and self.weight_clicks else ())),
            errata=(
                "The paper adds the second case of α to ε. It is not needed: the proof page shows ε = d/b "
                "for the selection.",
                "Noise is on the integers (discrete Laplace); K and δ are those of the discrete tail, never "
                "above what was asked for.",
            ),
            unprotected=(INJECTION, *(() if covered else (TOP_CLICKED,))),
            proof="proofs/korolova.md",
            as_published={
                "K (all ε on the selection)": published.k,
                "b (all ε on the selection)": published.b,
            },
        )
