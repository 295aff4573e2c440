"""Who can tell whose a report is: the aggregation server, the operator, each mix, an outsider with junk, each
judged by what it saw on its own line, and by what it did.

Three collections run at once, one for whoever only watches, one for the operator who empties mixes, one for
the outsider who fills them. Members behave as our client does (every report by itself, at a random moment, as
many of everybody, the phase asked at the first mix), or as clients did before: they ask the aggregation
server for the phase and send all they have in one request. The attackers are the same, and learn
(learned_odds.py) from half of the members, who are theirs.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from crowdlog.attacks.collection_trial import POOL, AttackedCollection, CollectionTrial, K, digest
from crowdlog.attacks.collection_trial import volunteer_address as address_of
from crowdlog.attacks.learned_odds import name_holders, name_senders, pair_reports
from crowdlog.attacks.line_signs import (
    Arrivals,
    Callers,
    Sending,
    pair_signs,
    sender_signs,
    sending_signs,
)
from crowdlog.attacks.protocol_testbed import SECRET
from crowdlog.attacks.result import AttackResult
from crowdlog.attacks.system_attacks import OUTSIDER, junk, tried
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.shuffle import shuffled
from crowdlog.crowd.slots import Submission
from crowdlog.errors import CrowdlogError
from crowdlog.progress import progress_bar
from crowdlog.types import Bools, Ints

REPORTS_EACH = 4
VOLUNTEERS = 300
WATCH, DRAIN, JUNK = "watch", "drain", "junk"
WATCH_FAR_APART = "watch far apart"  # nobody sends before the last one's envelope has come out of the mixes
WATCHED_TOGETHER = "volunteers' lines and the aggregation server's, watched together"
_MARGIN = 3  # how much longer than sending takes on a quiet look the upload window is
_LEAST_WINDOW = 15
_LONG = 3600  # seconds that attackers who isolate one volunteer after the other never need
_EVERY = 10  # an attacker who was refused tries again after so many events
_PAUSE = 0.05


@dataclass
class Run:
    """One collection in the hands of one attacker. Envelopes are known by a hash of what they look like
    behind a mix; people by their number, which is the order in which they joined.
    """

    attack: str
    target: AttackedCollection
    holds: Bools  # who has more than one thing to report
    after_first: dict[str, int] = field(default_factory=dict)
    after_second: dict[str, int] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    accepted: int = 0
    refused: bool = False
    events: int = 0

    @property
    def people(self) -> int:
        return len(self.target.submissions)


def link_volunteers(
    trial: CollectionTrial,
    volunteers: int = VOLUNTEERS,
    *,
    old_members: bool = False,
    attacks: Sequence[str] = (WATCH, DRAIN, JUNK),
) -> list[AttackResult]:
    """Let so many volunteers of each collection send while it is attacked; say how often each attacker is
    right.
    """
    waits_for_the_end = not old_members and WATCH_FAR_APART not in attacks  # the pools do
    number = len(attacks) * volunteers * REPORTS_EACH
    window = int(_LEAST_WINDOW + _MARGIN * number * _pace(trial)) if waits_for_the_end else _LONG
    runs = [_prepared(trial, attack, volunteers, window, cover=not old_members) for attack in attacks]
    for run in runs:
        trial.open_uploads(run.target)
    _send_all(trial, runs, old_members=old_members)
    left = 2 * POOL if old_members else 0  # both mixes wait for more, and the window is far from its end
    for run in runs:
        if not trial.wait_arrived(run.target, set(run.after_second), 2.0 * window, left, pause=1.0):
            raise CrowdlogError("Not all reports arrived: this machine is too busy for the trial; try again.")
    return [result for run in runs for result in _results(trial, run)]


def _pace(trial: CollectionTrial) -> float:
    """How many seconds a sending takes on this machine now, from a small collection that is given up."""
    target = trial.collection(K, REPORTS_EACH, _LONG)
    trial.mine(target, [[SECRET.decode()]] * K)
    trial.open_uploads(target)
    begun = time.monotonic()
    for person, own in enumerate(target.submissions):
        for one in own:
            trial.send(target, [one], address_of(person))
    return (time.monotonic() - begun) / (K * REPORTS_EACH)


def _prepared(trial: CollectionTrial, attack: str, volunteers: int, window: int, *, cover: bool) -> Run:
    """A collection that is ready to be sent: all have one thing in common, every second one has more."""
    target = trial.collection(volunteers, REPORTS_EACH, window, cover=cover)
    holds = np.zeros(volunteers, bool)
    holds[shuffled(range(volunteers), trial.randomness)[: volunteers // 2]] = True
    common = SECRET.decode()
    more = [f"{common} {number}" for number in range(REPORTS_EACH - 1)]
    trial.mine(target, [[common, *more] if one else [common] for one in holds])
    run = Run(attack, target, holds)
    for person, own in enumerate(target.submissions):
        for one in own:
            first, second, report = trial.layers(one)
            run.after_first[digest(first)] = run.after_second[digest(second)] = person
            run.reports[digest(second)] = Report.parse(report)
    return run


def _send_all(trial: CollectionTrial, runs: Sequence[Run], *, old_members: bool) -> None:
    """Everybody sends, in random order; after each sending the attacker of that collection does his worst."""
    sendings: list[tuple[Run, int, list[bytes]]] = []
    for run in runs:
        for person, own in enumerate(run.target.submissions):
            sendings += [(run, person, own)] if old_members else [(run, person, [one]) for one in own]
    act = {WATCH: _watch, WATCH_FAR_APART: _wait, DRAIN: _drain, JUNK: _fill}
    with progress_bar("Sending", len(sendings), unit="sendings") as advance:
        for run, person, envelopes in shuffled(sendings, trial.randomness):
            if old_members or run.events % REPORTS_EACH == 0:
                role = "aggregation" if old_members else "mix"
                trial.ask_phase(run.target, address_of(person), role)
            trial.send(run.target, envelopes, address_of(person))
            run.events += 1
            if old_members:  # minutes lie between two people: what fills a batch has left by then
                _insist(trial, partial(_batches_are_gone, trial, run))
            if not run.refused or run.events % _EVERY == 0:
                act[run.attack](trial, run)
            advance(1)


def _batches_are_gone(trial: CollectionTrial, run: Run) -> bool:
    return all(_status(trial, run, place)["held"] < POOL for place in range(len(trial.operator.mixes)))


def _watch(_trial: CollectionTrial, _run: Run) -> None:
    """Who only watches does nothing."""


def _wait(trial: CollectionTrial, run: Run) -> None:
    """Without pools every envelope comes out by itself, if the next one is far enough away."""
    _insist(trial, lambda: trial.seen(run.target) >= run.events)


def _drain(trial: CollectionTrial, run: Run) -> None:
    """The operator looks at the count of the first mix with her token. When it has grown she empties the
    mixes, again and again until they hold nothing.
    """
    counted = [_status(trial, run, place) for place in range(len(trial.operator.mixes))]
    if counted[0]["accepted"] == run.accepted:
        return
    run.accepted = counted[0]["accepted"]

    def emptied() -> bool:
        answers = [tried(mix, f"{run.target.at}/drain") for mix in trial.operator.mixes]
        run.refused = not all(answers)
        return run.refused or not any(
            _status(trial, run, place)["held"] for place in range(len(trial.operator.mixes))
        )

    _insist(trial, emptied)


def _status(trial: CollectionTrial, run: Run, place: int) -> dict[str, int]:
    return trial.operator.mixes[place].call("GET", f"{run.target.at}/status")


def _fill(trial: CollectionTrial, run: Run) -> None:
    """Somebody who never joined posts enough junk to fill a batch, and waits until it has come out."""
    before = trial.seen(run.target)
    if junk(trial, run.target, POOL) != 202:
        run.refused = True
        return
    _insist(trial, lambda: trial.seen(run.target) > before)


def _insist(trial: CollectionTrial, done: Callable[[], bool]) -> None:
    for _ in range(10 * trial.attempts):
        if done():
            return
        time.sleep(_PAUSE)


def _results(trial: CollectionTrial, run: Run) -> list[AttackResult]:
    """What each attacker of a collection makes of what he saw."""
    arrived = Arrivals.of(trial.arrivals(run.target, "aggregation"), set(run.after_second))
    owner = np.array([run.after_second[one] for one in arrived.names])
    reports = [run.reports[one] for one in arrived.names]
    names = {DRAIN: "operator who empties mixes", JUNK: "outsider with junk"}
    who = names.get(run.attack, "aggregation server")
    signs = sender_signs(arrived, _callers(trial, run), run.people)
    results = [
        name_senders(f"{who}: whose", signs, owner, trial.randomness),
        pair_reports(f"{who}: pairs", pair_signs(arrived), owner, _possible(reports), trial.randomness),
    ]
    return results + (_passive_results(trial, run, arrived, owner) if run.attack not in names else [])


def _passive_results(trial: CollectionTrial, run: Run, arrived: Arrivals, owner: Ints) -> list[AttackResult]:
    """What the mixes see, and what somebody sees who watches both ends."""
    sendings = _sendings(trial, run)
    passed = Arrivals.of(trial.arrivals(run.target, "mix2"), set(run.after_first))
    passed_owner = np.array([run.after_first[one] for one in passed.names])
    possible = np.ones((len(passed.names), len(passed.names)), bool)
    both_ends = sender_signs(arrived, [(call.moment, call.who) for call in sendings], run.people)
    return [
        name_holders(
            "first mix: who has more", sending_signs(sendings, run.people), run.holds, trial.randomness
        ),
        pair_reports("second mix: pairs", pair_signs(passed), passed_owner, possible, trial.randomness),
        name_senders(WATCHED_TOGETHER, both_ends, owner, trial.randomness),
    ]


def _possible(reports: Sequence[Report]) -> Bools:
    """Two reports with one slot number, or of one group, are of two people: the aggregation server sees
    that.
    """
    slots = np.array([report.slot for report in reports])
    groups = np.unique([report.group.hex() for report in reports], return_inverse=True)[1]
    possible: Bools = (slots[:, None] != slots) & (groups[:, None] != groups)
    return possible


def _callers(trial: CollectionTrial, run: Run) -> Callers:
    """Which members called the aggregation server for this collection, and when."""
    number = {address_of(person): person for person in range(run.people)}
    return [
        (call.moment, number[call.address])
        for call in trial.lines["aggregation"].calls
        if call.path.startswith(run.target.at) and call.address in number
    ]


def _sendings(trial: CollectionTrial, run: Run) -> list[Sending]:
    """What the first mix sees of members who send."""
    number = {address_of(person): person for person in range(run.people)}
    found = []
    for call in trial.lines["mix1"].calls:
        if call.path == f"{run.target.at}/envelopes" and call.address != OUTSIDER:
            sent = call.json()["submissions"]
            slot = Submission.parse(base64.b64decode(sent[0])).slot
            found.append(Sending(call.moment, number[call.address], len(sent), len(call.body), slot))
    return found
