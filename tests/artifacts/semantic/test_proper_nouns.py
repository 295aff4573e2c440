import pytest

from crowdlog.artifacts.semantic.proper_nouns import is_proper_noun, places_of


@pytest.mark.parametrize("word", ["smith", "britney", "johnson", "london", "denver", "florida"])
def test_persons_and_places(word):
    assert is_proper_noun(word)


@pytest.mark.parametrize(
    "word", ["case", "phone", "mobile", "nice", "reading", "young", "price", "lyrics", "zzyzx"]
)
def test_words_that_happen_to_be_names(word):
    assert not is_proper_noun(word)


def test_places_of_several_words():
    assert ("los", "angeles") in places_of(2)
    assert ("salt", "lake", "city") in places_of(3)
