"""`crowdlog score`: what a release is good for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crowdlog.cli.engine import engine_option
from crowdlog.cli.output import show_json
from crowdlog.cli.texts import PATH, texts_of
from crowdlog.errors import InputError
from crowdlog.number_format import decimal
from crowdlog.utility.registry import MEASURES

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.log.store import LogStore
    from crowdlog.utility.score import Score


@click.command("score")
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--truth", required=True, type=click.Path(path_type=Path), help="The log store the release was made from."
)
@click.option(
    "--test",
    type=click.Path(path_type=Path),
    help="A store of other people's events to test the retrieval tasks on. Default: one fold of the truth.",
)
@click.option(
    "--on",
    default="",
    help=f"Measures, separated by commas: {', '.join(MEASURES)}; or parts: adhoc:nDCG@10.",
)
@click.option(
    "--by",
    type=click.Choice(["user", "row"]),
    default="user",
    help="Fold by user (nobody on both sides) or by row, as the published studies did.",
)
@click.option("--folds", default=5, help="Into how many parts the truth is split.")
@click.option("--fold", default="0", help="The fold to test on, or 'all'.")
@click.option("--sample", default=10_000, help="At most so many topics for each task; 0 for all.")
@click.option("--seed", default=0, help="Fixes the folds, samples and intervals.")
@click.option("--session-minutes", default=26, help="A longer pause ends a session.")
@click.option(
    "--prefix", multiple=True, help="A prefix for the pattern study, such as 'fear of'. May be repeated."
)
@click.option("--prefix-file", type=PATH, help="Prefixes by file, one on each line: a command line is seen.")
@click.option(
    "--concept",
    multiple=True,
    help="A concept for keywords, such as 'shoes=shoes.com,zappos.com'. May be repeated.",
)
@click.option("--concept-file", type=PATH, help="Concepts by file, one on each line.")
@click.option(
    "--fewest-clicks",
    default=10,
    show_default=True,
    help="Keywords: rarer pairs of query and URL are left out, of the log too.",
)
@click.option(
    "--site-classes",
    type=click.Path(path_type=Path),
    help="A file of lines URL<tab>class, to judge the clusters of websites by.",
)
@click.option(
    "--tree",
    default="wordnet",
    show_default=True,
    help="The tree of categories that srp, il and top go by: 'wordnet', or a file of paths.",
)
@engine_option
@click.option("--other-log", is_flag=True, help="Measure against a log the release was not made from.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    release: Path,
    truth: Path,
    test: Path | None,
    on: str,
    engine: OpenEngine | None,
    other_log: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Measure what a release is good for, against the log it came from.

    \b
    Example: crowdlog score OUT --truth STORE --on coverage,adhoc:nDCG@10
    """
    from crowdlog.log.store import LogStore
    from crowdlog.release.folder import Release
    from crowdlog.utility.registry import score

    selections = [part.strip() for part in on.split(",") if part.strip()]
    held_out = LogStore.open(test) if test else None
    log, settings = LogStore.open(truth), _settings(**options)
    there = None if engine is None else _coverage_there(release, log, engine, selections, settings, other_log)
    scores = there or score(
        Release.open(release), log, on=selections, test=held_out, settings=settings, other_log=other_log
    )
    if as_json:
        show_json([entry.as_dict() for entry in scores])
    else:
        click.echo(_table(scores, held_out=test is not None))


def _coverage_there(
    release: Path,
    log: LogStore,
    engine: OpenEngine,
    selections: list[str],
    settings: Any,
    other_log: bool,
) -> list[Score] | None:
    """Coverage, counted where the log is; None where that is here."""
    from crowdlog.engine.choice import counts_elsewhere
    from crowdlog.release.folder import Release
    from crowdlog.utility.coverage_there import coverage_there

    if not counts_elsewhere(engine):
        return None
    if selections != ["coverage"]:
        raise InputError("Spark measures coverage alone: add --on coverage, or leave out --engine.")
    with engine(log) as opened:
        there: Any = opened
        return coverage_there(Release.open(release), log, there, settings, other_log=other_log)


def _settings(
    *,
    fold: str,
    prefix: Sequence[str],
    prefix_file: Path | None,
    concept: Sequence[str],
    concept_file: Path | None,
    site_classes: Path | None,
    sample: int,
    **others: Any,
) -> Any:
    from crowdlog.utility.context import MeasureSettings

    if fold != "all" and not fold.isdecimal():
        raise InputError(f"--fold must be a number or 'all'. Got '{fold}'.")
    if sample < 0:
        raise InputError(f"--sample must be at least 0. Got {sample}.")
    return MeasureSettings(
        fold=None if fold == "all" else int(fold),
        prefixes=texts_of(prefix, prefix_file),
        concepts=dict(map(_concept, texts_of(concept, concept_file))) or None,
        site_classes=_site_classes(site_classes) if site_classes else None,
        sample=sample,
        **others,
    )


def _concept(text: str) -> tuple[str, list[str]]:
    name, equals, sites = text.partition("=")
    if not (name and equals and sites):
        raise InputError(
            "A concept must look like 'shoes=shoes.com,zappos.com'. One of those given does not."
        )
    return name, sites.split(",")


def _site_classes(path: Path) -> dict[str, str]:
    from crowdlog.artifacts.query_file import read_query_file

    lines = read_query_file(path, "file of site classes", {"url": "a URL", "class": "a class"})
    return dict(zip(lines["url"].to_pylist(), lines["class"].to_pylist(), strict=True))


NOTES = (
    "original: the log's own score on what it can answer.",
    "common: what both can answer, then both scores there and the p-value of a two-tailed paired t-test.",
)
NOT_CLEAN = (
    "The release was made with the people it is tested on; the original was not.",
    "For a clean test make a release of one part of the log and give the other part as --test.",
)


def _table(scores: Sequence[Score], *, held_out: bool) -> str:
    """One line per score; for tasks also the original log's score, both on what both answer, the t-test."""
    tasks = any("asked" in entry.details for entry in scores)
    head = f"{'measure':<40}{'value':>8}  {'95 % interval':<18}{'evaluated':>10}"
    if tasks:
        head += f"{'original':>10}{'evaluated':>11}{'common':>9}{'release':>9}{'original':>10}{'p':>9}"
    told = dict.fromkeys(
        entry.details[key] for entry in scores for key in ("compared", "left_out") if key in entry.details
    )
    notes = (*((*NOTES, *(() if held_out else NOT_CLEAN)) if tasks else ()), *told)
    return "\n".join([head, *map(_line, scores), *([""] if notes else []), *notes])


def _line(entry: Score) -> str:
    low_high = f"[{decimal(entry.interval[0])}, {decimal(entry.interval[1])}]" if entry.interval else ""
    line = f"{entry.name:<40}{_number(entry.value, 8)}  {low_high:<18}{entry.evaluated:>10,}"
    found = entry.details
    if "asked" not in found:
        return line.rstrip()
    own = f"{_number(found['original'], 10)}{found['original_evaluated']:>11,}"
    released, original = found["released_on_common"], found["original_on_common"]
    common = f"{found['common']:>9,}{_number(released, 9)}{_number(original, 10)}"
    p = found["p_value"]
    return line + own + common + (f"{'< 0.0001':>9}" if p is not None and p < 1e-4 else _number(p, 9))


def _number(value: float | None, width: int) -> str:
    return decimal(value).rjust(width)
