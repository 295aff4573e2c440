"""Words and sites follow from the text alone."""

import pyarrow as pa
import pytest

from crowdlog.artifacts.parts import sites_of, words_of


def test_words_in_order_and_pairs_within_a_text_only():
    words = words_of([pa.array(["new york new", ""]), pa.array(["york"])])
    assert words.offsets.tolist() == [0, 3, 3, 4]
    assert words.texts.take(pa.array(words.word)).to_pylist() == ["new", "york", "new", "york"]
    assert words.table()["place"].to_pylist() == [0, 1, 2, 0]
    assert words.pairs().select(["query", "place"]).to_pydict() == {"query": [0, 0], "place": [0, 1]}


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://www.cars.com/used?x=1", "cars.com"),
        ("https://me:secret@www2.cars.com:8080/", "www2.cars.com"),
        ("WWW.Cars.com", "cars.com"),
        ("ftp://cars.com", "cars.com"),
        ("/path only", "/path only"),
        ("", ""),
    ],
)
def test_the_site_of_a_url(url, site):
    sites = sites_of([pa.array([url])])
    assert sites.texts.take(pa.array(sites.site)).to_pylist() == [site]


def test_nothing():
    assert (
        words_of([]).table().num_rows == words_of([]).pairs().num_rows == sites_of([]).table().num_rows == 0
    )
