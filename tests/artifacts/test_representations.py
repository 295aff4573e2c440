from hypothesis import given
from hypothesis import strategies as st

from crowdlog.artifacts.representations import REPRESENTATIONS, heavy, light, represent


def test_light_drops_site_parts_and_punctuation():
    assert light("www.example.com") == "example"
    assert light("what's new, at example.edu?") == "what s new at example"
    assert light("comedy.community") == "comedy community"


def test_heavy_stems_sorts_and_drops_stop_words():
    assert heavy("the running of bulls") == heavy("bull run") == "bull run"


def test_a_query_of_stop_words_keeps_them():
    assert heavy("the who") == "the who"


@given(st.text())
def test_each_representation_is_stable_under_itself_or_its_own_light_form(text):
    assert light(light(text)) == light(text)
    assert heavy(light(text)) == heavy(text)


def test_represent_takes_names():
    assert [represent(["www.Dogs.com"], name) for name in REPRESENTATIONS] == [
        ["www.Dogs.com"],
        ["Dogs"],
        ["Dog"],
        ["Dogs"],
        ["Dogs"],
    ]
