"""One trial of a comparison: what a seeded release is good for, and what it gives away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.comparison.grid import LABEL, TOPICS, Grid
from crowdlog.comparison.topics import kept_by_topic
from crowdlog.errors import InputError
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.store import LogStore
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.utility.registry import score

NOTHING = "Publishes nothing, so there is nothing to measure."
# For each measure asked for: its results as plain data, and a note when it could not be measured.
Found = dict[str, dict[str, Any]]


def run_trial(fields: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Do what is still missing of one trial of the grid with these fields, and keep each result."""
    grid = Grid.of(fields)
    run = SeededRun(**trial)
    missing = grid.missing(run)
    log = LogStore.open(grid.store)
    with seeded_release(log, run, Path(grid.cache)) as release:
        if LABEL in missing:
            grid.keep(run, LABEL, {"label": release.label.to_json()})
        if TOPICS in missing and grid.topics:
            grid.keep(run, TOPICS, {"topics": kept_by_topic(release, log, Path(grid.topics))})
        for kind, measure in (("utility", _utility), ("attack", _attacks)):
            names = [name for of, name in missing if of == kind]
            for name, found in measure(release, log, names, run.seed).items():
                grid.keep(run, (kind, name), found)


def _utility(release: Release, log: LogStore, names: Sequence[str], _seed: int) -> Found:
    """The scores of each measure.

    The folds and samples are the same for all trials, so that they are compared on the same people.
    """

    def run(chosen: Sequence[str]) -> Found:
        found: Found = {name: {"results": [], "note": ""} for name in chosen}
        for entry in score(release, log, on=chosen):
            found[entry.name.split(":")[0]]["results"].append(entry.as_dict())
        return found

    return _as_far_as_possible(release, names, run)


def _attacks(release: Release, log: LogStore, names: Sequence[str], seed: int) -> Found:
    def run(chosen: Sequence[str]) -> Found:
        results = attack(release, log, chosen, attacker=Attacker(SeededRandomness(seed)))
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
