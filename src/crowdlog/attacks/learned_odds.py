"""What an attacker makes of what he saw. Half of the members are his: of their envelopes he knows the
sender, so he learns from them which signs tell a sender, and judges the other half by these signs.

Signs are small numbers (bins). An attacker who learns needs no idea of ours where the leak is: whatever in
his view goes with the sender raises the odds. Each half is judged once with the other half as his.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crowdlog.attacks.result import AttackResult, result_of_trials
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Bools, Floats, Ints

BINS = 32  # values of a sign: 0 … BINS − 1
_PRIOR = 0.5  # added to every count, so that what was never seen is not impossible


@dataclass(frozen=True)
class LearnedOdds:
    """For each sign and each of its values the logarithm of how much more often it stands where two things
    belong together.
    """

    table: Floats  # signs × BINS

    @classmethod
    def learn(cls, signs: Ints, belongs: Bools) -> LearnedOdds:
        """`signs`: … × signs; `belongs`: the truth, of the same shape without the last axis."""
        rows = []
        for sign in np.moveaxis(signs, -1, 0):
            yes = np.bincount(sign[belongs], minlength=BINS) + _PRIOR
            no = np.bincount(sign[~belongs], minlength=BINS) + _PRIOR
            rows.append(np.log(yes / yes.sum()) - np.log(no / no.sum()))
        return cls(np.array(rows))

    def of(self, signs: Ints) -> Floats:
        """The odds that things with these signs belong together: those of the signs, added up."""
        odds: Floats = np.zeros(signs.shape[:-1])
        for row, sign in zip(self.table, np.moveaxis(signs, -1, 0), strict=True):
            odds += row[sign]
        return odds


def name_senders(name: str, signs: Ints, owner: Ints, randomness: Randomness) -> AttackResult:
    """Name the likeliest sender of each report.

    `signs`: reports × people × signs; `owner`: whose each report is. Chance is naming anybody of the half.
    """
    right = trials = 0
    people = signs.shape[1]
    for his, others in _halves(people, randomness):
        own, judged = np.isin(owner, his), np.isin(owner, others)
        truth = owner[own][:, None] == his[None, :]
        odds = LearnedOdds.learn(signs[own][:, his], truth).of(signs[judged][:, others])
        named = others[_shaken(odds, randomness).argmax(axis=1)]
        right += int((named == owner[judged]).sum())
        trials += int(judged.sum())
    return result_of_trials(name, right, trials, 2 / people)


def pair_reports(
    name: str, signs: Ints, owner: Ints, possible: Bools, randomness: Randomness
) -> AttackResult:
    """Put reports together that are one person's, each into one pair, the likeliest pairs first.

    `signs`: reports × reports × signs; `possible`: pairs that may be one person's as far as what is inside
    tells. Chance is the share of true pairs among the possible ones.
    """
    right = trials = same_pairs = all_pairs = 0
    for his, others in _halves(int(owner.max()) + 1, randomness):
        own, judged = np.flatnonzero(np.isin(owner, his)), np.flatnonzero(np.isin(owner, others))
        learnt = possible[np.ix_(own, own)]
        truth = owner[own][:, None] == owner[own][None, :]
        odds = LearnedOdds.learn(signs[np.ix_(own, own)][learnt], truth[learnt])
        allowed = np.triu(possible[np.ix_(judged, judged)], 1)
        same = owner[judged][:, None] == owner[judged][None, :]
        scores = _shaken(odds.of(signs[np.ix_(judged, judged)]), randomness)
        pairs = _likeliest(scores, allowed)
        right += sum(bool(same[pair]) for pair in pairs)
        trials += len(pairs)
        same_pairs += int(same[allowed].sum())
        all_pairs += int(allowed.sum())
    return result_of_trials(name, right, trials, same_pairs / all_pairs)


def _likeliest(scores: Floats, allowed: Bools) -> list[tuple[int, int]]:
    """Pairs in order of their score, each thing in one of them."""
    first, second = np.nonzero(allowed)
    taken: set[int] = set()
    pairs = []
    for place in np.argsort(-scores[first, second]):
        one, other = int(first[place]), int(second[place])
        if one not in taken and other not in taken:
            taken |= {one, other}
            pairs.append((one, other))
    return pairs


def name_holders(name: str, signs: Ints, holds: Bools, randomness: Randomness) -> AttackResult:
    """Name the half of the people who hold something. `signs`: people × signs. Chance is 1/2."""
    right = trials = 0
    for his, others in _halves(len(holds), randomness):
        odds = _shaken(LearnedOdds.learn(signs[his], holds[his]).of(signs[others]), randomness)
        named = odds > np.median(odds)
        right += int((named == holds[others]).sum())
        trials += len(others)
    return result_of_trials(name, right, trials, 0.5)


def _halves(people: int, randomness: Randomness) -> Iterator[tuple[Ints, Ints]]:
    order = _generator(randomness).permutation(people)
    first, second = order[: people // 2], order[people // 2 :]
    yield first, second
    yield second, first


def _shaken(odds: Floats, randomness: Randomness) -> Floats:
    """LearnedOdds with ties broken at random."""
    return odds + 1e-9 * _generator(randomness).random(odds.shape)


def _generator(randomness: Randomness) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(randomness.bytes(16), "big"))
