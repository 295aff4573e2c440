"""crowdlog compare: many mechanisms on one log, on one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.comparison import ATTACKS, UTILITY
from crowdlog.errors import InputError, Stopped
from crowdlog.files.private import private_files
from crowdlog.number_format import percent

if TYPE_CHECKING:
    from crowdlog.comparison.comparison import Comparison

_path = click.Path(path_type=Path)


@click.command("compare")
@click.argument("store", type=_path)
@click.argument("mechanisms", nargs=-1, required=True, metavar="MECHANISM...")
@click.option(
    "-o",
    "--out",
    required=True,
    type=_path,
    help="The report to write, an .html file. Results go beside it as .json and .parquet.",
)
@click.option(
    "--on", default=",".join(UTILITY), show_default=True, help="Utility, as for 'crowdlog score'; or 'all'."
)
@click.option(
    "--with",
    "attacks",
    default=",".join(ATTACKS),
    show_default=True,
    help="Attacks, as for 'crowdlog attack'; 'all', or 'none'.",
)
@click.option(
    "--seeds", default=3, show_default=True, help="How many trials with different noise of each mechanism."
)
@click.option(
    "--topics",
    type=_path,
    help="What was lost by topic: a file of lines QUERY<tab>TOPIC, as 'crowdlog synth --labels' writes.",
)
@click.option(
    "--tree",
    default="wordnet",
    show_default=True,
    help="The tree of categories of measures and attacks by interests: 'wordnet', or a file of paths.",
)
@click.option(
    "--labels",
    type=_path,
    help="Which queries are sensitive: the file that 'crowdlog synth --labels' writes. Default: by the tree.",
)
@click.option(
    "--target-pel",
    default=0.4,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Which mean exposure of profiles is low enough: the smallest k that keeps it is printed.",
)
@click.option("--jobs", default=2, show_default=True, help="How many trials at a time.")
@click.option("--title", default="Mechanisms compared", show_default=True, help="Title of the report.")
@click.option("--logo", type=click.Path(path_type=Path), help="A picture above the title (.png, .jpg, .svg).")
@json_option
def command(
    store: Path,
    mechanisms: tuple[str, ...],
    out: Path,
    on: str,
    attacks: str,
    seeds: int,
    topics: Path | None,
    tree: str,
    labels: Path | None,
    target_pel: float,
    jobs: int,
    title: str,
    logo: Path | None,
    as_json: bool,
) -> None:
    """Try each MECHANISM on the log in STORE, measure what it is good for and what it gives away, and write
    one page for the owner.

    A list of values stands for a mechanism with each of them. Publishes nothing and charges nothing.
    Results are kept beside the report: a run that was stopped goes on where it was.

    \b
    Example: crowdlog compare STORE 'Korolova(epsilon=[1, 2, 4], delta=1e-6, d=5)' 'FTu(k=5)' -o REPORT.html
    """
    from crowdlog.attacks import ATTACKS
    from crowdlog.comparison import compare
    from crowdlog.utility.registry import MEASURES

    if out.suffix != ".html":
        raise InputError(f"The report must be an .html file. Got {out}.")
    chosen = {"utility": _names(on, list(MEASURES)), "attacks": _names(attacks, list(ATTACKS))}
    try:
        with private_files():  # exact facts about the log
            found = compare(
                store,
                mechanisms,
                **chosen,
                seeds=seeds,
                topics=topics,
                tree=tree,
                labels=labels,
                cache=out.with_suffix(".cache"),
                jobs=jobs,
            )
            found.plot(out, title=title, logo=logo)
    except KeyboardInterrupt:
        raise Stopped("stopped. What is done is kept: run the same command again to go on.") from None
    if as_json:
        show_json(found.points)
    else:
        _tell(found, out, target_pel)
    if found.failures:
        first, trials = next(iter(found.failures.values())), len(found.grid.runs())
        raise type(first)(
            f"{len(found.failures)} of {trials} trials failed; {out} shows the others and lists them. "
            f"The first: {first}"
        )


def _tell(found: Comparison, out: Path, target_pel: float) -> None:
    from crowdlog.comparison.against_k import suggested_k

    click.echo(
        f"{out}: {len(found.grid.mechanisms)} mechanisms, seeds 1 to {found.grid.seeds}. "
        "It shows private facts about the log: do not publish it."
    )
    for method, k in suggested_k(found, target_pel).items():
        which = "no k that was tried" if k is None else f"k = {k}"
        click.echo(f"Mean exposure of profiles at most {percent(target_pel)}: {method}, {which}.")


def _names(text: str, everything: list[str]) -> list[str]:
    """A list separated by commas; 'all' or 'none'."""
    if text in ("all", "none"):
        return everything if text == "all" else []
    return [part.strip() for part in text.split(",") if part.strip()]
