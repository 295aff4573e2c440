"""Neighbours who put together what they see, and an engine that owns some of the nodes."""

from __future__ import annotations

import numpy as np

from crowdlog.forwarding.attacks.scene import Row, Scene
from crowdlog.forwarding.graphs import Edges
from crowdlog.types import Bools, Ints

SHARES = (0.25, 0.5, 1.0)  # of a person's neighbours
OWNED = (0.01, 0.05, 0.2)  # of all nodes


def colluding_neighbours(scene: Scene) -> list[Row]:
    """A share of x's neighbours compare notes: what x hands to one of them and none of them gave her is hers.

    The share of such guesses that are right and, with cover, also a real query of hers. Chance calls every
    query that x hands over hers.
    """
    number, step, giver, taker = scene.hops
    draws = scene.generator(5).random(len(scene.done.graph.target))
    hers = (step == 0) & scene.real[number]
    chance = float(hers.mean())
    rows = []
    for share in SHARES:
        member = _members(scene, draws < share, giver, taker)
        given_before = np.zeros(len(number), bool)
        given_before[1:] = (number[1:] == number[:-1]) & _members(scene, draws < share, giver[1:], giver[:-1])
        guessed = member & ~given_before
        detail = f"{share:.0%} of the neighbours: what none of them gave her is hers"
        rows.append(scene.row("colluding neighbours", detail, hers[guessed], giver[guessed], chance))
    return rows


def owned_nodes(scene: Scene) -> list[Row]:
    """The first owned node on the way names whoever gave it the query; without one, the submitter is named.

    Share of what honest users ask that is put down to its source and is, with cover, a real query: the engine
    cannot tell cover from it. Chance names the submitter: what the engine reaches that owns no node.
    """
    paths = scene.done.paths.reshape(len(scene.source), -1)
    rows = []
    for share in OWNED:
        owned = scene.generator(6).random(scene.done.graph.users) < share
        seen = ~owned[scene.source]
        source, submitter = scene.source[seen], scene.submitter[seen]
        named = _named(paths[seen], owned, submitter)
        chance = float(((submitter == source) & scene.real[seen]).mean())
        detail = f"the engine owns {share:.0%} of the nodes"
        right = (named == source) & scene.real[seen]
        rows.append(scene.row("owned nodes", detail, right, source, chance))
    return rows


def _named(paths: Edges, owned: Bools, submitter: Ints) -> Ints:
    on_way = (paths >= 0) & owned[paths]
    first = np.argmax(on_way, axis=1)
    met = on_way.any(axis=1)
    before = paths[np.arange(len(paths)), np.maximum(first - 1, 0)]
    return np.where(met, before, submitter)


def _members(scene: Scene, chosen: Bools, user: Ints, other: Ints) -> Bools:
    """Whether `other` is one of the colluding neighbours of `user`."""
    edge = scene.edges(user, other)
    return (edge >= 0) & chosen[edge]
