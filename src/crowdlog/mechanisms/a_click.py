"""A_Click: queries of a public pool with noisy counts and what was clicked for them (Zhang 2017, chapters 3
and 5.1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import NGRAMS, PUBLIC_POOL, read_pool, read_surfaced
from crowdlog.errors import InputError
from crowdlog.mechanisms import shared
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import BOUND, DELTA, POOL, THRESHOLD, free, parameter
from crowdlog.mechanisms.pii_patterns import looks_personal
from crowdlog.mechanisms.shared import HONEST_USERS, INJECTION, PUBLIC_RESULTS, SAMPLER_SHARE
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.plan.candidates import OfShown, Pool, PublicResults
from crowdlog.plan.decide import Kept
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.published import a_click_epsilon, a_click_turning_point
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.thresholds import Threshold, smallest_threshold
from crowdlog.release.promise import Promise, Step, promise_of

if TYPE_CHECKING:
    from crowdlog.engine.log_source import LogSource
    from crowdlog.log.store import LogStore

ERRATA = (
    "δ = 0 holds only for queries that the pool surely holds: for any other the paper's bound e^(1/b)/p_g is "
    "infinite. "
    "Closed mode publishes queries of the pool alone; open mode charges the δ of the others.",
    "The paper drops queries of raw frequency below 5 before the noise. "
    "One person can move a count over that bar; here noisy counts are compared.",
    "Table 3.10 of the paper sets b = (4q_f − 1)/ε, which is not its Theorem 1 (3q_f/b); "
    "here b follows from ε.",
)
PRIVATE_URLS = (
    "The paper publishes every clicked URL of a query. One may be a person's own: here URLs are selected "
    "with noise, or come from a public file."
)
NO_OVERLAP = (
    "No query of this log is in the pool: a release in closed mode would hold nothing but noise. "
    "Another pool or representation may fit."
)


@dataclass(frozen=True, repr=False)
class AClick(Mechanism):
    """Give every query of a public pool a noisy count, asked or not; show those above K, with fresh counts
    and clicks.
    """

    title: ClassVar[str] = "Queries of a public pool with noisy counts and what was clicked for them"
    example: ClassVar[str] = "AClick(epsilon=2.3, q_f=5)"
    source: ClassVar[str] = "Zhang 2017, chapters 3 and 5.1 (A_Click)"
    formula: ClassVar[str] = (
        "show q ∈ pool if M(q) + DL(q_f/ε₁) > K; publish M(q) + DL(q_f/ε₂); clicks as Korolova"
    )
    whole_log: ClassVar[str] = (
        "it gives noise to every query of a pool, asked or not, and keeps each person's first queries in the "
        "order of time"
    )

    epsilon: float = shared.epsilon()
    q_f: int = parameter("how many queries are kept of each user: her first ones", least=1, role=BOUND)
    c_f: int | None = parameter(
        "how many clicks are kept of each user; q_f if left out", default=None, least=1, role=BOUND
    )
    delta: float = parameter(
        "probability that the promise may fail; closed mode spends it on private URLs alone, and without "
        "them next to nothing",
        default=1e-9,
        above=0,
        below=1,
        role=DELTA,
    )
    mode: str = parameter(
        "'closed' publishes queries of the pool alone; 'open' others too, for a part of δ",
        default="closed",
        choices=("closed", "open"),
    )
    pool: str = parameter(
        f"'{NGRAMS}': frequent English words and word pairs; or a file with one public query a line",
        default=NGRAMS,
        role=POOL,
    )
    K: int | None = parameter(
        "threshold of the noisy count; if left out, what 'invented' needs (open mode: and δ)",
        default=None,
        least=0,
        role=THRESHOLD,
    )
    invented: float = parameter(
        "how many queries of the pool that nobody asked may be shown, on average",
        default=0.1,
        above=0,
        role=free(1e9),
    )
    # τ, Zhang §3.3
    least_count: int = parameter(
        "queries whose published count is below this are left out", default=5, least=0, role=free(0)
    )
    urls: str = parameter(
        "which URLs may appear: 'private' selects them with noise; "
        "'public' takes them from the file in 'surfaced'",
        default="private",
        choices=("private", "public"),
    )
    surfaced: str | None = shared.surfaced()
    weight_select: float = shared.weight_select()
    weight_counts: float = shared.weight_counts()
    weight_clicks: float = shared.weight_clicks()
    representation: str = shared.representation()

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.urls == "public") != (self.surfaced is not None):
            raise InputError("AClick needs 'surfaced', a file of public results, exactly when urls='public'.")

    def check_inputs(self) -> None:
        read_pool(self.pool, self.representation)
        if self.surfaced is not None:
            read_surfaced(self.surfaced, self.representation)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        if self.mode == "open":
            return ()
        with self.open(log) as source:
            inside = source.places(read_pool(self.pool, self.representation))
        return (NO_OVERLAP,) if inside.max(initial=-1) < 0 else ()

    def _share(self, weight: float) -> float:
        """This step's part of ε."""
        return (
            self.epsilon
            * (weight / (self.weight_select + self.weight_counts + self.weight_clicks))
            * ROOM_BELOW
        )

    def _threshold(self, epsilon: float, d: int) -> Threshold:
        selections = (self.mode == "open") + (self.weight_clicks > 0 and self.urls == "private")
        return smallest_threshold(epsilon, self.delta * SAMPLER_SHARE / selections, d)

    def _selection(self, pool_size: int) -> NoisyThreshold:
        """Closed: K is a matter of use, every key has noise in both logs.

        Open: K keeps δ for what is not in the pool.
        """
        share = self._share(self.weight_select)
        scale = self.q_f / share
        # P(Z > K) ≤ e^(−(K+1)/scale)
        quiet = max(0, math.ceil(scale * math.log(pool_size / self.invented)) - 1)
        if self.mode == "closed":
            return NoisyThreshold(scale, quiet if self.K is None else self.K, self.q_f, public=True)
        smallest = self._threshold(share, self.q_f)
        if self.K is not None and smallest.K > self.K:
            raise InputError(
                f"The 'K' parameter of AClick must be at least {smallest.K} in open mode for this ε and δ. "
                f"Got {self.K}."
            )
        return NoisyThreshold(smallest.scale, max(smallest.K, quiet) if self.K is None else self.K, self.q_f)

    def _queries(self) -> TablePlan:
        size = len(read_pool(self.pool, self.representation))
        return TablePlan(
            Artifact("query", self.representation),
            "impressions",
            FirstOccurrences(self.q_f),
            self._selection(size),
            DiscreteLaplace(self.q_f / self._share(self.weight_counts)),
            Pool(self.pool, size, others=self.mode == "open"),
            clean=False,
            least=self.least_count,
        )

    def _clicks(self) -> TablePlan:
        d, share = self.c_f or self.q_f, self._share(self.weight_clicks)
        half = share if self.surfaced else share / 2
        return TablePlan(
            Artifact("click", self.representation),
            "impressions",
            FirstOccurrences(d),
            None if self.surfaced else NoisyThreshold.of(self._threshold(half, d)),
            DiscreteLaplace(d / half),
            PublicResults(self.surfaced, self.pool) if self.surfaced else OfShown(),
        )

    def promise(self) -> Promise:
        queries = self._queries()
        tables = [queries, *([self._clicks()] if self.weight_clicks else [])]
        files = (PUBLIC_RESULTS,) if self.surfaced and self.weight_clicks else ()
        private = self.mode == "open" or any(isinstance(plan.candidates, OfShown) for plan in tables)
        scales = [plan.noise.scale for plan in tables if isinstance(plan.noise, DiscreteLaplace)]
        selection: Any = queries.selection
        pattern = Step(
            "Clean",
            "Leave out queries that look like an e-mail address, telephone or social security number.",
        )
        return promise_of(
            tables,
            first=(pattern,),
            numbers={"pool size": len(read_pool(self.pool, self.representation))},
            assumptions=(HONEST_USERS, PUBLIC_POOL, *files),
            errata=(*ERRATA, *((PRIVATE_URLS,) if self.weight_clicks else ())),
            unprotected=(INJECTION,) if private else (),
            proof="proofs/a-click.md",
            as_published={
                "ε for p_g = 1": a_click_epsilon(
                    self.q_f,
                    self.c_f or self.q_f,
                    selection.scale,
                    selection.K,
                    scales[0],
                    scales[1] if len(scales) > 1 else math.inf,
                ),
                "turning point K": a_click_turning_point(selection.scale),
            },
        )

    def name(self, source: LogSource, kept: Mapping[str, Kept]) -> dict[str, Any]:
        """Without queries that look personal, and what was clicked for them: that depends on their texts
        alone.
        """
        import pyarrow as pa

        tables = super().name(source, kept)
        return {
            name: table.filter(pa.array(~looks_personal(table["query"]))) for name, table in tables.items()
        }
