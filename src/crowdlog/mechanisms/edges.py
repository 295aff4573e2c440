"""Keys chosen by a noisy threshold and published with fresh noise: clicks or reformulations of shown queries, sequences of sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.engine import bound
from crowdlog.engine.count import histogram
from crowdlog.engine.mine import unpack
from crowdlog.mechanisms.counting import Ints, add_noise, select
from crowdlog.mechanisms.surfaced import surfaced_clicks
from crowdlog.privacy.accounting import Step as AccountedStep
from crowdlog.privacy.accounting import laplace_steps, threshold_steps
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.thresholds import Threshold, laplace_guarantee
from crowdlog.release.promise import Step

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.artifacts.kinds import Artifact
    from crowdlog.mechanisms.mining import Mine
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class Edges:
    """How counts that one user moves by at most d are released."""

    d: int
    threshold: Threshold | None  # None: the candidates are public, only counts are noised
    scale: float

    def guarantees(self) -> list[Guarantee]:
        chosen = [self.threshold.guarantee()] if self.threshold else []
        return [*chosen, laplace_guarantee(self.d, self.scale)]

    def accounting(self) -> tuple[AccountedStep, ...]:
        """What tight composition needs."""
        return (*(threshold_steps(self.threshold) if self.threshold else ()), *laplace_steps(self.d, self.scale))

    def steps(self, which: str, what: str) -> list[Step]:
        """The steps of a promise: `which` names the table, `what` its keys."""
        parts, steps = self.guarantees(), []
        if self.threshold is not None:
            rule = f"Show {what} whose count plus noise is above {self.threshold.K}."
            steps.append(Step(f"Select {which}", rule, parts[0].epsilon, parts[0].delta))
        steps.append(Step(f"Count {which}", f"Publish their counts with fresh noise of scale {self.scale:.4g}.", parts[-1].epsilon, parts[-1].delta))
        return steps

    def publish(self, counts: Ints, randomness: Randomness, *, clean: bool) -> tuple[Ints, Ints]:
        """Which keys are shown (their positions) and their noisy counts."""
        shown = np.arange(len(counts)) if self.threshold is None else np.flatnonzero(select(counts, self.threshold, randomness))
        return shown, add_noise(counts[shown], self.scale, randomness, clean=clean)


def release_edges(
    mine: Mine, artifact: Artifact, edges: Edges, shown: Ints, randomness: Randomness, *, clean: bool, surfaced: tuple[str, pa.Table] | None = None
) -> pa.Table:
    """Counts of (query, url) or (query, next query) whose queries are shown already.

    `surfaced`: the file of public results and the table of all shown queries; every public result of theirs gets a row.
    """
    counts = histogram(bound.first(mine.artifacts(artifact), edges.d), users=False)
    query, other = unpack(counts.key)
    candidate = np.isin(query, shown)
    if artifact.kind == "pair":
        candidate &= np.isin(other, shown)
    keys, true = counts.key[candidate], counts.impressions[candidate]
    if surfaced is not None:
        path, queries = surfaced
        return surfaced_clicks(mine, path, queries, keys, true, lambda clicks: add_noise(clicks, edges.scale, randomness, clean=clean))
    chosen, published = edges.publish(true, randomness, clean=clean)
    return mine.table(artifact, keys[chosen], published)
