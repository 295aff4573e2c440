"""Errors of mechanisms, their parameters and the noise under them, each with what provokes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.public_lists import read_pool, read_surfaced
from crowdlog.engine.choice import find_engine
from crowdlog.mechanisms import find, parse
from crowdlog.plan.as_json import from_json, record
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.plan.selections import AtLeast
from crowdlog.privacy.accounting import step_from_json
from crowdlog.privacy.gaussian import check_epsilon_delta
from crowdlog.privacy.guarantee import Guarantee, compose
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.sampled_counts import SampledCount, smallest_sampled_threshold
from crowdlog.privacy.selection.greedy_update import threshold as greedy_threshold
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes, own_sizes
from crowdlog.privacy.selection.scouted_greedy import ScoutedGreedy
from crowdlog.privacy.selection.truncated_geometric import TruncatedGeometric
from crowdlog.privacy.thresholds import Threshold, smallest_threshold
from crowdlog.release.promise import Promise, Step
from tests.release.errors.bench import Bench, Case, Cases


def spelled(text: str) -> Case:
    """The mechanism cannot be written so, or promises nothing so."""
    return lambda _bench: parse(text).promise()


def opened(text: str, k: int) -> Case:
    """As the rule of a collection that opens what k people share."""
    return lambda _bench: parse(text).opened(k)


def guarantee(*fields: object, **more: object) -> Case:
    return lambda _bench: Guarantee(*fields, **more)


def on_spark(bench: Bench) -> None:
    """Asked before Spark is started: what reads the whole log is refused by its name alone."""

    class Elsewhere:
        elsewhere = True

    parse("Pseudonyms()").check_engine(Elsewhere())


def unknown_tree(bench: Bench) -> None:
    tree = bench.file("Science/Physics\t9\nRegional/Norway\t5\n", "tree.tsv")
    bench.publish(f"SemanticMdav(k=3, tree='{tree}')", i_know=True)


def contradictory(spelling: str, **changes: Any) -> Case:
    """The promise of a mechanism, with other parts in the plan of its first table."""

    def case(_bench: Bench) -> None:
        promise = parse(spelling).promise()
        replace(promise, tables=(replace(promise.tables[0], **changes), *promise.tables[1:]))

    return case


def dearer(_bench: Bench) -> None:
    """A mechanism that promises three times the ε that it is asked for."""

    class Dearer(find("DPu")):
        def promise(self) -> Promise:
            promise = super().promise()
            return replace(promise, guarantee=replace(promise.guarantee, epsilon=6.0))

    dataclass(frozen=True, repr=False)(Dearer)(epsilon=2.0, delta=1e-6, d=2).promise()


FIELD = "DPa(epsilon=2, delta=1e-6, d=2)"
MECHANISM_ERRORS: Cases = {
    "mechanisms/asked.py": {
        "is not what it asks for": dearer,
        "is too extreme to compute": spelled("AClick(epsilon=4, q_f=2, weight_clicks=1e-309)"),
    },
    "release/promise.py": {"This promise contradicts itself": contradictory(FIELD, noise=None)},
    "mechanisms/__init__.py": {
        "There is no mechanism": spelled("Korolov(epsilon=1)"),
        "This mechanism cannot be read": spelled("Korolova(epsilon=)"),
        "This mechanism cannot be read #2": spelled("Korolova(1)"),
        "must be a plain number or text": spelled("FTu(k=3 if 1 else 2)"),
    },
    "mechanisms/parameters.py": {"' parameter of {} must be {}. Got": spelled("FTu(k=-1)")},
    "mechanisms/a_click.py": {
        "AClick needs 'surfaced'": spelled("AClick(epsilon=4, q_f=2, urls='public')"),
        "The 'K' parameter of AClick": spelled("AClick(epsilon=4, q_f=2, mode='open', K=1)"),
    },
    "mechanisms/a_session.py": {
        "parameter of ASession must be at least": spelled("ASession(epsilon=1, delta=1e-5, K=1)")
    },
    "mechanisms/base.py": {
        "has no parameter": spelled("FTu(k=3, bound=2)"),
        "needs the parameter": spelled("FTu()"),
        "{} Use one of {}.": opened("Crowd(epsilon=1, delta=1e-5)", 5),
        "reads the whole log on one machine": on_spark,
    },
    "mechanisms/category_tree.py": {"knows no query of this log": unknown_tree},
    "mechanisms/frequency_threshold.py": {"the k of {} must be at least that": opened("FTu(k=3)", 5)},
    "mechanisms/ka.py": {"the K of KA must be at least": opened("KA(K=2)", 5)},
    "mechanisms/keys.py": {"needs selection='routed'": spelled("Keys(epsilon=1, delta=1e-5, route='long')")},
    "mechanisms/korolova.py": {
        "Korolova needs 'surfaced'": spelled("Korolova(epsilon=1, delta=1e-5, d=2, urls='public')")
    },
    "mechanisms/ladder.py": {
        "or for shares, is too small": lambda bench: bench.publish(
            "Ladder(epsilon=1, delta=1e-9, people=60, weight_counts=1e-13)"
        )
    },
    "mechanisms/mdav.py": {"Mdav takes a file of vectors": spelled("Mdav(k=3, distance='vectors')")},
    "mechanisms/semantic_k_anonymity.py": {
        "'word_users' parameter": spelled("SemanticKAnonymity(k=3, theta=0.5, word_users=5)")
    },
    "mechanisms/zealous.py": {
        "needs the parameter 'users'": spelled(
            "Zealous(epsilon=1, delta=1e-5, d=2, setting='probabilistic')"
        ),
        "The log has more users than": lambda bench: bench.publish(
            "Zealous(epsilon=4, delta=1e-3, d=2, setting='probabilistic', users=59)"
        ),
        "its proof has no room for that": opened(
            "Zealous(epsilon=4, delta=1e-9, d=2, setting='probabilistic', users=1000)", 1000
        ),
    },
    "mechanisms/nebula.py": {
        "has at most six decimals": spelled("Nebula(epsilon=1, delta=1e-8, p=0.12345678, d=5)"),
        "Nebula needs a δ of": spelled("Nebula(epsilon=1, delta=1e-8, p=0.105, d=5, k=2)"),
        "the collection opens nothing below": opened("Nebula(epsilon=1, delta=1e-8, p=0.105, d=5, k=40)", 50),
    },
    "plan/as_json.py": {
        "The plan of tables in the label cannot be read": lambda _bench: from_json([{"is": "Nothing"}]),
        "in it is not whole": lambda _bench: record(Step, {"what": "Count"}),
    },
    "privacy/accounting.py": {
        "A step of the ledger must be": lambda _bench: step_from_json({"step": "coin"})
    },
    "privacy/gaussian.py": {
        "ε must be a number above 0": lambda _bench: check_epsilon_delta(0.0, 1e-5),
        "δ must be at least 1e-30": lambda _bench: check_epsilon_delta(1.0, 0.0),
    },
    "privacy/guarantee.py": {
        "The kind of a guarantee": guarantee(1.0, 0.0, "much DP"),
        "The ε of a guarantee": guarantee(-1.0, 0.0, "pure DP"),
        "The δ of a guarantee": guarantee(1.0, 2.0, "approximate DP"),
        "No differential privacy means": guarantee(1.0, 1.0, "none"),
        "k-anonymity, and nothing else": guarantee(float("inf"), 1.0, "k-anonymity of queries", k=1),
        "Pure differential privacy has": guarantee(1.0, 0.1, "pure DP"),
        "Guarantees for different units": lambda _bench: compose(
            [Guarantee(1.0, 0.0, "pure DP"), Guarantee(1.0, 0.0, "pure DP", unit="one search")]
        ),
    },
    "privacy/histories.py": {
        "Users must be numbers from 0": lambda _bench: Histories.from_rows(np.array([0]), np.array([5]), 3)
    },
    "privacy/noise.py": {"of discrete noise must be": lambda _bench: DiscreteLaplace(0.0)},
    "privacy/rounded_gaussian.py": {"The sigma of rounded Gaussian": lambda _bench: RoundedGaussian(0.0)},
    "privacy/sampled_counts.py": {
        "Sampling needs a probability": lambda _bench: SampledCount(0, 5),
        "makes sampling so private": lambda _bench: smallest_sampled_threshold(900_000, 50, 0.01, 1e-12),
    },
    "privacy/thresholds.py": {
        "of a threshold must be an integer": lambda _bench: Threshold(1.0, 10, 0),
        "The threshold K must be": lambda _bench: Threshold(1.0, 0, 5),
        "Probabilistic differential privacy is proved": lambda _bench: Threshold(1.0, 20, 5).probabilistic(
            100
        ),
        "A threshold needs a positive ε": lambda _bench: smallest_threshold(0.0, 1e-5, 1),
        "No threshold gives δ": lambda _bench: smallest_threshold(60.0, 1e-30, 1),
    },
    "privacy/selection/greedy_update.py": {
        "δ is too small for the noise of GreedyUpdate": lambda _bench: greedy_threshold(60.0, 1e-29)
    },
    "privacy/selection/incidence.py": {
        "The offsets of an incidence": lambda _bench: incidence([0, 5], [1]),
        "The items of an incidence must be numbers": lambda _bench: incidence([0, 1], [7]),
        "must be in rising order": lambda _bench: incidence([0, 2], [1, 1]),
    },
    "privacy/selection/own_size.py": {
        "Own sizes must rise": lambda _bench: OwnSizes((2, 1), (1.0, 1.0)),
        "leave nothing of δ": lambda _bench: own_sizes(0.01, 1e-30, (), 5.0, 3),
    },
    "privacy/selection/scouted_greedy.py": {
        "The share of ε for scouting": lambda _bench: ScoutedGreedy(scout=1.0),
        "its noise is drawn from tables": lambda _bench: ScoutedGreedy().budget(200.0, 1e-30),
    },
    "privacy/selection/truncated_geometric.py": {
        "Truncated geometric selection needs": lambda _bench: TruncatedGeometric(10).chances(1e-4, 1e-5)
    },
    "engine/choice.py": {
        "There is no engine": lambda _bench: find_engine("abacus"),
        "The engine duckdb has no option": lambda _bench: find_engine("duckdb:speed=9"),
    },
    "artifacts/breakdowns.py": {"There is no breakdown": lambda _bench: Breakdown("weekday of birth")},
    "artifacts/kinds.py": {"There is no artifact": lambda _bench: Artifact("poem")},
    "artifacts/public_lists.py": {
        "The pool of queries {} is empty": lambda bench: read_pool(str(bench.file("?\n.\n")), "light")
    },
    "artifacts/query_file.py": {
        "is empty. Give lines of": lambda bench: read_pool(str(bench.file("")), "original"),
        "cannot be used: line": lambda bench: read_surfaced(str(bench.file("a query without a page\n"))),
        "cannot be read: {}.": lambda bench: read_pool(str(bench.folder / "nowhere"), "original"),
        "it is not UTF-8 text": lambda bench: read_pool(str(bench.file(b"\xff\xfe\xfa")), "original"),
    },
}


def incidence(offsets: list[int], items: list[int]) -> Incidence:
    return Incidence(np.array(offsets, np.int64), np.array(items, np.int32), 3)


MECHANISM_PARTS: Cases = {
    "privacy/rounded_gaussian.py": {
        "A larger ε, or a larger share of it, needs less noise.": lambda _bench: RoundedGaussian(1e10)
    },
    "mechanisms/asked.py": {"asks for at most": dearer},
    "plan/agreement.py": {
        "The bound lets one person": contradictory(FIELD, bound=FirstOccurrences(6)),
        "numbers that were compared": contradictory(FIELD, reuses_noise=True),
        "people are promised behind": contradictory("FTu(k=5)", selection=AtLeast(4, "users")),
        "published without noise": contradictory(FIELD, noise=None),
        "is not hidden": contradictory(FIELD, selection=None),
        "The plan costs at least": contradictory(FIELD, noise=DiscreteLaplace(1.0)),
    },
}
