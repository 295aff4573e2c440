"""Slices as numbers, and hosts by a loop as by the pattern."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.numbered_slices import FIRST_SLOTS, SliceNumbers, find_slice, text_bytes
from crowdlog.artifacts.parts import _HOST, sites_of, words_of

PIECES = (
    "http",
    "://",
    "HTTPS://",
    "www.",
    "wWw",
    ".",
    ":",
    "80",
    "/",
    "?",
    "#",
    "@",
    "a",
    "B",
    "é",
    "É",
    "\n",
)


@given(st.lists(st.text(alphabet="ab é", max_size=30), max_size=20), st.integers(0, 20))
def test_words_are_runs_without_blanks(texts, cut):
    array = pa.array(texts, pa.string())
    words = words_of([array[:cut], array[cut:]])
    named = words.texts.to_pylist()
    assert len(set(named)) == len(named)
    found = [named[number] for number in words.word]
    assert found == [word for text in texts for word in text.split(" ") if word]
    assert np.diff(words.offsets).tolist() == [sum(map(bool, text.split(" "))) for text in texts]


def test_many_long_and_short_texts_keep_their_numbers_while_tables_grow():
    drawn = random.Random(4)
    texts = ["".join(drawn.choices("ab", k=drawn.randint(0, 20))) for _ in range(4 * FIRST_SLOTS)]
    first: dict[str, int] = {}
    expected = [first.setdefault(text, len(first)) for text in texts]
    assert len(first) > FIRST_SLOTS
    data, offsets = text_bytes(pa.array(texts))
    numbers = SliceNumbers()
    assert numbers.number(data, offsets[:-1], offsets[1:]).tolist() == expected
    assert numbers.texts().to_pylist() == list(first)


def test_texts_are_found_by_their_places_and_others_are_not():
    numbers = SliceNumbers.of(["cars", "", "a longer one", "a longer two"])
    data, offsets = text_bytes(pa.array(["", "a longer two", "a longer tw", "bars", "cars"]))
    found = [find_slice(data, offsets[i], offsets[i + 1], numbers.table) for i in range(5)]
    assert found == [1, 3, -1, -1, 0]
    with pytest.raises(ValueError, match="twice"):
        SliceNumbers.of(["a", "a"])


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), max_size=20))
def test_hosts_are_those_of_the_pattern(urls):
    array = pa.array(urls, pa.string())
    sites = sites_of([array])
    assert sites_of([array.cast(pa.large_string())]).site.tolist() == sites.site.tolist()
    by_pattern = pc.struct_field(pc.extract_regex(array, _HOST), "site")
    expected = pc.utf8_lower(pc.coalesce(by_pattern, array)).to_pylist()
    assert sites.texts.take(pa.array(sites.site)).to_pylist() == expected
