"""All attacks under all repairs."""

from __future__ import annotations

from crowdlog.forwarding.attacks.collusion import colluding_neighbours, owned_nodes
from crowdlog.forwarding.attacks.engine import linkage, linked_source, repeated_query
from crowdlog.forwarding.attacks.neighbour import favourite_topic, from_a_sender_with, probe
from crowdlog.forwarding.attacks.scene import REPAIRS, Row, make_scene
from crowdlog.progress import progress_bar

TOPICS = 300
BY_THE_ENGINE = (linkage, linked_source)
# a wait changes nothing for them
ON_THE_WAY = (probe, from_a_sender_with, favourite_topic, colluding_neighbours, owned_nodes)


def attack_all(users: int = 500, queries: int = 100, *, seed: int = 1, topics: int = TOPICS) -> list[Row]:
    """Return a row for each attack under each repair."""
    rows = repeated_query(users, seed=seed)
    with progress_bar("Attacks", len(REPAIRS), unit="repairs") as advance:
        for repair in REPAIRS:
            scene = make_scene(users, queries, repair, seed=seed, topics=topics)
            alone = repair.delay > 0 and repair.cover == 0
            for attack in BY_THE_ENGINE if alone else (*BY_THE_ENGINE, *ON_THE_WAY):
                rows += attack(scene)
            advance(1)
    return rows
