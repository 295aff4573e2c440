"""Who can tell whose a report is: the aggregation server, the operator, each mix, an outsider with junk, all
at work on one collection of the shipped services, each judged by what it saw on its own line.

Volunteers do what the client does: every report leaves by itself, at its own random moment, as many of each.
An attribution names an address for each report that reached the aggregation server; a pair says of two
reports that stand side by side that they are one person's. Chance is what naming anybody, or any two, gives.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from crowdlog.attacks.collection_trial import AttackedCollection, CollectionTrial, digest
from crowdlog.attacks.collection_trial import volunteer_address as address_of
from crowdlog.attacks.protocol_testbed import SECRET
from crowdlog.attacks.result import AttackResult, result_of_trials
from crowdlog.attacks.system_attacks import OUTSIDER, junk, tried
from crowdlog.crowd.shuffle import shuffled, uniform_below
from crowdlog.errors import CrowdlogError
from crowdlog.progress import progress_bar

REPORTS_EACH = 4
VOLUNTEERS = 300
_SENT_PER_SECOND = 8  # a careful guess, from which the upload window follows
_EVERY = 10  # reports between two attempts of the operator and of the outsider
_JUNK = 5

Guesses = list[tuple[float, str]]  # from this moment on: this address


@dataclass
class EnvelopeOwners:
    """Whose each envelope is, by what it looks like behind the first mix and behind the second."""

    after_first: dict[str, str]
    after_second: dict[str, str]


def link_volunteers(trial: CollectionTrial, volunteers: int = VOLUNTEERS) -> list[AttackResult]:
    """Let so many volunteers send while everybody attacks; say how often each attacker is right."""
    window = 15 + volunteers * REPORTS_EACH // _SENT_PER_SECOND
    target = trial.collection(volunteers, REPORTS_EACH, window)
    chosen = set(shuffled(range(volunteers), trial.randomness)[: volunteers // 2])
    trial.mine(target, [SECRET.decode()], chosen)
    holders = {address_of(person) for person in chosen}
    truth = _truth(trial, target)
    trial.open_uploads(target)
    attempts = _send_all(trial, target)
    if not trial.wait_arrived(target, set(truth.after_second), 2.0 * window):
        raise CrowdlogError("Not all reports arrived: this machine is too busy for the trial; try again.")
    arrived = [
        (moment, one)
        for moment, part in trial.arrivals(target, "aggregation")
        for one in part
        if one in truth.after_second
    ]
    addresses = [address_of(person) for person in range(volunteers)]
    results = [
        _attribution("aggregation server", arrived, _callers(trial, target), addresses, truth),
        _attribution("operator", arrived, attempts["operator"], addresses, truth),
        _attribution("outsider with junk", arrived, attempts["outsider"], addresses, truth),
        _first_mix(trial, target, holders),
    ]
    chance = (REPORTS_EACH - 1) / (len(truth.after_second) - 1)
    for name, line, owner in (
        ("second mix: pairs", "mix2", truth.after_first),
        ("aggregation server: pairs", "aggregation", truth.after_second),
    ):
        same = [
            owner[one] == owner[other]
            for _moment, part in trial.arrivals(target, line)
            for one, other in pairwise(known for known in part if known in owner)
        ]
        results.append(result_of_trials(name, sum(same), len(same), chance))
    return results


def _truth(trial: CollectionTrial, target: AttackedCollection) -> EnvelopeOwners:
    truth = EnvelopeOwners({}, {})
    for person, own in enumerate(target.submissions):
        for one in own:
            first, second, _report = trial.layers(one)
            truth.after_first[digest(first)] = address_of(person)
            truth.after_second[digest(second)] = address_of(person)
    return truth


def _send_all(trial: CollectionTrial, target: AttackedCollection) -> dict[str, Guesses]:
    """Send every report at its own moment; meanwhile the operator tries to empty the mixes and the outsider
    to fill batches, each after the volunteer who they believe is sending.
    """
    moments = [(address_of(person), one) for person, own in enumerate(target.submissions) for one in own]
    attempts: dict[str, Guesses] = {"operator": [], "outsider": []}
    people = len(target.submissions)
    with progress_bar("Sending", len(moments), unit="reports") as advance:
        for number, (address, one) in enumerate(shuffled(moments, trial.randomness)):
            if number % REPORTS_EACH == 0:
                trial.ask_phase(target, address, "mix")
            trial.send(target, [one], address)
            if number % _EVERY == 0:
                believed = address_of(number * people // len(moments))
                victim = address_of(uniform_below(people, trial.randomness))
                for mix in trial.operator.mixes:
                    tried(mix, f"{target.at}/drain")
                attempts["operator"].append((_now(trial), believed))
                junk(trial, target, _JUNK)
                attempts["outsider"].append((_now(trial), victim))
            advance(1)
    return attempts


def _now(trial: CollectionTrial) -> float:
    return trial.lines["mix1"].calls[-1].moment


def _callers(trial: CollectionTrial, target: AttackedCollection) -> Guesses:
    """Who called the aggregation server for this collection, and when."""
    return [
        (call.moment, call.address)
        for call in trial.lines["aggregation"].calls
        if call.path.startswith(target.at) and call.address != "127.0.0.1"
    ]


def _attribution(
    name: str, arrived: Guesses, guesses: Guesses, addresses: list[str], truth: EnvelopeOwners
) -> AttackResult:
    """Name for each report whom the last guess before its arrival named; without any, go by the order in
    which people joined.
    """
    begins = [moment for moment, _address in guesses]
    right = 0
    for place, (moment, one) in enumerate(arrived):
        before = bisect(begins, moment)
        by_order = addresses[place * len(addresses) // len(arrived)]
        right += truth.after_second[one] == (guesses[before - 1][1] if before else by_order)
    return result_of_trials(name, right, len(arrived), 1 / len(addresses))


def _first_mix(trial: CollectionTrial, target: AttackedCollection, holders: set[str]) -> AttackResult:
    """The first mix sees who sends, when, how many and how long. Every second volunteer has something to
    report, the others cover alone: it names those with the most, of these the longest, of these the earliest.
    """
    seen: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for call in trial.lines["mix1"].calls:
        if call.path == f"{target.at}/envelopes" and call.address != OUTSIDER:
            seen[call.address].append((call.moment, len(call.body)))
    order = sorted(seen, key=lambda one: (-len(seen[one]), -sum(size for _, size in seen[one]), seen[one][0]))
    half = len(order) // 2
    right = sum((place < half) == (address in holders) for place, address in enumerate(order))
    return result_of_trials("first mix: who has something to report", right, len(order), 0.5)
