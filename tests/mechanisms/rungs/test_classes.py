"""One function decides the class of a text, for held and for empty cells."""

from __future__ import annotations

import numpy as np
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
    key = SHOWN.site_key(site)
    if kind is None:
        assert key is None
        return
    starts = np.append(0, np.cumsum(SHOWN.site_classes))
    assert starts[kind] <= key < starts[kind + 1]
    assert SHOWN.site(key) == site


def test_cells_whose_text_is_anothers_are_no_cells():
    """Every cell of every class: those that are left have different texts, and each is its own."""
    cells = np.arange(sum(SHOWN.site_classes))
    kept = SHOWN.canonical_sites(cells)
    kept = kept[kept != NOT_A_CELL]
    texts = [SHOWN.site(key) for key in kept.tolist()]
    assert len(set(texts)) == len(texts) < len(cells)
    assert [SHOWN.site_key(text) for text in texts] == kept.tolist()
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
