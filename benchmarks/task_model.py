"""Make the shipped task model and the public prior of vectors from synthetic logs, and try them on others.

    python benchmarks/task_model.py [--people 300] [--write]

Trained on the population `aol` in four settings (applications/tasks/hard_logs.py), tried on the population
`other` in all of them, over whole histories and within sessions: nothing is fitted to one recipe.
`--leave-out` trains without a setting and tries it: what a recipe that nobody has seen costs.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.baselines import BASELINES
from crowdlog.applications.tasks.bins import cells, domain
from crowdlog.applications.tasks.commands import LabelledLog
from crowdlog.applications.tasks.find import find_at_thresholds, find_tasks, make_block
from crowdlog.applications.tasks.hard_logs import SETTINGS, hard_log, joined
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import summary
from crowdlog.applications.tasks.model import TaskModel, load_model, with_clustering
from crowdlog.applications.tasks.train import (
    ETAS,
    labelled_pairs,
    middle_of_best,
    score_block,
    session_eta,
    train,
)

LEARNT = ("other words", "wide", "drifting", "own words")
LEARNT_SEED, TRIED_SEED = 7, 2_031
SESSION_PEOPLE = 200
ETA_SEED, ETA_PEOPLE = 9_007, 150  # people of the learnt settings whom the trees have not seen
PLACE = Path(__file__).parents[1] / "src" / "crowdlog" / "applications" / "tasks"
SHOWN = ("accuracy", "pair_f1", "b3", "best_match_f", "break_f1")


def vector_prior(log: LabelledLog, bins: str, seed: int) -> dict[str, Any]:
    """Counts of labelled vectors, and the η that a forest of them clusters best with."""
    pairs = labelled_pairs(log.searches, log.texts, log.labels, None, seed=seed)
    place = cells(pairs.vectors, bins)
    counts = np.zeros((2, len(domain(bins))))
    np.add.at(counts, (pairs.same.astype(np.int64), place), pairs.weight)
    label, where = np.nonzero(counts)
    model = train(log.searches, log.texts, log.labels, learner="forest", bins=bins, seed=seed)
    return {
        "eta": model.eta,
        "eta_session": model.eta_session,
        "label": label.tolist(),
        "place": where.tolist(),
        "count": [float(f"{x:.4g}") for x in counts[label, where]],
    }


def learnt_log(settings: tuple[str, ...], people: int) -> LabelledLog:
    """People of several settings, each with a seed of its own."""
    return joined([hard_log("aol", people, LEARNT_SEED + 100 * at, name) for at, name in enumerate(settings)])


def learn(log: LabelledLog, settings: tuple[str, ...]) -> TaskModel:
    made_of = f"synthetic logs (population aol; settings {', '.join(settings)}; benchmarks/task_model.py)"
    model = train(log.searches, log.texts, log.labels, trained_on=made_of)
    # Where labels are given by session, two neighbours are of one task in .67 of all cases (a hand-labelled
    # log), as in the setting `other words` (.63); wide tasks are for whole histories (.81 and .79).
    own = hard_log("aol", SESSION_PEOPLE, LEARNT_SEED + 1_000, "other words")
    eta = session_eta(model, own.searches, own.texts, own.searches.kept, own.labels, None)
    return replace(model, eta=eta_of_settings(model, settings), eta_session=eta)


def eta_of_settings(model: TaskModel, settings: tuple[str, ...]) -> float:
    """The threshold with the best mean of macro accuracy, pair F1 and B³ where each setting counts alike, on
    new people of the learnt population and settings; nothing that is tried afterwards is looked at.
    """
    worth = np.zeros(len(ETAS))
    for at, name in enumerate(("as generated", *settings)):
        log = hard_log("aol", ETA_PEOPLE, ETA_SEED + 100 * at, name)
        block = make_block(log.searches, log.texts, log.searches.kept, within="history", vectors=None)
        for place, found in enumerate(find_at_thresholds(block, model, ETAS)):
            figures = summary(score_block(block, found, log.labels))
            worth[place] += sum(figures[key]["value"] for key in ("accuracy", "pair_f1", "b3")) / 3
    return middle_of_best((worth / (1 + len(settings))).tolist())


def show(name: str, log: LabelledLog, models: dict[str, TaskModel]) -> None:
    """Scores over whole histories, and within sessions."""
    kept = log.searches.kept
    people = log.searches.people(kept)
    for within, labels in (
        ("history", log.labels),
        ("session", TaskLabels(log.labels.task, log.searches.session)),
    ):
        block = make_block(log.searches, log.texts, kept, within=within, vectors=None)
        ways: dict[str, Any] = dict(BASELINES)
        for way, model in models.items():
            chosen = with_clustering(model, None, None, within)
            ways[way] = lambda block, chosen=chosen: find_tasks(block, chosen)
        for way, find in ways.items():
            figures = summary(score_block(replace(block, parts=people), find(block), labels))
            numbers = " ".join(f"{key} {figures[key]['value']:.3f}" for key in SHOWN)
            print(f"{name:<13} {way:<14} {within:<8} {numbers}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=300, help="of each setting learnt from")
    parser.add_argument("--tested", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="replace the shipped files")
    parser.add_argument("--eta", action="store_true", help="choose the shipped model's threshold again")
    parser.add_argument("--seed", type=int, default=TRIED_SEED, help="of the people it is tried on")
    parser.add_argument("--leave-out", action="store_true", help="also train without each setting")
    parser.add_argument("--shipped", action="store_true", help="try the shipped model instead of a new one")
    arguments = parser.parse_args()
    if arguments.eta:
        model = load_model("default")
        print(f"η = {eta_of_settings(model, LEARNT):g}")
        return
    if arguments.shipped:
        model = load_model("default")
    else:
        learnt = learnt_log(LEARNT, arguments.people)
        model = learn(learnt, LEARNT)
    print(model, flush=True)
    if arguments.write:
        model.save(PLACE / "default.json")
        priors = {bins: vector_prior(learnt, bins, LEARNT_SEED) for bins in ("bin1", "bin2")}
        (PLACE / "prior.json").write_text(json.dumps(priors, separators=(",", ":")) + "\n", encoding="utf-8")
    for name in SETTINGS:
        tried = hard_log("other", arguments.tested, arguments.seed, name)
        models = {"model": model}
        for change in (-0.1, 0.1):
            models[f"η {change:+.1f}"] = replace(
                model, eta=model.eta + change, eta_session=(model.eta_session or model.eta) + change
            )
        models["single link .8"] = replace(model, link="single", eta=0.8, eta_session=0.8)
        if arguments.leave_out and name in LEARNT:
            rest = tuple(setting for setting in LEARNT if setting != name)
            models["left out"] = learn(learnt_log(rest, arguments.people), rest)
        show(name, tried, models)


if __name__ == "__main__":
    main()
