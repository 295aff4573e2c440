"""The adaptive selection over many machines: users in blocks, items in shares, two exchanges a round.

A block weighs its users' items; a share of the items sums what all blocks gave, adds noise and says what
each item is worth now. What they exchange are numbers of keys and whole sums, so that neither the order nor a
task done twice changes anything. As soon as what is left of all users fits one task, that task finishes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.engine.spark.blocks import UserBlock, by_user
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian, ItemState, Rounds, lengths_of
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.own_size import OwnSizes
from crowdlog.types import Ints

FITS = 30_000_000  # held items of all users that one task takes: 120 MB
HELD = "block int, held int, offsets binary, items binary, keys binary, worth binary, lengths binary"
GIVEN = "share int, block int, keys binary, worth binary, sums binary"
STATE = "share int, block int, keys binary, weights binary, known binary, worth binary"
WHOLE_SHARE = -1  # the block number of a share's own state
Row = dict[str, Any]
Rows = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class SharedSelection:
    """What a task must know: public numbers, and the secret of the noise."""

    method: AdaptiveGaussian
    rounds: Rounds
    own: OwnSizes | None
    sized: bool  # whether sizes are those of the whole release
    unknown: float  # what items beside the favoured list are worth
    parts: int
    randomness: KeyedRandomness


def select_there(selection: SharedSelection, rows: Any) -> Ints:
    """The keys that pass. `rows`: a data frame of user, key and, where they matter, size and inside."""
    held = by_user(rows, selection.parts, partial(begin_block, selection), HELD).persist()
    state: Any = held.sparkSession.createDataFrame([], STATE)
    used = [held]
    try:
        for number in range(len(selection.rounds.shares)):
            left = held.agg({"held": "sum"}).collect()[0][0] or 0
            if number and left <= FITS:
                return _keys(_finished(selection, number, held, state))
            state = _summed(selection, number, held, state).persist()
            held = _told(held, state).persist()
            used += [state, held]
        return _keys(_own(state).mapInArrow(lambda batches: end_shares(selection, batches), "key long"))
    finally:
        for frame in used:
            frame.unpersist()


def _keys(frame: Any) -> Ints:
    return np.sort(frame.toArrow()["key"].to_numpy().astype(np.int64))


def _own(state: Any) -> Any:
    """What shares know, without what they tell blocks."""
    return state.where(f"block = {WHOLE_SHARE}")


def _summed(selection: SharedSelection, number: int, held: Any, state: Any) -> Any:
    """One exchange: what blocks give goes to the shares of the items. PySpark counts a function's arguments,
    so these are functions of exactly two.
    """
    given = held.mapInArrow(lambda batches: give(selection, batches), GIVEN)
    both = given.groupBy("share").cogroup(_own(state).groupBy("share"))
    return both.applyInArrow(lambda left, right: after_round(selection, number, left, right), STATE)


def _told(held: Any, state: Any) -> Any:
    """The other: what items are worth goes back to the blocks that hold them."""
    news = state.where(f"block <> {WHOLE_SHARE}")
    return held.groupBy("block").cogroup(news.groupBy("block")).applyInArrow(tell_block, HELD)


def _finished(selection: SharedSelection, number: int, held: Any, state: Any) -> Any:
    from pyspark.sql.functions import lit

    everything = held.withColumn("one", lit(0)).groupBy("one")
    both = everything.cogroup(_own(state).withColumn("one", lit(0)).groupBy("one"))
    return both.applyInArrow(lambda left, right: finish(selection, number, left, right), "key long")


# --- what tasks do ---


def begin_block(selection: SharedSelection, block: UserBlock) -> Rows:
    """Bound each user's items and write the block as arrays."""
    from pyspark import TaskContext

    inside = selection.randomness.within("histories", block.keys, block.users)
    held, ids = block.histories.distinct().bounded(selection.method.items_per_user, inside).held()
    begun = selection.rounds.begin(ids, np.where(block.inside, 1.0, selection.unknown))
    lengths = lengths_of(held, selection.own, block.sizes if selection.sized else None)
    task: Any = TaskContext.get()
    yield _held_row(task.partitionId(), held, block.keys[ids], begun.worth, lengths)


def give(selection: SharedSelection, batches: Rows) -> Rows:
    """A block weighs, and sends every share of the items its sums, and what it took them to be worth: before
    the first round that is their prior.
    """
    for batch in batches:
        for row in batch.to_pylist():
            keys, worth = _array(row, "keys", np.int64), _array(row, "worth", np.int16)
            sums = selection.rounds.weigh(_incidence(row), worth, _array(row, "lengths", np.int64))
            share = _share_of(keys, selection.parts)
            for number in np.unique(share):
                mine = share == number
                yield _row(
                    {"share": int(number), "block": row["block"]},
                    {"keys": keys[mine], "worth": worth[mine], "sums": sums[mine]},
                )


