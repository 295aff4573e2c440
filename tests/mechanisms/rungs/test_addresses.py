"""An address has one form and one name, by its text alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.mechanisms.rungs.addresses import FORMS, address_cells, written
from crowdlog.mechanisms.rungs.choice import NOT_A_CELL
from crowdlog.mechanisms.rungs.classes import ShownWords

SHOWN = ShownWords(("cars", "google", "www.google", "zoo.com"), ())


def test_every_cell_that_is_left_is_its_own_and_no_text_is_lost():
    cells = np.arange(SHOWN.addresses)
    kept = SHOWN.canonical_addresses(cells)
    texts = [SHOWN.query(key) for key in kept[kept != NOT_A_CELL].tolist()]
    assert len(set(texts)) == len(texts) < len(cells)
    assert not set(texts) & set(SHOWN.texts)  # those are queries of one word
    every = {SHOWN.query(SHOWN.first(4) + cell) for cell in cells.tolist()} - set(SHOWN.texts)
    # what is left out is an address of a name that nobody released
    assert {"www.google.com", "cars.org", "http://www.cars", "www.zoo.com.net"} <= set(texts)
    assert every - set(texts) <= {text for text in every if address_cells(pa.array([text]), SHOWN.names) < 0}


@given(name=st.text("abw.", min_size=1, max_size=6), form=st.integers(0, len(FORMS) - 1))
def test_an_address_leads_back_to_its_name_or_is_no_cell(name, form):
    text = written(name, form)
    cell = int(address_cells(pa.array([text]), pa.array([name]))[0])
    assert cell in (form, -1)
    if "." not in name and not name.startswith("www"):
        assert cell == form


def test_other_texts_are_no_addresses():
    texts = pa.array(["google", "bing.com", "google.co", "ftp://google.com", "", "google com"])
    assert address_cells(texts, SHOWN.names).tolist() == [-1] * 6


def test_a_representation_without_addresses_has_no_cells():
    none = ShownWords(SHOWN.texts, (), addressed=False)
    assert none.addresses == 0
    assert np.all(none.address_keys(pa.array(["google.com"])) == NOT_A_CELL)
