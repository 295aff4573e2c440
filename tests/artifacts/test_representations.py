import snowballstemmer
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.artifacts.representations import REPRESENTATIONS, heavy, light, represent, stem


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


_ENDINGS = (
    "s ies sses us ed edly eed eedly ing ingly y anci enci ogi ogist li bli abli alli fulli lessli ousli "
    "entli aliti biliti iviti tional ational alism ation ization izer ator iveness fulness ousness icate "
    "iciti alize ical ness ic ance ence able ible ate ive ize iti al ism ion er ous ant ent ment ement e "
    "l ll "
).split()
# Snowball's exceptions and beginnings of regions, words as logs have them, and letters at random.
_EXCEPTIONS = (
    "skis skies sky dying lying tying idly gently ugly early only singly news howe atlas cosmos bias andes "
    "inning outing canning herring earring evening proceed exceed succeed arsen commun emerg gener inter "
    "later organ past univers y yy by sayyid Yves 'tis o'neill"
).split()
_words = st.one_of(
    st.sampled_from(_EXCEPTIONS),
    st.text("abcdefghijklmnopqrstuvwxyzY'0é", max_size=9),
    st.builds(str.__add__, st.text("abeilnosty", max_size=6), st.sampled_from(_ENDINGS)),
    st.builds(str.__add__, st.text("abeilnosty", max_size=6), st.sampled_from("abcdfghjkmnopqrtuvwxz")),
)


@given(_words)
@settings(max_examples=600, deadline=None)
def test_a_word_that_is_called_its_own_stem_is_so_by_the_stemmer(word):
    assert stem(word) == snowballstemmer.stemmer("english").stemWord(word)
