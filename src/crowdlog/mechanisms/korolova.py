"""The query–click graph of Korolova, Kenthapadi, Mishra and Ntoulas 2009: queries, their counts, clicks and reformulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.count import histogram
from crowdlog.errors import InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.counting import HONEST_USERS, INJECTION, add_noise, laplace_sd, select
from crowdlog.mechanisms.edges import Edges, release_edges
from crowdlog.mechanisms.frequency import REPRESENTATION_HELP
from crowdlog.mechanisms.mining import open_mine
from crowdlog.mechanisms.parameters import parameter
from crowdlog.mechanisms.surfaced import read_surfaced
from crowdlog.privacy.accounting import for_ledger, laplace_steps, threshold_steps
from crowdlog.privacy.guarantee import NO_GUARANTEE, compose
from crowdlog.privacy.published import dp_a
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee, smallest_threshold
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

TOP_CLICKED = (
    "Which URLs appear is taken from the clicks themselves, as in the paper's experiment. "
    "The proof does not cover that: one person's click can put a URL into the release."
)
KINDS = {"clicks": "click", "suggestions": "pair"}
KEYS = {"clicks": "clicked URLs", "suggestions": "next queries"}


@dataclass(frozen=True, repr=False)
class Korolova(Mechanism):
    """Keep the first d queries of each user, show queries whose noisy count is above K, publish counts and clicks with fresh noise."""

    title: ClassVar[str] = "Frequent queries with noisy counts and what was clicked for them"
    source: ClassVar[str] = "Korolova, Kenthapadi, Mishra, Ntoulas: Releasing search queries and clicks privately, WWW 2009"

    epsilon: float = parameter("privacy loss of one user, all steps together", above=0)
    delta: float = parameter("probability that the promise may fail", above=0, below=1)
    d: int = parameter("how many queries are kept of each user: her first ones", least=1)
    d_clicks: int | None = parameter("how many clicks are kept of each user; d if left out", default=None, least=1)
    urls: str = parameter(
        "which URLs may appear: 'private' selects them with noise; 'public' takes them from the file in 'surfaced'; "
        "'top-clicked' as the paper's experiment, not private",
        default="private",
        choices=("private", "public", "top-clicked"),
    )
    surfaced: str | None = parameter("for urls='public': a file of lines query TAB url, what the engine shows to anyone", default=None)
    weight_select: float = parameter("share of ε for choosing queries, relative to the other weights", default=3.0, above=0)
    weight_counts: float = parameter("share of ε for the counts of queries", default=1.0, above=0)
    weight_clicks: float = parameter("share of ε for clicks; 0 publishes no clicks", default=2.0, least=0)
    weight_suggestions: float = parameter("share of ε for reformulations (query, next query); 0 publishes none", default=0.0, least=0)
    clean: bool = parameter("set negative counts to 0: costs no privacy", default=True)
    representation: str = parameter(REPRESENTATION_HELP, default="original", choices=REPRESENTATIONS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.urls == "public") != (self.surfaced is not None):
            raise InputError("Korolova needs 'surfaced', a file of public results, exactly when urls='public'.")

    def check_inputs(self) -> None:
        if self.surfaced is not None:
            read_surfaced(self.surfaced)

    def _share(self, weight: float) -> float:
        """This step's part of ε, less a hair so that rounded-up parts never add up to more than ε."""
        total = self.weight_select + self.weight_counts + self.weight_clicks + self.weight_suggestions
        return self.epsilon * (weight / total) * (1 - 1e-12)

    def _selections(self) -> int:
        """How many steps need a part of δ."""
        return 1 + (self.weight_clicks > 0 and self.urls == "private") + (self.weight_suggestions > 0)

    def _threshold(self, epsilon: float, d: int) -> Threshold:
        return smallest_threshold(epsilon, self.delta * 0.999 / self._selections(), d)  # the last thousandth pays for the sampler

    def _queries(self) -> Threshold:
        return self._threshold(self._share(self.weight_select), self.d)

    def _edges(self, which: str) -> Edges | None:
        weight = self.weight_clicks if which == "clicks" else self.weight_suggestions
        if weight == 0:
            return None
        d, share = (self.d_clicks or self.d) if which == "clicks" else self.d, self._share(weight)
        if which == "clicks" and self.urls != "private":
            return Edges(d, None, d / share)
        return Edges(d, self._threshold(share / 2, d), d / (share / 2))

    def promise(self) -> Promise:
        threshold = self._queries()
        chosen = threshold.guarantee()
        guarantees, steps = [chosen], [Step("Bound", f"Keep the first {self.d} queries and {self.d_clicks or self.d} clicks of each user.")]
        steps.append(Step("Select queries", f"Show a query when its count plus noise is above {threshold.K}.", chosen.epsilon, chosen.delta))
        settings: dict[str, Any] = {"K": threshold.K, "b": threshold.scale, "d": self.d}
        scale = self.d / self._share(self.weight_counts)
        counted = laplace_guarantee(self.d, scale)
        guarantees.append(counted)
        settings["count noise scale"] = scale
        steps.append(Step("Count queries", f"Publish counts of shown queries with fresh noise of scale {scale:.4g}.", counted.epsilon, counted.delta))
        accounting = [*threshold_steps(threshold), *laplace_steps(self.d, scale)]
        for which in KINDS:
            edges = self._edges(which)
            if edges:
                accounting += edges.accounting()
                guarantees += edges.guarantees()
                steps += edges.steps(which, KEYS[which])
                settings |= {f"{which} noise scale": edges.scale, **({f"{which} K": edges.threshold.K} if edges.threshold else {})}
        covered = self.urls != "top-clicked" or not self.weight_clicks
        published = dp_a(self.epsilon, self.delta, self.d)
        return Promise(
            compose(guarantees) if covered else NO_GUARANTEE,
            tuple(steps),
            settings,
            assumptions=(HONEST_USERS, *(("The file of surfaced URLs is public and was made without this log.",) if self.surfaced else ())),
            errata=(
                "The paper adds the second case of α to ε. It is not needed: the proof page shows ε = d/b for the selection.",
                "Noise is on the integers (discrete Laplace); K and δ are those of the discrete tail, never above what was asked for.",
            ),
            unprotected=(INJECTION, *(() if covered else (TOP_CLICKED,))),
            accounting=for_ledger(accounting) if covered else (),
            proof="proofs/korolova.md",
            as_published={"K (all ε on the selection)": published.k, "b (all ε on the selection)": published.b},
        )

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        with open_mine(log, self.representation) as mine:
            query = Artifact("query", self.representation)
            counts = histogram(bound.first(mine.artifacts(query), self.d), users=False)
            kept = select(counts.impressions, self._queries(), randomness)
            keys, scale = counts.key[kept], self.d / self._share(self.weight_counts)
            published = add_noise(counts.impressions[kept], scale, randomness, clean=self.clean)
            notes = {"count noise sd": laplace_sd(scale)}
            tables = {"queries": mine.table(query, keys, published)}
            for which, kind in KINDS.items():
                edges = self._edges(which)
                if edges:
                    artifact = Artifact(kind, self.representation)
                    public = (self.surfaced, tables["queries"].select(["query"])) if self.surfaced and which == "clicks" else None
                    tables[artifact.table] = release_edges(mine, artifact, edges, keys, randomness, clean=self.clean, surfaced=public)
                    notes[f"{artifact.table} noise sd"] = laplace_sd(edges.scale)
        return Protected(tables, notes)
