"""The attacks on a collection as a system: each on services whose repair is switched off and on the shipped
ones, and linking of volunteers by every single party.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from crowdlog.attacks import system_attacks as attacks
from crowdlog.attacks.collection_trial import CollectionTrial, run_trial
from crowdlog.attacks.linking import (
    DRAIN,
    JUNK,
    VOLUNTEERS,
    WATCH,
    WATCH_FAR_APART,
    WATCHED_TOGETHER,
    link_volunteers,
)
from crowdlog.attacks.old_services import NO_POOLS
from crowdlog.attacks.result import AttackResult
from crowdlog.measure.intervals import clopper_pearson
from crowdlog.privacy.randomness import Randomness
from crowdlog.progress import progress_bar

_SURE = 0.99999  # how sure one must be that somebody links before the command calls it broken


@dataclass(frozen=True)
class SystemAttack:
    """Whether an attack succeeds with its repair switched off, and on the shipped services."""

    name: str
    against_old: bool
    against_ours: bool
    repair: str

    @property
    def as_expected(self) -> bool:
        return self.against_old and not self.against_ours

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "as_expected": self.as_expected}


# switch, name, the attack, what repaired it
ATTACKS: tuple[tuple[str, str, Callable[[CollectionTrial], bool], str], ...] = (
    (
        "A1",
        "one envelope destroys acknowledged reports",
        attacks.lost_reports,
        "one length, admission by slot; a refusal is no delivery",
    ),
    (
        "A2",
        "the aggregation server traces senders",
        attacks.traced_by_the_aggregation_server,
        "a pool stays behind in each mix; the phase is asked at the first mix",
    ),
    (
        "A3",
        "the operator traces senders",
        attacks.traced_by_the_operator,
        "a mix empties itself after the window, and at nobody's word",
    ),
    (
        "A4",
        "an outsider isolates senders with junk",
        attacks.traced_by_an_outsider,
        "the first mix admits by unlinkable slots of members",
    ),
    (
        "A5",
        "a collection for one person",
        attacks.opened_alone,
        "nothing is evaluated before the smallest crowd has joined",
    ),
    (
        "A6",
        "deleted reports are read from the files",
        attacks.read_after_deletion,
        "envelopes are overwritten, reports sealed under keys that are",
    ),
    (
        "A7",
        "an outsider uses up the evaluations",
        attacks.used_up,
        "one value per slot of a member, none for others",
    ),
)


def demonstrate_system(randomness: Randomness) -> list[SystemAttack]:
    """Carry out every attack, with its repair switched off and on the shipped services."""
    outcomes: dict[bool, list[bool]] = {}
    with progress_bar("Attacks on real services", 2 * (len(ATTACKS) + 1), unit="attacks") as advance:
        for old in (True, False):
            with run_trial(randomness, old=old) as trial:
                outcomes[old] = []
                for switch, _name, attack, _repair in ATTACKS:
                    trial.restore(switch)
                    outcomes[old].append(attack(trial))
                    advance(1)
                outcomes[old].append(attacks.other_terms(trial, old=old))
                advance(1)
    names = [(f"{switch}: {name}", repair) for switch, name, _attack, repair in ATTACKS]
    names.append(("A8: other terms under one id", "all terms are hashed into the id, and clients check it"))
    return [
        SystemAttack(name, on_old, on_ours, repair)
        for (name, repair), on_old, on_ours in zip(names, outcomes[True], outcomes[False], strict=True)
    ]


@dataclass(frozen=True)
class Linking:
    """How often one attacker is right with the repairs switched off, and on the shipped services.

    `promised`: the threat model says that he does no better than chance.
    """

    before: AttackResult
    ours: AttackResult
    promised: bool = True

    @property
    def as_expected(self) -> bool:
        return links(self.before) and not (self.promised and links(self.ours))

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.ours.name,
            "repairs_off": self.before.as_dict(),
            "crowdlog": self.ours.as_dict(),
            "links": links(self.ours),
            "promised": self.promised,
            "as_expected": self.as_expected,
        }


def link(randomness: Randomness, volunteers: int = VOLUNTEERS) -> list[Linking]:
    """How often each attacker is right, on the shipped services, and with fewer volunteers where the repairs
    are switched off (attackers who succeed take their time).

    What the pools alone are worth is told by whoever watches both ends: our own members send then, through
    mixes without pools, each when the one before is through.
    """
    with run_trial(randomness, old=True) as trial:
        trial.restore("A2 A3 A4")
        results = link_volunteers(trial, max(150, volunteers // 2), old_members=True, attacks=(WATCH,))
        fewer = max(60, volunteers // 5)
        results += link_volunteers(trial, fewer, old_members=True, attacks=(DRAIN, JUNK))
        before = {one.name: one for one in results}
        trial.restore(NO_POOLS)
        without = {one.name: one for one in link_volunteers(trial, fewer, attacks=(WATCH_FAR_APART,))}
    before[WATCHED_TOGETHER] = without[WATCHED_TOGETHER]
    with run_trial(randomness, old=False) as trial:
        ours = link_volunteers(trial, volunteers)
    return [Linking(before[one.name], one, promised=one.name != WATCHED_TOGETHER) for one in ours]


def links(result: AttackResult) -> bool:
    """Whether an attacker does better than chance, with the certainty that the command demands."""
    if result.success is None or result.chance is None:
        return False
    trials = int(result.details["trials"])
    return clopper_pearson(round(result.success * trials), trials, _SURE)[0] > result.chance
