"""What semantic k-anonymity would release of a log, as numbers and figures: exact facts, for the owner's
eyes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crowdlog.artifacts.semantic.figures import curves_against_k, draw_neighbourhood
from crowdlog.artifacts.semantic.labels import read_labels
from crowdlog.artifacts.semantic.measures import KS, f_beta, mean_user_share, queries_of, released_share
from crowdlog.artifacts.semantic.neighbourhood_figure import neighbourhood_of
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.errors import InputError
from crowdlog.log.size import parse_size
from crowdlog.log.store import LogStore
from crowdlog.types import Floats

SHOWN = 60  # queries in the picture of a neighbourhood


@dataclass(frozen=True)
class ReleasedShares:
    """`queries`: how many can be compared; `released`: for each Θ the share of them released at each k."""

    queries: int
    k: tuple[int, ...]
    released: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class SemanticFigures:
    """Pictures as SVG by file name. They show queries of the log."""

    shares: ReleasedShares
    pictures: Mapping[str, str]

    def __repr__(self) -> str:
        return f"SemanticFigures({', '.join(self.pictures)})"


def semantic_figures(
    log: LogStore,
    *,
    thetas: Sequence[float],
    min_users: int,
    memory: str,
    user: str | None = None,
    labels: Path | None = None,
    around: str | None = None,
) -> SemanticFigures:
    """Shares against k for each Θ; also of one user, F with labels of sensitivity, and a neighbourhood."""
    # from high to low: each helps the next
    ordered = sorted({float(Theta.of(theta)) for theta in thetas}, reverse=True)
    semantics = Semantics(log, min_users, memory=parse_size(memory))
    drawing = _Drawing(log, semantics, ordered)
    compared = semantics.expansion.query
    shares = {theta: released_share(semantics.degrees(theta)[compared]) for theta in ordered}
    pictures = {
        "share.svg": drawing.lines(lambda theta: shares[theta], "share of queries released"),
        "per-user.svg": drawing.lines(
            lambda theta: mean_user_share(semantics.degrees(theta), semantics.users),
            "mean share released of a user",
        ),
    }
    if user is not None:
        pictures |= drawing.of_user(user)
    if labels is not None:
        pictures |= drawing.of_labels(labels)
    if around is not None:
        nodes, edges = neighbourhood_of(semantics, log, ordered[-1], around, SHOWN)
        pictures["neighbourhood.svg"] = draw_neighbourhood(nodes, edges)
    released = {f"{theta:g}": tuple(share.tolist()) for theta, share in shares.items()}
    return SemanticFigures(ReleasedShares(len(compared), tuple(KS), released), pictures)


@dataclass(frozen=True)
class _Drawing:
    log: LogStore
    semantics: Semantics
    thetas: list[float]

    def lines(self, of: Callable[[float], Floats], title: str) -> str:
        """One curve for each Θ."""
        return curves_against_k(
            {"KA" if theta == 1 else f"SKA (Θ = {theta:g})": of(theta) for theta in self.thetas}, title
        )

    def of_user(self, user: str) -> dict[str, str]:
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        number = pc.index(pq.read_table(self.log.users(), columns=["text"])["text"], user).as_py()
        if number < 0:
            raise InputError("The log has no user of the name given with --user.")
        mine = queries_of(self.semantics.users, number)
        drawn = self.lines(
            lambda theta: released_share(self.semantics.degrees(theta)[mine]), "share released of this user"
        )
        return {"user.svg": drawn}

    def of_labels(self, labels: Path) -> dict[str, str]:
        labelled = read_labels(labels, self.log)

        def f(beta: float) -> str:
            return self.lines(
                lambda theta: f_beta(self.semantics.degrees(theta)[labelled.query], labelled.harmless, beta),
                f"F with β = {beta:g}",
            )

        return {f"f-{beta:g}.svg": f(beta) for beta in (1.0, 0.1)}  # Figure 6
