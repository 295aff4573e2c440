"""One trial of a comparison: what a seeded release is good for, and what it gives away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.comparison.grid import LABEL, LOG_ITSELF, TOPICS, Grid, Measurement
from crowdlog.comparison.held_out import parts
from crowdlog.comparison.topics import kept_by_topic
from crowdlog.errors import InputError
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.store import LogStore
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.original import score_original
from crowdlog.utility.registry import score
from crowdlog.utility.score import Score

NOTHING = "Publishes nothing, so there is nothing to measure."
# For each measure asked for: its results as plain data, and a note when it could not be measured.
Found = dict[str, dict[str, Any]]


def run_trial(fields: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Do what is still missing of one trial of the grid with these fields, and keep each result."""
    grid = Grid.of(fields)
    run = SeededRun(**trial)
    missing = grid.missing(run)
    tasks = [name for kind, name in missing if (kind, name) in grid.tasks()]
    if run == LOG_ITSELF:
        _keep(grid, run, "utility", _log_itself(grid, tasks))
        return
    others = [measure for measure in missing if measure not in grid.tasks()]
    if others:
        _whole_log(grid, run, others)
    if tasks:
        _held_out(grid, run, tasks)


def _whole_log(grid: Grid, run: SeededRun, missing: Sequence[Measurement]) -> None:
    """What a release of everybody shows, and what it gives away."""
    log = LogStore.open(grid.store)
    with seeded_release(log, run, Path(grid.cache)) as release:
        if LABEL in missing:
            grid.keep(run, LABEL, {"label": release.label.to_json()})
        if TOPICS in missing and grid.topics:
            grid.keep(run, TOPICS, {"topics": kept_by_topic(release, log, Path(grid.topics))})
        for kind, measure in (("utility", _utility), ("attack", _attacks)):
            names = [name for of, name in missing if of == kind]
            _keep(grid, run, kind, measure(grid, release, log, names, run.seed))


def _held_out(grid: Grid, run: SeededRun, tasks: Sequence[str]) -> None:
    """The tasks, with a release of four fifths of the people, on the others: so nothing, not even a release
    of rows, is tested on people whom it was made of.
    """
    rest, test = parts(grid.store, Path(grid.cache))
    with seeded_release(rest, run, Path(grid.cache)) as release:
        _keep(grid, run, "utility", _utility(grid, release, rest, tasks, run.seed, test))


def _log_itself(grid: Grid, tasks: Sequence[str]) -> Found:
    return _by_measure(tasks, score_original(*parts(grid.store, Path(grid.cache)), tasks))


def _keep(grid: Grid, run: SeededRun, kind: str, found: Found) -> None:
    for name, results in found.items():
        grid.keep(run, (kind, name), results)


def _utility(
    grid: Grid,
    release: Release,
    log: LogStore,
    names: Sequence[str],
    _seed: int,
    test: LogStore | None = None,
) -> Found:
    """The scores of each measure.

    The people and samples are the same for all trials, so that they are compared on the same ones.
    """
    settings = MeasureSettings(tree=grid.tree)

    def run(chosen: Sequence[str]) -> Found:
        return _by_measure(chosen, score(release, log, on=chosen, test=test, settings=settings, note=False))

    return _as_far_as_possible(release, names, run)


def _by_measure(names: Sequence[str], scores: Sequence[Score]) -> Found:
    found: Found = {name: {"results": [], "note": ""} for name in names}
    for entry in scores:
        found[entry.name.split(":")[0]]["results"].append(entry.as_dict())
    return found


def _attacks(grid: Grid, release: Release, log: LogStore, names: Sequence[str], seed: int) -> Found:
    labels = Path(grid.labels) if grid.labels else None

    def run(chosen: Sequence[str]) -> Found:
        attacker = Attacker(SeededRandomness(seed), tree=grid.tree, labels=labels)
        results = attack(release, log, chosen, attacker=attacker, note=False)
        return {
            name: {"results": [result.as_dict()], "note": result.note}
            for name, result in zip(chosen, results, strict=True)
        }

    return _as_far_as_possible(release, names, run)


def _as_far_as_possible(
    release: Release, names: Sequence[str], run: Callable[[Sequence[str]], Found]
) -> Found:
    """All measures together, which reads the log once; where one is impossible, one by one, with the reason
    as its note.
    """
    if not release.label.rows:
        return {name: {"results": [], "note": NOTHING} for name in names}
    try:
        return run(names) if names else {}
    except InputError as error:
        if len(names) == 1:
            return {names[0]: {"results": [], "note": str(error)}}
        return {
            name: found for each in names for name, found in _as_far_as_possible(release, [each], run).items()
        }