def after_round(selection: SharedSelection, number: int, given: pa.Table, state: pa.Table) -> pa.Table:
    """A share of the items after a round: its own state, and what each block should know."""
    rows = given.to_pylist()
    before = _item_state(state.to_pylist()[0]) if number else _first_state(rows)
    sums = np.zeros(len(before.ids), np.int64)
    for row in rows:
        sums[np.searchsorted(before.ids, _array(row, "keys", np.int64))] += _array(row, "sums", np.int64)
    after, _alive = selection.rounds.after(number, before, sums, selection.randomness.within("histories"))
    share = (given if rows else state).column("share")[0].as_py()
    told = [_state_row(share, WHOLE_SHARE, after)]
    for row in rows:
        theirs = np.flatnonzero(np.isin(after.ids, _array(row, "keys", np.int64)))
        told.append(_state_row(share, row["block"], after.only(theirs)))
    return pa.Table.from_batches(told)


def tell_block(held: pa.Table, news: pa.Table) -> pa.Table:
    """A block after a round: only items that go on, with what they are worth."""
    row = held.to_pylist()[0]
    told = _joined([_item_state(each) for each in news.to_pylist()])
    left = _incidence(row).only(np.searchsorted(_array(row, "keys", np.int64), told.ids))
    lengths = _array(row, "lengths", np.int64)
    return pa.Table.from_batches([_held_row(row["block"], left, told.ids, told.worth, lengths)])


def finish(selection: SharedSelection, first: int, held: pa.Table, state: pa.Table) -> pa.Table:
    """The rounds from `first` on with all that is left, in one task."""
    rounds, inside = selection.rounds, selection.randomness.within("histories")
    whole = _joined([_item_state(row) for row in state.to_pylist()])
    blocks = [(_renumbered(row, whole.ids), _array(row, "lengths", np.int64)) for row in held.to_pylist()]
    for number in range(first, len(rounds.shares)):
        sums = np.zeros(len(whole.ids), np.int64)
        for incidence, lengths in blocks:
            sums += rounds.weigh(incidence, whole.worth, lengths)
        whole, alive = rounds.after(number, whole, sums, inside)
        blocks = [(incidence.only(alive), lengths) for incidence, lengths in blocks]
    return pa.table({"key": rounds.end(whole).items})


def end_shares(selection: SharedSelection, batches: Rows) -> Rows:
    """The keys of each share that reached the bar."""
    for batch in batches:
        for row in batch.to_pylist():
            yield pa.record_batch({"key": selection.rounds.end(_item_state(row)).items})


# --- arrays in rows ---


def _share_of(keys: Ints, shares: int) -> Ints:
    """Which share of the items a key belongs to: spread well, whatever the keys are."""
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(40)) % np.uint64(shares)).astype(np.int64)


def _first_state(rows: list[Row]) -> ItemState:
    keys = np.concatenate([_array(row, "keys", np.int64) for row in rows])
    known = np.concatenate([_array(row, "worth", np.int16) for row in rows])
    ids, first = np.unique(keys, return_index=True)
    return ItemState(ids, np.zeros(len(ids), np.int64), known[first], known[first].copy())


def _joined(states: list[ItemState]) -> ItemState:
    """Several shares as one, by rising keys."""
    numbers, parts = np.zeros(0, np.int64), np.zeros(0, np.int16)
    nothing = ItemState(numbers, numbers, parts, parts)
    columns = zip(
        *((each.ids, each.weights, each.known, each.worth) for each in (nothing, *states)), strict=True
    )
    whole = ItemState(*(np.concatenate(column) for column in columns))
    return whole.only(np.argsort(whole.ids))


def _renumbered(row: Row, ids: Ints) -> Incidence:
    """A block with its items numbered as everywhere; order is kept, because both rise."""
    place = np.searchsorted(ids, _array(row, "keys", np.int64)).astype(np.int32)
    held = _incidence(row)
    return Incidence(held.offsets, place[held.items], len(ids))


def _incidence(row: Row) -> Incidence:
    return Incidence(
        _array(row, "offsets", np.int64), _array(row, "items", np.int32), len(_array(row, "keys", np.int64))
    )


def _item_state(row: Row) -> ItemState:
    numbers = (_array(row, name, np.int64) for name in ("keys", "weights"))
    return ItemState(*numbers, *(_array(row, name, np.int16) for name in ("known", "worth")))


def _state_row(share: int, block: int, state: ItemState) -> pa.RecordBatch:
    return _row(
        {"share": share, "block": block},
        {"keys": state.ids, "weights": state.weights, "known": state.known, "worth": state.worth},
    )


def _held_row(block: int, held: Incidence, keys: Ints, worth: Any, lengths: Ints) -> pa.RecordBatch:
    arrays = {"offsets": held.offsets, "items": held.items, "keys": keys, "worth": worth, "lengths": lengths}
    return _row({"block": block, "held": len(held.items)}, arrays)


def _row(numbers: dict[str, int], arrays: dict[str, Any]) -> pa.RecordBatch:
    columns: dict[str, Any] = {name: pa.array([value], pa.int32()) for name, value in numbers.items()}
    for name, array in arrays.items():
        columns[name] = pa.array([np.ascontiguousarray(array).tobytes()], pa.binary())
    return pa.record_batch(columns)


def _array(row: Row, name: str, kind: Any) -> Any:
    return np.frombuffer(row[name], kind)
