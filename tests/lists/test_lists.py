"""The small lists that crowdlog carries, and what is looked up in them."""

import pytest

from crowdlog.lists import places
from crowdlog.lists.words import all_words, frequent_words, usual_frequency, word_frequency


def test_words_are_all_there_and_the_most_frequent_come_first():
    words = all_words()
    assert len(words) == len(set(words)) == 321_180
    assert words[:3] == ["the", "to", "and"]
    assert len(frequent_words(50_000)) == 50_000
    assert "0000" in words
    assert not {"0000", "0.0", "00th"} & set(frequent_words(321_180))


@pytest.mark.parametrize(
    ("word", "frequency"), [("the", 0.0537), ("THE", 0.0537), ("denver", 1.7e-05), ("zqxv", 0.0), ("-", 0.0)]
)
def test_frequencies_are_wordfreqs(word, frequency):
    assert word_frequency(word) == frequency


def test_a_word_of_several_parts_is_rarer_than_each():
    assert 0 < word_frequency("baden-baden") < word_frequency("baden")
    assert usual_frequency("zqxv") == 1e-8


def test_places_are_all_there_the_largest_first():
    cities = places.cities()
    assert len(cities) == 34_006
    assert cities == tuple(sorted(cities, key=lambda city: -city.people))
    assert next(city for city in cities if city.american).name == "New York City"
    assert ("New York", "NY") in places.states()
    assert len(places.states()) == 51
    assert "France" in places.countries()
    assert "Autauga County" in places.counties()
