import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.grouping import CITY, correct, open_city
from crowdlog.artifacts.representations import represent


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("recieve mail", "receive mail"), ("weathr forcast", "weather forecast"), ("yahooo", "yahoo")],
)
def test_typing_errors_are_mended(typed, meant):
    assert correct(typed) == meant


@pytest.mark.parametrize(
    "text", ["cats", "plano", "smith", "tucson", "mapquest.com", "win2000", "straße", "weather forecast", ""]
)
def test_short_words_names_and_what_is_no_word_stay(text):
    assert correct(text) == text


@given(st.text(alphabet="abcdefgh ", max_size=20))
def test_a_mended_text_stays_as_it_is(text):
    assert correct(correct(text)) == correct(text)


@pytest.mark.parametrize(
    "text",
    [
        "bars in boston",
        "bars in new york",
        "bars in new york ny",
        "bars in denver colorado",
        "bars in boston massachusetts",
    ],
)
def test_queries_that_differ_in_the_city_are_one(text):
    assert open_city(text) == f"bars in {CITY}"


def test_words_that_are_also_cities_stay_and_so_does_a_city_alone():
    assert open_city("nice mobile phone") == "nice mobile phone"
    assert open_city("new york") == "new york"
    assert open_city("denver or boston flights") == f"{CITY} or {CITY} flights"
    assert open_city("") == ""


def test_cities_are_found_before_words_are_mended():
    assert represent(["Hotels in plano, tx".lower(), "www.hotells in st. louis"], "template") == [
        f"hotels in {CITY}",
        f"hotels in {CITY}",
    ]
    assert represent(["hotells in plano"], "spelling") == ["hotels in plano"]
