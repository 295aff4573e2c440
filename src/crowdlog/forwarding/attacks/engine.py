"""The search engine: it sees who submits what and when, links queries by topic and names a source."""

from __future__ import annotations

import numpy as np

from crowdlog.forwarding.attacks.scene import Row, Scene
from crowdlog.forwarding.graphs import Edges, UserGraph, power_law
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import simulate
from crowdlog.forwarding.workload import repeated
from crowdlog.measure.intervals import bootstrap_ratio, clopper_pearson
from crowdlog.types import Floats, Ints

WINDOW = 10  # rounds that the engine looks at together
LINKED = (1, 3, 10, 30, 100)  # queries known to come from one person
_STEPS = 60  # of the walk: the rest has a probability below 10^-4
_LEAST = 1e-7  # probability of a submitter whom the model cannot explain
_CLUSTER = 3  # linked queries from which on a source is named


def linkage(scene: Scene) -> list[Row]:
    """Two queries of one topic close in time: do they come from one person?

    The engine looks at ten rounds together, or at as many more as queries may be delayed, whichever is better
    for it. Chance takes any two queries as close in time.
    """
    rows = []
    for width in _windows(scene):
        window = scene.seen_at // width
        tried, won = _partners(window * scene.topics + scene.topic, scene)
        every, same_any = _partners(window, scene)
        low, high = bootstrap_ratio(won, tried, scene.generator(2)) or (0.0, 0.0)
        success = int(won.sum()) / max(1, int(tried.sum()))
        chance = int(same_any.sum()) / max(1, int(every.sum()))
        detail = "two queries of one topic are one person's"
        rows.append(Row("engine", detail, scene.repair.name, chance, success, low, high))
    return [max(rows, key=lambda row: row.success)]


def linked_source(scene: Scene) -> list[Row]:
    """Name a source for each group of linked queries, by the likelihood of its submitters on the known graph.

    Right when most of the group's queries are real and from the person named. Chance draws one of the group's
    submitters.
    """
    log_chance = np.log(np.maximum(submission_chances(scene.done.graph), _LEAST))
    rows = [_named_in(scene, width, log_chance) for width in _windows(scene)]
    return [max(rows, key=lambda row: row.success)]


def _windows(scene: Scene) -> list[int]:
    return sorted(
        {WINDOW * (1 + scene.repair.cover), (WINDOW + scene.repair.delay) * (1 + scene.repair.cover)}
    )


def _named_in(scene: Scene, width: int, log_chance: Floats) -> Row:
    group = (scene.seen_at // width) * scene.topics + scene.topic
    order = np.argsort(group, kind="stable")
    _value, start, size = np.unique(group[order], return_index=True, return_counts=True)
    right, by_lot, owner = [], [], []
    for first, count in zip(start[size >= _CLUSTER], size[size >= _CLUSTER], strict=True):
        queries = order[first : first + count]
        who = np.bincount(scene.source[queries][scene.real[queries]], minlength=scene.done.graph.users)
        truth = int(who.argmax())
        clear = 2 * who[truth] > count
        submitters = scene.submitter[queries]
        guess = int(log_chance[:, submitters].sum(axis=1).argmax())
        right.append(bool(clear and guess == truth))
        by_lot.append(float((submitters == truth).mean()) if clear else 0.0)
        owner.append(truth)
    detail = f"names the source of {_CLUSTER} or more linked queries, graph known"
    return scene.row("engine", detail, np.array(right), np.array(owner), float(np.mean(by_lot)))


def repeated_query(users: int, *, seed: int) -> list[Row]:
    """The seed's worst case: every query of a person is known to be hers, only who she is is not.

    Names the user under whom the submitters are likeliest; chance draws one of the submitters seen.
    """
    rows = []
    variants = {
        "none": Rules(),
        "own queries returned": Rules(returns="own back"),
        "never twice": Rules(returns="never twice"),
        "cut drawn per query": Rules(per_query=True),
    }
    graph = power_law(users, seed=seed)
    log_chance = np.log(np.maximum(submission_chances(graph), _LEAST))
    for name, rules in variants.items():
        done = simulate(graph, repeated(users, max(LINKED)), rules, seed=seed)
        for many in LINKED:
            counts = _submissions(done.submitter[:many])
            guess = np.argmax(counts @ log_chance.T, axis=1)
            right = int((guess == np.arange(users)).sum())
            seen = counts > 0
            chance = float((seen.diagonal() / seen.sum(axis=1)).mean())
            low, high = clopper_pearson(right, users)
            detail = f"names the source of {many} linked queries, graph known"
            rows.append(Row("engine, one query repeated", detail, name, chance, right / users, low, high))
    return rows


def submission_chances(graph: UserGraph) -> Floats:
    """Row u, column v: the probability that v submits a query of u when everybody accepts and nothing is cut.

    The engine knows the graph and the seed's rule, not the cuts and not who refused whom.
    """
    users = graph.users
    sender = np.repeat(np.arange(users), graph.degrees)
    first = np.zeros((users, users))
    first[sender, graph.target] = graph.degree
    first[np.arange(users), np.arange(users)] = 1
    first /= first.sum(axis=1, keepdims=True)
    submitted = np.diag(np.diag(first)).copy()
    carried = first - submitted
    step = np.zeros((users, users))
    step[sender, graph.target] = 1
    for _ in range(_STEPS):
        # a holder next to the source has one choice less: the source does not take her query back
        choices = graph.degrees[None, :] + 1 - step
        carried = np.where(choices > 0, carried / np.maximum(choices, 1), 0)
        submitted += carried
        carried = carried @ step
        carried[np.arange(users), np.arange(users)] = 0
    shares: Floats = submitted / submitted.sum(axis=1, keepdims=True)
    return shares


def _submissions(submitter: Edges) -> Floats:
    rounds, users = submitter.shape
    counts = np.zeros((users, users))
    np.add.at(counts, (np.tile(np.arange(users), rounds), submitter.ravel()), 1)
    return counts


def _partners(group: Ints, scene: Scene) -> tuple[Ints, Ints]:
    """For each user: pairs of a query of hers with another of its group, and those where both are hers and
    real.

    A pair of one person counts twice in both, any other once for each of its two people.
    """
    users = scene.done.graph.users
    _group, place, times = np.unique(group, return_inverse=True, return_counts=True)
    tried = np.bincount(scene.source, times[place] - 1, users).astype(np.int64)
    mine = (group * users + scene.source)[scene.real]
    key, same = np.unique(mine, return_counts=True)
    won = np.bincount(key % users, same * (same - 1), users).astype(np.int64)
    return tried, won
