"""The adaptive selection over many machines: users in blocks, items in shares, two exchanges a round.

A block weighs its users' items; a share of the items sums what all blocks gave, adds noise and says what
each item is worth now. What they exchange are numbers of keys and whole sums, so that neither the order nor a
task done twice changes anything. As soon as what is left of all users fits one task, that task finishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from crowdlog.engine.spark.blocks import UserBlock
from crowdlog.engine.spark.exchange import Sent, by_share, exchange, gathered
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian, ItemState, Rounds, lengths_of
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes
from crowdlog.types import Ints

FITS = 30_000_000  # held items of all users that one task takes: at most 500 MB
_NONE, _NO_WORTH = np.zeros(0, np.int64), np.zeros(0, np.int16)
NOTHING = ItemState(_NONE, _NONE, _NO_WORTH, _NO_WORTH)


@dataclass(frozen=True)
class SharedSelection:
    """What a task must know: public numbers, and the secret of the noise."""

    method: AdaptiveGaussian
    rounds: Rounds
    own: OwnSizes | None
    sized: bool  # whether sizes are those of the whole release
    unknown: float  # what items beside the favoured list are worth
    shares: int
    randomness: KeyedRandomness


class Held(NamedTuple):
    """A block of users with what they hold, and what these keys are worth."""

    incidence: Incidence
    keys: Ints
    worth: Any
    lengths: Ints


class Given(NamedTuple):
    """What a block gives to the keys of a share, and what it took them to be worth: before the first round
    that is their prior.
    """

    block: int
    keys: Ints
    worth: Any
    sums: Ints


class AfterRound(NamedTuple):
    """A share of the items: its state, and what each block should know of it."""

    state: ItemState
    told: list[tuple[int, ItemState]]


def select_there(selection: SharedSelection, blocks: Any) -> Ints:
    """The keys that pass. `blocks`: of UserBlock, at most one in a partition."""
    from pyspark import StorageLevel

    held = blocks.mapPartitions(partial(_begun, selection)).persist(StorageLevel.DISK_ONLY)
    state: Any = None
    used = [held]
    try:
        for number in range(len(selection.rounds.shares)):
            if fits(held.map(_items_held).sum()):
                return _keys(_finished(selection, number, held, state))
            state = _summed(selection, number, held, state).persist(StorageLevel.DISK_ONLY)
            held = _told(held, state).persist(StorageLevel.DISK_ONLY)
            used += [state, held]
        return _keys(state.map(partial(_passed, selection)))
    finally:
        for each in used:
            each.unpersist()


def fits(items: int) -> bool:
    """Whether one task takes so many held items of all users."""
    return items <= FITS


def _keys(found: Any) -> Ints:
    return np.sort(np.concatenate([_NONE, *found.collect()]))


def _summed(selection: SharedSelection, number: int, held: Any, state: Any) -> Any:
    """One exchange: what blocks give goes to the shares of the items."""
    given = gathered(exchange(held.mapPartitionsWithIndex(partial(_give, selection)), selection.shares))
    if state is None:
        return given.map(lambda messages: after_round(selection, number, messages, None))
    return given.zip(state.map(_state_of)).map(lambda both: after_round(selection, number, both[0], both[1]))


def _told(held: Any, state: Any) -> Any:
    """The other: what items are worth goes back to the blocks that hold them."""
    news = gathered(exchange(state.flatMap(_news_of), held.getNumPartitions()))
    return held.zip(news).map(lambda both: tell_block(both[0], both[1]))


def _finished(selection: SharedSelection, number: int, held: Any, state: Any) -> Any:
    everything = held.map(_to_the_first)
    if state is not None:
        everything = everything.union(state.map(_state_of).map(_to_the_first))
    return gathered(exchange(everything, 1)).map(lambda messages: finish(selection, number, messages))


# --- what tasks do ---


def _to_the_first(message: Any) -> Sent:
    return 0, message


def _state_of(share: AfterRound) -> ItemState:
    return share.state


def _news_of(share: AfterRound) -> list[tuple[int, ItemState]]:
    return share.told


def _items_held(held: Held) -> int:
    return len(held.incidence.items)


def _passed(selection: SharedSelection, share: AfterRound) -> Ints:
    return selection.rounds.end(share.state).items


def _begun(selection: SharedSelection, blocks: Iterator[UserBlock]) -> Iterator[Held]:
    """One for each partition, empty where there are no users."""
    found = list(blocks)  # read to the end: Spark ends workers that leave something unread
    nobody = Held(Incidence(np.zeros(1, np.int64), np.zeros(0, np.int32), 0), _NONE, _NO_WORTH, _NONE)
    yield begin_block(selection, found[0]) if found else nobody


def begin_block(selection: SharedSelection, block: UserBlock) -> Held:
    """Bound each user's items."""
    inside = selection.randomness.within("histories", block.keys, block.users)
    held, ids = block.histories.distinct().bounded(selection.method.items_per_user, inside).held()
    begun = selection.rounds.begin(ids, np.where(block.inside, 1.0, selection.unknown))
    lengths = lengths_of(held, selection.own, block.sizes if selection.sized else None)
    return Held(held, block.keys[ids], begun.worth, lengths)


