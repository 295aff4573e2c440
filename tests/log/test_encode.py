"""The hash table against a plain dictionary."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.log import encode
from crowdlog.log.columns import pack_texts
from crowdlog.log.encode import Dictionary


def plain(batches: list[list[bytes]]) -> tuple[list[int], list[bytes]]:
    known: dict[bytes, int] = {}
    ids = [known.setdefault(text, len(known)) if text else -1 for batch in batches for text in batch]
    return ids, list(known)


def texts(dictionary: Dictionary) -> list[bytes]:
    data, offsets = dictionary.slice(0, len(dictionary))
    return [data[low:high].tobytes() for low, high in pairwise(offsets)]


@given(st.lists(st.lists(st.one_of(st.binary(max_size=3), st.binary(max_size=40)), max_size=200), max_size=5))
def test_ids_are_those_of_a_plain_dictionary(batches):
    dictionary = Dictionary()
    got = [int(i) for batch in batches for i in dictionary.encode(pack_texts(batch))]
    ids, known = plain(batches)
    assert got == ids
    assert texts(dictionary) == known


def test_it_grows_far_beyond_its_first_size():
    rng = np.random.default_rng(5)
    batches = [[b"%d" % n for n in rng.integers(0, 60_000, 20_000)] for _ in range(8)]
    dictionary = Dictionary()
    got = [int(i) for batch in batches for i in dictionary.encode(pack_texts(batch))]
    ids, known = plain(batches)
    assert got == ids
    assert texts(dictionary) == known
    assert dictionary.memory > 60_000 * 8


def test_equal_hashes_do_not_mean_equal_texts(monkeypatch):
    """With every hash the same, all texts share one chain and one tag: only their bytes tell them apart."""
    monkeypatch.setattr(encode, "_hash", lambda _data, _start, _size, _seed: np.uint64(3))
    known = [b"a", b"b", b"aa", b"ab", b"a", b"b", b"ab"]
    ids = np.empty(len(known), np.int64)
    column = pack_texts(known)
    table, arena, ends = np.zeros(64, np.uint64), np.empty(100, np.uint8), np.zeros(64, np.int64)
    count, _touched = encode._intern.py_func(
        column.data, column.start, column.size, ids, table, arena, ends, 0, 1
    )
    assert ids.tolist() == [0, 1, 2, 3, 0, 1, 3]
    assert count == 4


def test_the_seed_changes_nothing_that_is_seen():
    one, other = Dictionary(), Dictionary()
    column = [b"x", b"y", b"x", b"", b"z"]
    assert one._seed != other._seed
    assert (
        one.encode(pack_texts(column)).tolist()
        == other.encode(pack_texts(column)).tolist()
        == [0, 1, 0, -1, 2]
    )
