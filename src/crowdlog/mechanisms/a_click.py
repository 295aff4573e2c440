"""A_Click: queries of a public pool with noisy counts and what was clicked for them (Zhang 2017, chapters 3 and 5.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.count import Histogram, histogram
from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, Ints, add_noise, laplace_sd
from crowdlog.mechanisms.edges import Edges, release_edges
from crowdlog.mechanisms.frequency import REPRESENTATION_HELP
from crowdlog.mechanisms.mining import Mine, open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.personal import looks_personal
from crowdlog.mechanisms.pools import NGRAMS, PUBLIC_POOL, positions, read_pool
from crowdlog.mechanisms.surfaced import read_surfaced
from crowdlog.privacy.accounting import Step as AccountedStep
from crowdlog.privacy.accounting import for_ledger, laplace_steps, threshold_steps
from crowdlog.privacy.guarantee import Guarantee, compose
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.published import a_click_epsilon, a_click_turning_point
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee, smallest_threshold
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

ERRATA = (
    "δ = 0 holds only for queries that the pool surely holds: for any other the paper's bound e^(1/b)/p_g is infinite. "
    "Closed mode publishes queries of the pool alone; open mode charges the δ of the others.",
    "The paper drops queries of raw frequency below 5 before the noise. One person can move a count over that bar; here noisy counts are compared.",
    "Table 3.10 of the paper sets b = (4q_f − 1)/ε, which is not its Theorem 1 (3q_f/b); here b follows from ε.",
    "The paper publishes every clicked URL of a query. One may be a person's own: here URLs are selected with noise, or come from a public file.",
)
NO_OVERLAP = "No query of this log is in the pool: a release in closed mode would hold nothing but noise. Another pool or representation may fit."


@dataclass(frozen=True)
class Selection:
    """Show a query when its count plus DiscreteLaplace(scale) is above K."""

    scale: float
    K: int
    guarantee: Guarantee
    accounting: tuple[AccountedStep, ...]

    def pick(self, counts: Ints, randomness: Randomness) -> Ints:
        """The positions of the selected counts. Zero counts get noise too."""
        return np.flatnonzero(counts + DiscreteLaplace(self.scale).draw(len(counts), randomness) > self.K)


@dataclass(frozen=True, repr=False)
class AClick(Mechanism):
    """Give every query of a public pool a noisy count, asked or not; show those above K, with fresh counts and clicks."""

    title: ClassVar[str] = "Queries of a public pool with noisy counts and what was clicked for them"
    source: ClassVar[str] = "Zhang 2017, chapters 3 and 5.1 (A_Click)"

    epsilon: float = parameter("privacy loss of one user, all steps together", above=0)
    q_f: int = parameter("how many queries are kept of each user: her first ones", least=1)
    c_f: int | None = parameter("how many clicks are kept of each user; q_f if left out", default=None, least=1)
    delta: float = parameter(
        "probability that the promise may fail; closed mode spends it on private URLs alone, and without them next to nothing",
        default=1e-9,
        above=0,
        below=1,
    )
    mode: str = parameter(
        "'closed' publishes queries of the pool alone; 'open' others too, for a part of δ", default="closed", choices=("closed", "open")
    )
    pool: str = parameter(f"'{NGRAMS}': frequent English words and word pairs; or a file with one public query a line", default=NGRAMS)
    K: int | None = parameter("threshold of the noisy count; if left out, what 'invented' needs (open mode: and δ)", default=None, least=0)
    invented: float = parameter("how many queries of the pool that nobody asked may be shown, on average", default=0.1, above=0)
    least_count: int = parameter("queries whose published count is below this are left out", default=5, least=0)  # τ, Zhang §3.3
    urls: str = parameter(
        "which URLs may appear: 'private' selects them with noise; 'public' takes them from the file in 'surfaced'",
        default="private",
        choices=("private", "public"),
    )
    surfaced: str | None = parameter("for urls='public': a file of lines query TAB url, what the engine shows to anyone", default=None)
    weight_select: float = parameter("share of ε for choosing queries, relative to the other weights", default=3.0, above=0)
    weight_counts: float = parameter("share of ε for the counts of queries", default=1.0, above=0)
    weight_clicks: float = parameter("share of ε for clicks; 0 publishes no clicks", default=2.0, least=0)
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.urls == "public") != (self.surfaced is not None):
            raise InputError("AClick needs 'surfaced', a file of public results, exactly when urls='public'.")

    @property
    def d(self) -> int:
        """The most that one user adds to one table."""
        return max(self.q_f, self.c_f or self.q_f)

    def check_inputs(self) -> None:
        read_pool(self.pool, self.representation)
        if self.surfaced is not None:
            read_surfaced(self.surfaced)

    def advice(self, log: LogStore) -> tuple[str, ...]:
        if self.mode == "open":
            return ()
        with open_mine(log, self.representation) as mine:
            return (NO_OVERLAP,) if positions(mine, read_pool(self.pool, self.representation)).max(initial=-1) < 0 else ()

    def _share(self, weight: float) -> float:
        """This step's part of ε, less a hair so that rounded-up parts never add up to more than ε."""
        return self.epsilon * (weight / (self.weight_select + self.weight_counts + self.weight_clicks)) * (1 - 1e-12)

    def _threshold(self, epsilon: float, d: int) -> Threshold:
        selections = (self.mode == "open") + (self.weight_clicks > 0 and self.urls == "private")
        return smallest_threshold(epsilon, self.delta * 0.999 / selections, d)  # the last thousandth pays for the sampler

    def selection(self, pool_size: int) -> Selection:
        """Closed: K is a matter of use, every key has noise in both logs. Open: K keeps δ for what is not in the pool."""
        share = self._share(self.weight_select)
        scale = self.q_f / share
        quiet = max(0, math.ceil(scale * math.log(pool_size / self.invented)) - 1)  # P(Z > K) ≤ e^(−(K+1)/scale)
        if self.mode == "closed":
            return Selection(scale, quiet if self.K is None else self.K, laplace_guarantee(self.q_f, scale), laplace_steps(self.q_f, scale))
        smallest = self._threshold(share, self.q_f)
        if self.K is not None and smallest.K > self.K:
            raise InputError(f"The 'K' parameter of AClick must be at least {smallest.K} in open mode for this ε and δ. Got {self.K}.")
        threshold = Threshold(smallest.scale, max(smallest.K, quiet) if self.K is None else self.K, self.q_f)
        return Selection(threshold.scale, threshold.K, threshold.guarantee(), threshold_steps(threshold))

    def clicks_part(self) -> Edges | None:
        if self.weight_clicks == 0:
            return None
        d, share = self.c_f or self.q_f, self._share(self.weight_clicks)
        return Edges(d, None, d / share) if self.surfaced else Edges(d, self._threshold(share / 2, d), d / (share / 2))

    def promise(self) -> Promise:
        pool_size, clicks = len(read_pool(self.pool, self.representation)), self.clicks_part()
        selection, scale = self.selection(pool_size), self.q_f / self._share(self.weight_counts)
        chosen, counted = selection.guarantee, laplace_guarantee(self.q_f, scale)
        what = f"the pool's {pool_size} queries" + (" and the log's others" if self.mode == "open" else "")
        steps = [
            Step("Bound", f"Keep the first {self.q_f} queries and {self.c_f or self.q_f} clicks of each user."),
            Step("Select queries", f"Of {what}, show those whose count plus noise is above {selection.K}.", chosen.epsilon, chosen.delta),
            Step("Clean", "Leave out what looks like an e-mail address, telephone or social security number."),
            Step(
                "Count queries",
                f"Publish counts with fresh noise of scale {scale:.4g}, if at least {self.least_count}.",
                counted.epsilon,
                counted.delta,
            ),
            *(clicks.steps("clicks", "clicked URLs") if clicks else ()),
        ]
        settings = {"K": selection.K, "b": selection.scale, "d": self.q_f, "count noise scale": scale, "pool size": pool_size}
        if clicks:
            settings |= {"clicks noise scale": clicks.scale, **({"clicks K": clicks.threshold.K} if clicks.threshold else {})}
        files = ("The file of surfaced URLs is public and was made without this log.",) if self.surfaced else ()
        clicks_scale = clicks.scale if clicks else math.inf
        return Promise(
            compose([chosen, counted, *(clicks.guarantees() if clicks else ())]),
            tuple(steps),
            settings,
            assumptions=(HONEST_USERS, PUBLIC_POOL, *files),
            errata=ERRATA,
            unprotected=(INJECTION,) if self.mode == "open" or (clicks and clicks.threshold) else (),
            accounting=for_ledger([*selection.accounting, *laplace_steps(self.q_f, scale), *(clicks.accounting() if clicks else ())]),
            proof="proofs/a-click.md",
            as_published={
                "ε for p_g = 1": a_click_epsilon(self.q_f, self.c_f or self.q_f, selection.scale, selection.K, scale, clicks_scale),
                "turning point K": a_click_turning_point(selection.scale),
            },
        )

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        import pyarrow as pa

        pool, query, clicks = read_pool(self.pool, self.representation), Artifact("query", self.representation), self.clicks_part()
        scale = self.q_f / self._share(self.weight_counts)
        with open_mine(log, self.representation) as mine:
            counts = histogram(bound.first(mine.artifacts(query), self.q_f), users=False)
            texts, ids, true = self._select(mine, pool, counts, randomness)
            published = add_noise(true, scale, randomness, clean=False)
            enough = published >= self.least_count  # looks at the published number only
            table = _query_table(texts.filter(pa.array(enough)), published[enough])
            tables, notes = {"queries": table}, {"count noise sd": laplace_sd(scale)}
            if clicks:
                public = (self.surfaced, table.select(["query"])) if self.surfaced else None
                artifact = Artifact("click", self.representation)
                tables["clicks"] = release_edges(mine, artifact, clicks, ids[enough], randomness, clean=True, surfaced=public)
                notes["clicks noise sd"] = laplace_sd(clicks.scale)
        return Protected(tables, notes)

    def _select(self, mine: Mine, pool: pa.StringArray, counts: Histogram, randomness: Randomness) -> tuple[pa.StringArray, Ints, Ints]:
        """Text, query id in the log (−1 for none) and true count of each selected query that does not look personal."""
        import pyarrow as pa

        selection, place = self.selection(len(pool)), positions(mine, pool)
        ids, true = np.full(len(pool), -1, np.int64), np.zeros(len(pool), np.int64)
        ids[place[place >= 0]] = np.flatnonzero(place >= 0)
        asked = place[counts.key]
        true[asked[asked >= 0]] = counts.impressions[asked >= 0]
        chosen = selection.pick(true, randomness)
        texts, ids, true = pool.take(pa.array(chosen, pa.int64())), ids[chosen], true[chosen]
        if self.mode == "open":
            others, other_counts = counts.key[asked < 0], counts.impressions[asked < 0]
            chosen = selection.pick(other_counts, randomness)
            texts = pa.concat_arrays([texts, mine.query_texts(others[chosen])])
            ids, true = np.append(ids, others[chosen]), np.append(true, other_counts[chosen])
        kept = ~looks_personal(texts)
        return texts.filter(pa.array(kept)), ids[kept], true[kept]


def _query_table(texts: pa.StringArray, counts: Ints) -> pa.Table:
    import pyarrow as pa

    return pa.table({"query": texts, "count": counts}).sort_by([("count", "descending"), ("query", "ascending")])
