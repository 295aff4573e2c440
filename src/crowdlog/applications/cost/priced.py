"""The three applications as the cost of privacy is asked of them: a store to release, what is made of the
published table, and a score. Everything is synthetic; the same seed gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.frame import run
from crowdlog.applications.frustration import model as frustration_model
from crowdlog.applications.frustration import vectors as frustration_vectors
from crowdlog.applications.frustration.measures import macro_f
from crowdlog.applications.frustration.study import read_study
from crowdlog.applications.frustration.synthetic import write_study
from crowdlog.applications.recommendation.contexts import read_json_lines, write_json_lines
from crowdlog.applications.recommendation.graph import QueryGraph, graph_of_release, graph_of_store
from crowdlog.applications.recommendation.held_out import held_out_contexts
from crowdlog.applications.recommendation.measures import reciprocal_rank
from crowdlog.applications.recommendation.merge import RecommendationClient, RecommendationServer
from crowdlog.applications.tasks.bins import cells, domain
from crowdlog.applications.tasks.crowd_log import model_of_counts, prior
from crowdlog.applications.tasks.find import find_tasks, make_block
from crowdlog.applications.tasks.hard_logs import generated, hard_log
from crowdlog.applications.tasks.measures import MEASURES, count_table
from crowdlog.applications.tasks.train import labelled_pairs, score_block
from crowdlog.applications.tasks.vectors import counts_of_table, write_domain, write_vectors
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.release.folder import Release

LEARNT, TRIED = 7, 11  # seeds
BINS = "bin2"
TESTED, CONTEXTS, STUDIED = 100, 100, 60  # people, contexts and people that a score is taken of
STRANGERS = 2_000  # people among whose tasks contexts are looked for


@dataclass(frozen=True)
class Priced:
    """`make` writes a store of so many people at a place, and what is not sanitised beside it; `score` judges
    a release, `unsanitised` the store. `mechanisms`: spellings with {epsilon} and {domain}.
    """

    title: str
    measure: str
    artifacts: str
    of_a_person: str
    mechanisms: tuple[str, ...]
    make: Callable[[Path, int], LogStore]
    unsanitised: Callable[[LogStore], float]
    score: Callable[[Release, LogStore], float]
    nobody: Callable[[], float] | None = None  # what can be had without a crowd: a model of synthetic logs


def _tasks_store(place: Path, people: int) -> LogStore:
    log = hard_log("aol", people, LEARNT, "other words")
    pairs = labelled_pairs(log.searches, log.texts, log.labels, None)
    names = [f"p{person}" for person in range(int(pairs.person.max()) + 1)]
    counts = np.zeros((2, len(domain(BINS))))
    np.add.at(counts, (pairs.same.astype(np.int64), cells(pairs.vectors, BINS)), 1)
    np.save(place.with_suffix(".npy"), counts)
    return write_vectors(pairs, names, BINS, place, seed=LEARNT)


def _tasks_score(counts: Any) -> float:
    """Pair F1 on people of another population."""
    if not (counts > 0).any():
        return 0.0
    log = hard_log("other", TESTED, TRIED, "other words")
    block = make_block(log.searches, log.texts, log.searches.kept, within="history", vectors=None)
    people = score_block(block, find_tasks(block, model_of_counts(BINS, counts)), log.labels)
    return float(MEASURES["pair_f1"](count_table(people).sum(axis=0)))


def _tasks_released(release: Release, _store: LogStore) -> float:
    table = _vectors(release)
    return _tasks_score(counts_of_table(table, "The release")[1]) if table is not None else 0.0


def _vectors(release: Release) -> Any:
    table: Any = release.table("queries")
    return table if table is not None and table.num_rows else None


def _recommend_store(place: Path, people: int) -> LogStore:
    source = place.with_suffix(".tsv")
    synthesize(source, users=people, seed=LEARNT)
    store = import_log(source, place)
    source.unlink()
    known = graph_of_store(store).number
    rows = held_out_contexts(generated("aol", STRANGERS, TRIED), CONTEXTS, TRIED, known)
    write_json_lines(place.with_suffix(".jsonl"), rows)
    return store


def _recommend_score(graph: QueryGraph, store: LogStore) -> float:
    """MRR of what strangers asked next, where somebody of the log asked it, too."""
    server = RecommendationServer(graph, "both")  # what is composed needs less of a crowd
    ranks = [0.0]  # a log so small that nobody in it asked what a stranger asks is worth nothing
    for row in read_json_lines(store.path.with_suffix(".jsonl"), ("context", "sametask", "later")):
        found = run(server, RecommendationClient(row["context"], row["sametask"], top=20))
        shown = [query for query, _score in found if query not in row["context"]][:10]
        ranks.append(reciprocal_rank(shown, set(row["later"])))
    return float(np.sum(ranks) / max(1, len(ranks) - 1))


def _recommend_released(release: Release, store: LogStore) -> float:
    try:
        return _recommend_score(graph_of_release(release), store)
    except InputError:  # nothing was published
        return 0.0


def _frustration_study(place: Path) -> Any:
    path = place.with_suffix(".study.tsv")
    write_study(path, STUDIED, LEARNT)
    return read_study(path)


def _frustration_store(place: Path, people: int) -> LogStore:
    study = _frustration_study(place)
    person, number = frustration_vectors.pseudo_vectors(study, people, LEARNT)
    counts = np.bincount(number, minlength=64).reshape(2, 32).astype(np.float64)
    np.save(place.with_suffix(".npy"), counts)
    return frustration_vectors.write_vectors(person, number, place)


def _frustration_score(counts: Any, place: Path) -> float:
    """Macro F₀.₅ of the crowd's model joined with each person's own, on later tasks of new people."""
    path = place.parent / f"{place.name}.tried.tsv"
    write_study(path, STUDIED, TRIED)
    study = read_study(path)
    path.unlink()
    train = study.task < frustration_model.TRAIN_TASKS
    crowd = frustration_model.model_of_counts(counts)
    chance = frustration_model.chances(study, crowd, "product", train)
    late = ~train & (study.label >= 0)
    report = macro_f(study.user[late], chance[late] >= 0.5, study.label[late] == 1)
    return float(report["f0.5"]["value"])


def _frustration_released(release: Release, _store: LogStore) -> float:
    table = _vectors(release)
    if table is None:
        return 0.0
    counts = frustration_vectors.counts_of_table(table, "The release")
    return _frustration_score(counts, release.path) if (counts > 0).any() else 0.0


def _counts(store: LogStore) -> Any:
    return np.load(store.path.with_suffix(".npy"))


_CLOSED = "ClosedDomain(epsilon={epsilon}, d=20, pool='{domain}')"
_NOISY = (
    "Zealous(epsilon={epsilon}, delta=1e-06, d=20)",
    "DPu(epsilon={epsilon}, delta=1e-06, d=4)",
)
APPLICATIONS: dict[str, Priced] = {
    "tasks": Priced(
        "Search tasks",
        "pair F1 on people of another population",
        "labelled feature vectors of pairs: a closed domain of 64 (bin2)",
        "hundreds of vectors, 20 of them count",
        (_CLOSED, *_NOISY, "FTu(k=20)"),
        _tasks_store,
        lambda store: _tasks_score(_counts(store)),
        _tasks_released,
        lambda: _tasks_score(prior(BINS)[0]),
    ),
    "recommendation": Priced(
        "Task-aware recommendation",
        "MRR of what strangers asked next, where somebody of the log asked it, too",
        "queries and pairs of queries: an open domain that grows with the log",
        "tens of queries and pairs, nearly all her own",
        (
            "Crowd(epsilon={epsilon}, delta=1e-07)",
            "Ladder(epsilon={epsilon}, delta=1e-07)",
            "FTu(k=5, artifact='pair')",
        ),
        _recommend_store,
        lambda store: _recommend_score(graph_of_store(store), store),
        _recommend_released,
    ),
    "frustration": Priced(
        "Frustration",
        "macro F₀.₅ on new people, with their own models",
        "five bits and a label: a closed domain of 64",
        "1 to 49 vectors, 20 of them count",
        (_CLOSED, *_NOISY, "FTu(k=20)"),
        _frustration_store,
        lambda store: _frustration_score(_counts(store), store.path),
        _frustration_released,
    ),
}


def write_public_domain(application: str, path: Path) -> None:
    """The closed domain of an application that has one."""
    if application == "tasks":
        write_domain(path, BINS)
    elif application == "frustration":
        frustration_vectors.write_domain(path)
