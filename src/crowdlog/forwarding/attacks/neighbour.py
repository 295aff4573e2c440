"""A neighbour who wants to know whether a query is the sender's own."""

from __future__ import annotations

import numpy as np

from crowdlog.forwarding.attacks.scene import Row, Scene
from crowdlog.forwarding.protocol import UNIT
from crowdlog.types import Bools, Ints

SENDERS = (1, 2, 3, 10)  # neighbours of the sender
_ENOUGH = 10  # queries from one neighbour before her favourite topic is guessed


def probe(scene: Scene) -> list[Row]:
    """Send the query back and see whether it is taken.

    By the seed's rule a source never takes her own query, a forwarder does with the probability of Υ: who is
    refused guesses "source". The figure is how often the guess "refused, so hers" or "taken, so not hers" is
    right; chance always guesses what is more frequent.
    """
    number, step, giver, taker = scene.hops
    is_source = step == 0
    taken = _taken_back(scene, is_source, giver, taker)
    chance = float(max(is_source.mean(), 1 - is_source.mean()))
    informative = 0 < taken.mean() < 1 and scene.done.rules.returns == "source never"
    guess = ~taken if informative else np.full(len(taken), is_source.mean() >= 0.5)
    owner = scene.source[number]
    return [
        scene.row("neighbour", "passive: the sender is the source", is_source, owner, chance=_blind(scene)),
        scene.row("neighbour", "sends the query back", guess == is_source, owner, chance),
    ]


def from_a_sender_with(scene: Scene) -> list[Row]:
    """What a sender hands over and the neighbour did not give her is called hers, by the sender's neighbours.

    Whoever has one neighbour gets queries from her alone: the guess is always right. With cover, it is also
    to be a real query. Chance guesses any user.
    """
    number, step, giver, taker = scene.hops
    given_back = np.zeros(len(number), bool)
    given_back[1:] = (number[1:] == number[:-1]) & (giver[:-1] == taker[1:])
    hers = (step == 0) & scene.real[number]
    rows = []
    for many in SENDERS:
        guessed = ~given_back & (scene.done.graph.degrees[giver] == many)
        detail = f"what a sender with {many} neighbour{'s' * (many > 1)} hands over is hers"
        rows.append(scene.row("neighbour", detail, hers[guessed], giver[guessed], chance=_blind(scene)))
    return rows


def favourite_topic(scene: Scene) -> list[Row]:
    """Remember what a neighbour sent; guess that the topic she sent most often is her favourite."""
    number, _step, giver, taker = scene.hops
    pair = giver * scene.done.graph.users + taker
    topic = scene.topic[number]
    edge, times = np.unique(pair, return_counts=True)
    often = edge[times >= _ENOUGH]
    kept = np.isin(pair, often)
    guessed = _most_frequent(np.searchsorted(often, pair[kept]), topic[kept], len(often), scene.topics)
    true = _favourites(scene)
    who = often // scene.done.graph.users
    overall = np.bincount(scene.topic[scene.real], minlength=scene.topics).argmax()
    chance = float((true[who] == overall).mean())
    detail = f"names the favourite topic after {_ENOUGH} queries or more"
    return [scene.row("neighbour", detail, guessed == true[who], who, chance)]


def _blind(scene: Scene) -> float:
    """Guessing any user."""
    return 1 / scene.done.graph.users


def _taken_back(scene: Scene, is_source: Bools, giver: Ints, taker: Ints) -> Bools:
    """Would the giver take the query back from the taker?"""
    if scene.done.rules.returns == "never twice":
        return np.zeros(len(giver), bool)
    drawn = scene.generator(4).integers(0, UNIT, len(giver))
    willing = drawn < _chance_to_take(scene, giver, taker)
    if scene.done.rules.returns == "source never":
        willing &= ~is_source
    return willing


def _chance_to_take(scene: Scene, giver: Ints, taker: Ints) -> Ints:
    """p[giver, taker] at the end of the simulation: it belongs to the edge from taker to giver."""
    return scene.done.accept[scene.edges(taker, giver)].astype(np.int64)


def _favourites(scene: Scene) -> Ints:
    """The topic of which each user asked most real queries."""
    real = scene.real
    return _most_frequent(scene.source[real], scene.topic[real], scene.done.graph.users, scene.topics)


def _most_frequent(row: Ints, topic: Ints, rows: int, topics: int) -> Ints:
    key, times = np.unique(row * topics + topic, return_counts=True)
    order = np.lexsort((key, -times, key // topics))
    first = np.unique((key // topics)[order], return_index=True)
    best = np.full(rows, -1)
    best[first[0]] = (key % topics)[order][first[1]]
    return best
