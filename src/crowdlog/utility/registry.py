"""All measures by name, and how to run them on a release."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crowdlog.artifacts.knowledge.wordnet import wordnet_folder
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.measure.histories import PublishedHistories
from crowdlog.measure.released import read_release
from crowdlog.measure.tables import Tables
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.progress import progress_bar
from crowdlog.release.folder import Release
from crowdlog.release.publish import note_looks
from crowdlog.release.same_source import check_source
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.paired_scores import PairedScores, joined, scored
from crowdlog.utility.published import Published
from crowdlog.utility.score import Score


@dataclass(frozen=True)
class Measure:
    """A measure's module, what it measures, and the tables of which a release must have one.

    Tasks are tested on held-out people or rows.
    """

    module: str
    what: str
    needs: tuple[str, ...]
    task: bool = False
    tree: bool = False  # it needs a tree of categories


HISTORIES = ("histories",)  # a release of rows
MEASURES = {
    "coverage": Measure(
        "coverage",
        "how much of the log is shown, and how right its counts are",
        ("queries", "clicks", "pairs", "sequences"),
    ),
    "keywords": Measure("keywords", "advertising keywords for a concept, by an absorbing walk", ("clicks",)),
    "patterns": Measure("patterns", "what people write after a prefix such as 'fear of'", ("queries",)),
    "clustering": Measure("clustering", "websites grouped by common queries: purity", ("clicks",)),
    "ilr": Measure("ilr", "how many bits of users' histories change", HISTORIES),
    "srp": Measure("srp", "which share of users' interests is left, by level", HISTORIES, tree=True),
    "il": Measure("il", "how differently users group by meaning", HISTORIES, tree=True),
    "kmeans": Measure("kmeans", "how differently users group by words, sites and times", HISTORIES),
    "top": Measure("top", "how well the highest frequencies are kept", HISTORIES, tree=True),
    "adhoc": Measure(
        "adhoc", "search by random walk (RW, RW-2) and implicit feedback (IF)", ("clicks",), task=True
    ),
    "sites": Measure(
        "site_search", "which sites people click for a query", ("clicks", "query_sites"), task=True
    ),
    "suggestion": Measure("suggestion", "which query comes next in a session", ("clicks", "flow"), task=True),
    "sessions": Measure("session_search", "search for a whole session", ("clicks",), task=True),
}


def chosen(on: Sequence[str]) -> list[str]:
    """The measures that selections such as 'adhoc' or 'adhoc:RW:nDCG@10' need; all for none."""
    names = [selection.split(":")[0] for selection in on] or list(MEASURES)
    unknown = [name for name in names if name not in MEASURES]
    if unknown:
        raise InputError(f"There is no measure '{unknown[0]}'. There are: {', '.join(MEASURES)}.")
    return list(dict.fromkeys(names))


def _possible(names: list[str], released: Tables, settings: MeasureSettings, *, asked: bool) -> list[str]:
    """The measures whose tables are there. What was asked for by name must be possible."""
    possible = [
        name for name in names if any(getattr(released, table) is not None for table in MEASURES[name].needs)
    ]
    if not asked and settings.tree == WORDNET and wordnet_folder() is None:
        possible = [name for name in possible if not MEASURES[name].tree]
    missing = [name for name in names if name not in possible]
    if asked and missing:
        raise InputError(
            f"The measure '{missing[0]}' needs {_wanted(missing[0])}, and this release has none."
        )
    return possible


def _wanted(name: str) -> str:
    first = MEASURES[name].needs[0]
    return "rows of users" if first == "histories" else f"a table of {first}"


def score(
    release: Release,
    truth: LogStore,
    *,
    on: Sequence[str] = (),
    test: LogStore | None = None,
    settings: MeasureSettings | None = None,
    other_log: bool = False,
    note: bool = True,
) -> list[Score]:
    """Measure a release against the log it came from; its ledger notes that it was looked at.

    `test`: a held-out log of other people for the retrieval tasks. `note`: False where the look is in the
    ledger already, as that of a comparison.
    """
    names, settings = chosen(on), settings or MeasureSettings()
    if not other_log:
        check_source(release.label, truth.info.id)
    if note:
        note_looks([truth, test], "score")
    published = Published.of(release.label)
    log = Truth(truth, settings, published, test)
    released = read_release(release, log.vocabulary, settings.session_minutes)
    if published.topics:
        released = replace(released, flow=released.pairs, sequences=None)
    if "events" in release.tables:
        released = replace(released, histories=PublishedHistories(release, truth))
    names = _possible(_readable(names, published, asked=bool(on)), released, settings, asked=bool(on))
    if test is None and released.histories is not None:
        names = _without_tasks(names, asked=bool(on))
    tasks = [name for name in names if MEASURES[name].task]
    studies = [name for name in names if not MEASURES[name].task]
    found: list[Score] = []
    with progress_bar("measuring", len(studies) + len(tasks) * len(log.folds()), unit="measures") as advance:
        for name in studies:
            found += _module(name).measure(released, log, settings)
            advance(1)
        found += _run_tasks(tasks, released, log, settings, advance)
    return [replace(entry, details={**entry.details, **published.notes()}) for entry in _selected(found, on)]


def _readable(names: list[str], published: Published, *, asked: bool) -> list[str]:
    """The measures that can read the release's way of writing queries."""
    if published.representation != "heavy" or "patterns" not in names:
        return names
    if asked:
        raise InputError(
            "The measure 'patterns' looks at how queries go on, and this release ('heavy') sorts the words "
            "of each query. Leave it out."
        )
    return [name for name in names if name != "patterns"]


def _without_tasks(names: list[str], *, asked: bool) -> list[str]:
    """A release of rows holds the very searches of the people it would be tested on."""
    tasks = [name for name in names if MEASURES[name].task]
    if asked and tasks:
        raise InputError(
            f"The measure '{tasks[0]}' would test this release of rows on the people in it. Split the log "
            "('crowdlog split'), make a release of one part, and give the other as --test."
        )
    return [name for name in names if name not in tasks]


def _run_tasks(
    names: list[str], released: Tables, log: Truth, settings: MeasureSettings, advance: Any
) -> list[Score]:
    found: dict[str, list[PairedScores]] = {}
    for number in log.folds() if names else []:
        fold = log.fold(number)
        for name in names:
            for label, scores in _module(name).measure(released, fold, settings).items():
                found.setdefault(label, []).append(scores)
            advance(1)
    whole = {label: joined(folds) for label, folds in found.items()}
    return [
        scored(label, pair, metric, settings.seed)
        for label, pair in whole.items()
        for metric in pair.released
    ]


def _module(name: str) -> Any:
    return importlib.import_module(f"crowdlog.utility.{MEASURES[name].module}")


def _selected(scores: Sequence[Score], on: Sequence[str]) -> list[Score]:
    """Those whose name has every part of a selection: 'adhoc:nDCG@10' selects it for RW, RW-2 and IF."""
    if not on:
        return list(scores)
    wanted = [set(selection.split(":")) for selection in on]
    names = [set(score.name.split(":")) for score in scores]
    for selection, parts in zip(on, wanted, strict=True):
        if (
            len(parts) > 1
            and names
            and not any(parts <= name for name in names if selection.split(":")[0] in name)
        ):
            available = sorted(
                {score.name for score in scores if score.name.startswith(selection.split(":")[0] + ":")}
            )
            raise InputError(
                f"There is no measure '{selection}' for this release. There are: {', '.join(available)}."
            )
    return [
        score for score, name in zip(scores, names, strict=True) if any(parts <= name for parts in wanted)
    ]
