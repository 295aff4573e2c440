"""crowdlog semantic: what semantic k-anonymity would release of a log, as figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.artifacts.semantic.semantics import Semantics
    from crowdlog.log.store import LogStore

_SHOWN = 60  # queries in the picture of a neighbourhood


@click.command("semantic")
@click.argument("store")
@click.option(
    "-o",
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for the figures; made if it is not there.",
)
@click.option(
    "--theta",
    "thetas",
    multiple=True,
    type=float,
    default=(1.0, 0.9, 0.8),
    show_default=True,
    help="Affinity threshold; may be repeated.",
)
@click.option(
    "--min-users",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="Users a word or phrase needs to be a concept.",
)
@click.option("--user", help="Also the share released of this user, as the log names her.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    help="Sensitivity of queries (query, topic, sensitive 0 or 1), as 'crowdlog synth --labels' writes them.",
)
@click.option("--around", help="Also a picture of this query's neighbourhood at the lowest Θ below 1.")
@click.option(
    "--memory",
    default="6GB",
    show_default=True,
    help="What a graph may take before it moves to temporary files.",
)
@json_option
def command(
    store: str,
    out: Path,
    thetas: tuple[float, ...],
    min_users: int,
    user: str | None,
    labels: Path | None,
    around: str | None,
    memory: str,
    as_json: bool,
) -> None:
    """Draw the share of queries that k-anonymity releases against k and Θ. The figures are exact facts about the log: for the owner's eyes.

    \b
    Example: crowdlog semantic STORE -o figures --theta 1 --theta 0.9
    """
    from crowdlog.artifacts.semantic.semantics import Semantics
    from crowdlog.artifacts.semantic.theta import Theta
    from crowdlog.log.size import parse_size
    from crowdlog.log.store import LogStore

    # from high to low: each helps the next
    ordered = sorted({float(Theta.of(theta)) for theta in thetas}, reverse=True)
    log = LogStore.open(store)
    semantics = Semantics(log, min_users, memory=parse_size(memory))
    out.mkdir(parents=True, exist_ok=True)
    shares = _draw_shares(semantics, ordered, out)
    if user is not None:
        _draw_user(semantics, log, ordered, user, out)
    if labels is not None:
        _draw_labels(semantics, log, ordered, labels, out)
    if around is not None:
        _draw_around(semantics, log, ordered[-1], around, out)
    if as_json:
        show_json(shares)
        return
    for theta, row in shares["released"].items():
        click.echo(
            f"Θ = {theta}: "
            + ", ".join(f"k = {k}: {share:.1%}" for k, share in zip(shares["k"], row, strict=True))
        )
    click.echo(f"Shares are of the {shares['queries']:,} queries that can be compared. Figures are in {out}.")


def _name(theta: float) -> str:
    return "KA" if theta == 1 else f"SKA (Θ = {theta:g})"


def _draw_shares(semantics: Semantics, thetas: list[float], out: Path) -> dict[str, Any]:
    from crowdlog.artifacts.semantic.figures import curves_against_k
    from crowdlog.artifacts.semantic.measures import KS, mean_user_share, released_share

    compared = semantics.expansion.query
    shares = {theta: released_share(semantics.degrees(theta)[compared]) for theta in thetas}
    per_user = {_name(theta): mean_user_share(semantics.degrees(theta), semantics.users) for theta in thetas}
    (out / "share.svg").write_text(
        curves_against_k({_name(t): s for t, s in shares.items()}, "share of queries released"),
        encoding="utf-8",
    )
    (out / "per-user.svg").write_text(
        curves_against_k(per_user, "mean share released of a user"), encoding="utf-8"
    )
    return {
        "queries": len(compared),
        "k": list(KS),
        "released": {f"{theta:g}": share.tolist() for theta, share in shares.items()},
    }


def _draw_user(semantics: Semantics, log: LogStore, thetas: list[float], user: str, out: Path) -> None:
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from crowdlog.artifacts.semantic.figures import curves_against_k
    from crowdlog.artifacts.semantic.measures import queries_of, released_share

    number = pc.index(pq.read_table(log.users(), columns=["text"])["text"], user).as_py()
    if number < 0:
        raise InputError("The log has no user of the name given with --user.")
    mine = queries_of(semantics.users, number)
    lines = {_name(theta): released_share(semantics.degrees(theta)[mine]) for theta in thetas}
    (out / "user.svg").write_text(curves_against_k(lines, "share released of this user"), encoding="utf-8")


def _draw_labels(semantics: Semantics, log: LogStore, thetas: list[float], labels: Path, out: Path) -> None:
    from crowdlog.artifacts.semantic.figures import curves_against_k
    from crowdlog.artifacts.semantic.labels import read_labels
    from crowdlog.artifacts.semantic.measures import f_beta

    labelled = read_labels(labels, log)
    for beta in (1.0, 0.1):  # Figure 6
        lines = {
            _name(t): f_beta(semantics.degrees(t)[labelled.query], labelled.harmless, beta) for t in thetas
        }
        (out / f"f-{beta:g}.svg").write_text(
            curves_against_k(lines, f"F with β = {beta:g}"), encoding="utf-8"
        )


def _draw_around(semantics: Semantics, log: LogStore, theta: float, query: str, out: Path) -> None:
    from crowdlog.artifacts.semantic.figures import draw_neighbourhood
    from crowdlog.artifacts.semantic.neighbourhood_figure import neighbourhood_of

    nodes, edges = neighbourhood_of(semantics, log, theta, query, _SHOWN)
    (out / "neighbourhood.svg").write_text(draw_neighbourhood(nodes, edges), encoding="utf-8")
