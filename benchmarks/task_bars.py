"""Bars for search tasks, on people and settings that the shipped model was not made of:
`python -m benchmarks.task_bars [--people 127] [--learnt 100] [--seed 3117]`.

A bar is what simple re-implementations reach on a log of 127 people with hand-made labels, which cannot be
had here: so they say what to ask for, not what a synthetic log must give. Models are made of people of the
population `aol` (the shipped one, or vectors that 100 of them release) and tried on the population `other`,
in the settings that were made after the shipped model (applications/tasks/hard_logs.py).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.baselines import BASELINES
from crowdlog.applications.tasks.bins import cells, domain
from crowdlog.applications.tasks.commands import LabelledLog
from crowdlog.applications.tasks.cross_validation import cross_validate
from crowdlog.applications.tasks.crowd_log import model_of_counts
from crowdlog.applications.tasks.find import find_tasks, make_block
from crowdlog.applications.tasks.hard_logs import hard_log
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import score_person, summary
from crowdlog.applications.tasks.model import TaskModel, load_model, with_clustering
from crowdlog.applications.tasks.personal import find_with_labels
from crowdlog.applications.tasks.train import labelled_pairs, score_block
from crowdlog.applications.tasks.vectors import counts_of_table, write_domain, write_vectors
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.store import LogStore
from crowdlog.measure.intervals import bootstrap_mean

SETTINGS = ("taken up again", "busy", "lasting interests", "longer sessions")
BINS = "bin1"
NOISES = 10
LABELLED = 0.7  # of a person's searches, in the order of time; the rest is tested
Bar = tuple[str, dict[str, float], dict[str, float]]  # name, what is asked, what was found


def figures(people: Any) -> dict[str, float]:
    return {name: value["value"] for name, value in summary(people).items() if isinstance(value, dict)}


def found_by(model: TaskModel, log: LabelledLog, within: str = "history") -> dict[str, float]:
    """The scores of a model over histories, or of each session by itself."""
    kept = log.searches.kept
    labels = log.labels if within == "history" else TaskLabels(log.labels.task, log.searches.session)
    block = make_block(log.searches, log.texts, kept, within=within, vectors=None)
    found = find_tasks(block, with_clustering(model, None, None, within))
    return figures(score_block(replace(block, parts=log.searches.people(kept)), found, labels))


def cascade(log: LabelledLog) -> dict[str, float]:
    block = make_block(log.searches, log.texts, log.searches.kept, within="history", vectors=None)
    return figures(score_block(block, BASELINES["cascade"](block), log.labels))


def own_labels(log: LabelledLog, model: TaskModel) -> dict[str, float]:
    """Accuracy on the last searches of each person, with her labels of the first ones, and what these add to
    the crowd's model: the mean over people with its 95 % interval.
    """
    scores: dict[str, list[float]] = {"gscore": [], "global": []}
    kept = log.searches.kept
    for begin, end in zip(
        *(log.searches.people(kept)[cut] for cut in (slice(-1), slice(1, None))), strict=True
    ):
        rows = kept[begin:end]
        early = int(LABELLED * len(rows))
        if len(rows) - early < 2:
            continue
        block = make_block(log.searches, log.texts, rows, within="history", vectors=None)
        known = np.where(np.arange(len(rows)) < early, log.labels.task[rows], -1)
        for merge, found_scores in scores.items():
            found = find_with_labels(block, model, known, merge)[early:]
            one = score_person(log.labels.task[rows[early:]], found, np.zeros(len(found)))
            found_scores.append((one.both + one.neither) / one.pairs)
    added = np.subtract(scores["gscore"], scores["global"])
    low, _high = bootstrap_mean(added, np.random.default_rng(0))
    return {"accuracy": float(np.mean(scores["gscore"])), "added": float(added.mean()), "added, low": low}


def released(store: LogStore, spelling: str, seed: int, folder: Path) -> TaskModel:
    with seeded_release(store, SeededRun(spelling, seed), folder) as release:
        return model_of_counts(*counts_of_table(release.table("queries"), "The release"))


def from_vectors(log: LabelledLog, learnt: LabelledLog, folder: Path) -> Iterator[Bar]:
    """Models of what the learnt people would release: frequent vectors, and all of a closed domain."""
    pairs = labelled_pairs(learnt.searches, learnt.texts, learnt.labels, None)
    names = [f"p{person}" for person in range(int(pairs.person.max()) + 1)]
    store = write_vectors(pairs, names, BINS, folder / "vectors", seed=1)
    raw = np.zeros((2, len(domain(BINS))))
    np.add.at(raw, (pairs.same.astype(np.int64), cells(pairs.vectors, BINS)), 1)
    whole = found_by(model_of_counts(BINS, raw), log)
    frequent = found_by(released(store, "FTu(k=20)", 1, folder), log)
    frequent["loss"] = whole["accuracy"] - frequent["accuracy"]
    yield "B7 from FT_u(20)", {"accuracy": 0.915, "loss": 0.005}, frequent
    public = folder / "domain.txt"
    write_domain(public, BINS)
    spelling = f"ClosedDomain(epsilon=1, d=20, pool='{public}')"
    noisy = [found_by(released(store, spelling, seed, folder), log) for seed in range(NOISES)]
    closed = {name: float(np.mean([one[name] for one in noisy])) for name in ("accuracy", "pair_f1", "b3")}
    closed["sd"] = float(np.std([one["accuracy"] for one in noisy], ddof=1))
    yield "B8 closed domain, ε = 1", {"accuracy": 0.895, "pair_f1": 0.6, "sd": 0.01}, closed


def bars(log: LabelledLog, learnt: LabelledLog, folder: Path) -> Iterator[Bar]:
    shipped = load_model("default")
    whole = found_by(shipped, log)
    yield "B1 shipped model", {"accuracy": 0.915, "pair_f1": 0.6, "b3": 0.78}, whole
    folds = figures(cross_validate(log.searches, log.texts, log.labels))
    yield "B2 five folds", {"accuracy": 0.93, "pair_f1": 0.6, "b3": 0.8}, folds
    yield "B3 cascade, nothing learnt", {"accuracy": 0.91, "pair_f1": 0.44}, cascade(log)
    session = found_by(shipped, log, "session")
    yield "B4 shipped, in a session", {"accuracy": 0.79, "pair_f1": 0.69, "best_match_f": 0.82}, session
    yield (
        "B6 with her own labels",
        {"accuracy": 0.925, "added": 0.0, "added, low": 0.0},
        own_labels(log, shipped),
    )
    yield from from_vectors(log, learnt, folder)
    yield "B10 breaks", {"break_f1": 0.86, "break_f1.5": 0.89}, whole


def met(name: str, asked: float, got: float) -> bool:
    return got <= asked if name in ("loss", "sd") else got >= asked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=127)
    parser.add_argument("--learnt", type=int, default=100, help="people whose vectors are released")
    parser.add_argument("--seed", type=int, default=3117)
    arguments = parser.parse_args()
    for setting in SETTINGS:
        begun = time.process_time()
        log = hard_log("other", arguments.people, arguments.seed, setting)
        learnt = hard_log("aol", arguments.learnt, arguments.seed + 1, setting)
        print(f"## {setting}: {arguments.people} people, {len(log.searches.kept):,} searches")
        with tempfile.TemporaryDirectory(prefix="crowdlog-") as folder:
            for name, asked, found in bars(log, learnt, Path(folder)):
                told = ", ".join(f"{what} {found[what]:.3f} ({least:g})" for what, least in asked.items())
                good = all(met(what, least, found[what]) for what, least in asked.items())
                print(f"{name:<28} {'met' if good else 'NOT MET':<8} {told}", flush=True)
        print(f"{time.process_time() - begun:.0f} CPU s\n", flush=True)


if __name__ == "__main__":
    main()