def _give(selection: SharedSelection, number: int, blocks: Iterator[Held]) -> Iterator[Sent]:
    """A block weighs, and sends every share of the items its sums."""
    for held in blocks:
        sums = selection.rounds.weigh(held.incidence, held.worth, held.lengths)
        for share, mine in by_share(held.keys, selection.shares):
            yield share, Given(number, held.keys[mine], held.worth[mine], sums[mine])


def after_round(
    selection: SharedSelection, number: int, given: list[Given], before: ItemState | None
) -> AfterRound:
    """A share of the items after a round: its own state, and what each block should know."""
    state = _first_state(given) if before is None else before
    sums = np.zeros(len(state.ids), np.int64)
    for each in given:
        sums[np.searchsorted(state.ids, each.keys)] += each.sums
    after, _alive = selection.rounds.after(number, state, sums, selection.randomness.within("histories"))
    told = [(each.block, after.only(_places(after.ids, each.keys))) for each in given]
    return AfterRound(after, told)


def _places(ids: Ints, keys: Ints) -> Ints:
    """Where those of the keys stand that are among the ids; both rise."""
    at = np.searchsorted(ids, keys)
    there = at < len(ids)
    found = at[there]
    places: Ints = found[ids[found] == keys[there]]
    return places


def tell_block(held: Held, news: list[ItemState]) -> Held:
    """A block after a round: only items that go on, with what they are worth."""
    told = _joined(news)
    left = held.incidence.only(np.searchsorted(held.keys, told.ids))
    return Held(left, told.ids, told.worth, held.lengths)


def finish(selection: SharedSelection, first: int, messages: list[Held | ItemState]) -> Ints:
    """The rounds from `first` on with all that is left, in one task."""
    rounds, inside = selection.rounds, selection.randomness.within("histories")
    held = [each for each in messages if isinstance(each, Held)]
    whole = _joined([each for each in messages if isinstance(each, ItemState)])
    if not first:  # no share has a state yet
        whole = _first_state(held)
    blocks = [(_renumbered(each, whole.ids), each.lengths) for each in held]
    for number in range(first, len(rounds.shares)):
        sums = np.zeros(len(whole.ids), np.int64)
        for incidence, lengths in blocks:
            sums += rounds.weigh(incidence, whole.worth, lengths)
        whole, alive = rounds.after(number, whole, sums, inside)
        blocks = [(incidence.only(alive), lengths) for incidence, lengths in blocks]
    return rounds.end(whole).items


def _first_state(given: Sequence[Given | Held]) -> ItemState:
    keys = np.concatenate([_NONE, *(each.keys for each in given)])
    known = np.concatenate([_NO_WORTH, *(each.worth for each in given)])
    ids, first = np.unique(keys, return_index=True)
    return ItemState(ids, np.zeros(len(ids), np.int64), known[first], known[first].copy())


def _joined(states: list[ItemState]) -> ItemState:
    """Several shares as one, by rising keys."""
    columns = zip(
        *((each.ids, each.weights, each.known, each.worth) for each in (NOTHING, *states)), strict=True
    )
    whole = ItemState(*(np.concatenate(column) for column in columns))
    return whole.only(np.argsort(whole.ids))


def _renumbered(held: Held, ids: Ints) -> Incidence:
    """A block with its items numbered as everywhere; order is kept, because both rise."""
    place = np.searchsorted(ids, held.keys).astype(np.int32)
    return Incidence(held.incidence.offsets, place[held.incidence.items], len(ids))
