"""One trial: release a log with seeded noise into a temporary folder, measure it, destroy it. Nothing is published or charged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.comparison.grid import LABEL, TOPICS, Cell, Grid, trial_folder
from crowdlog.comparison.topics import kept_by_topic
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import make_label
from crowdlog.utility.registry import score

NOTHING = "Publishes nothing, so there is nothing to measure."
# For each measure asked for: its results as plain data, and a note when it could not be measured.
Found = dict[str, dict[str, Any]]


def run_cell(grid: Grid, cell: Cell) -> None:
    """Do what is still missing of one trial, and keep each result."""
    missing = grid.missing(cell)
    if not missing:
        return
    log = LogStore.open(grid.store)
    folder = trial_folder(grid)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        release = trial_release(log, cell, folder)
        if LABEL in missing:
            grid.keep(cell, LABEL, {"label": release.label})
        if TOPICS in missing and grid.topics:
            grid.keep(cell, TOPICS, {"topics": kept_by_topic(release, log, Path(grid.topics))})
        for kind, measure in (("utility", _utility), ("attack", _attacks)):
            names = [name for of, name in missing if of == kind]
            for name, found in measure(release, log, names, cell.seed).items():
                grid.keep(cell, (kind, name), found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def trial_release(log: LogStore, cell: Cell, folder: Path) -> Release:
    """A release that is marked NOT PRIVATE and is not in the ledger."""
    mechanism = parse(cell.mechanism)
    mechanism.check_inputs()
    randomness = SeededRandomness(cell.seed)
    protected = mechanism.protect(log, randomness)
    label = make_label(mechanism, mechanism.promise(), protected, source=log.info.id, charge=0, private=randomness.private, warnings=[])
    try:
        return write_folder(folder, protected.tables, label, {})
    except InputError:  # its advice is for releases that were charged
        raise InputError(f"it cannot be written into {folder.parent}. Is the disk full? Make room, and run the same command again.") from None


def _utility(release: Release, log: LogStore, names: Sequence[str], _seed: int) -> Found:
    """The scores of each measure. The folds and samples are the same for all trials, so that they are compared on the same people."""

    def run(chosen: Sequence[str]) -> Found:
        found: Found = {name: {"results": [], "note": ""} for name in chosen}
        for entry in score(release, log, on=chosen):
            found[entry.name.split(":")[0]]["results"].append(entry.as_dict())
        return found

    return _as_far_as_possible(release, names, run)


def _attacks(release: Release, log: LogStore, names: Sequence[str], seed: int) -> Found:
    def run(chosen: Sequence[str]) -> Found:
        results = attack(release, log, chosen, attacker=Attacker(SeededRandomness(seed)))
        return {name: {"results": [result.as_dict()], "note": result.note} for name, result in zip(chosen, results, strict=True)}

    return _as_far_as_possible(release, names, run)


def _as_far_as_possible(release: Release, names: Sequence[str], run: Callable[[Sequence[str]], Found]) -> Found:
    """All measures together, which reads the log once; where one is impossible, one by one, with the reason as its note."""
    if not sum(release.label["crowdlog"]["tables"].values()):
        return {name: {"results": [], "note": NOTHING} for name in names}
    try:
        return run(names) if names else {}
    except InputError as error:
        if len(names) == 1:
            return {names[0]: {"results": [], "note": str(error)}}
        return {name: found for each in names for name, found in _as_far_as_possible(release, [each], run).items()}
