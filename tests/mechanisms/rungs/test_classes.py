"""One function decides the class of a text, for held and for empty cells."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.mechanisms.rungs.choice import NOT_A_CELL
from crowdlog.mechanisms.rungs.classes import SUFFIXES, ShownWords, named, squashed

SHOWN = ShownWords(("rapist", "the", "therapist"), ("a", "rapist", "zoo"))


@pytest.mark.parametrize(
    ("site", "kind"),
    [
        ("the.com", 0),
        ("therapist.org", 0),  # a word of its own, though two words make it, too
        ("rapistthe.net", 1),
        ("zoo.gov", 2),
        ("zoo.de", None),
        ("unheard.com", None),
        ("the", None),
    ],
)
def test_the_class_of_a_site(site, kind):
    (key,) = SHOWN.site_keys(pa.array([site])).tolist()
    if kind is None:
        assert key == NOT_A_CELL
        return
    starts = np.append(0, np.cumsum(SHOWN.site_classes))
    assert starts[kind] <= key < starts[kind + 1]
    assert SHOWN.site(key) == site


WORDS = ["a", "b", "ab", "ba", "bab"]


@given(
    st.lists(st.sampled_from([*WORDS, "c"]), max_size=3),
    st.sampled_from([*SUFFIXES, "de"]),
    st.sets(st.sampled_from(WORDS)),
    st.sets(st.sampled_from(WORDS)),
)
def test_the_key_of_a_site_is_that_of_its_first_way_to_be_called(parts, suffix, words, listed):
    """Against all ways to call a site, tried one after the other."""
    shown = ShownWords(tuple(sorted(words)), tuple(sorted(listed)))
    name, kinds = "".join(parts), len(SUFFIXES)
    one, two, _listed = shown.site_classes
    ways = [shown.place[name] * kinds] if name in words else []
    ways += [
        one + (shown.place[name[:cut]] * shown.size + shown.place[name[cut:]]) * kinds
        for cut in range(1, len(name))
        if name[:cut] in words and name[cut:] in words
    ]
    ways += [one + two + sorted(listed).index(name) * kinds] if name in listed else []
    expected = ways[0] + SUFFIXES.index(suffix) if ways and suffix in SUFFIXES else NOT_A_CELL
    assert shown.site_keys(pa.array([f"{name}.{suffix}"])).tolist() == [expected]


def test_cells_whose_text_is_anothers_are_no_cells():
    """Every cell of every class: those that are left have different texts, and each is its own."""
    cells = np.arange(sum(SHOWN.site_classes))
    kept = SHOWN.canonical_sites(cells)
    kept = kept[kept != NOT_A_CELL]
    texts = [SHOWN.site(key) for key in kept.tolist()]
    assert len(set(texts)) == len(texts) < len(cells)
    assert SHOWN.site_keys(pa.array(texts)).tolist() == kept.tolist()
    assert set(texts) == {SHOWN.site(key) for key in cells.tolist()}  # and no text is lost


@given(st.lists(st.sampled_from(SHOWN.texts), min_size=1, max_size=3))
def test_queries_of_up_to_three_words_have_one_cell(words):
    cell = 0
    for word in words:
        cell = cell * SHOWN.size + SHOWN.place[word]
    assert SHOWN.query(SHOWN.first(len(words)) + cell) == " ".join(words)


def test_sites_called_like_the_query():
    assert squashed("www.new york.com") == squashed("newyork.org") == "newyork"
    cells = named(["cars", "new york"], ["cars.com", "cars.org", "newyork.net", "york.com"])
    assert cells.tolist() == [0, 1, 4 + 2]
    assert len(SUFFIXES) == 5
