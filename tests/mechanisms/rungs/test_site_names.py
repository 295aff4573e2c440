"""What sites are called by, against Python."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.mechanisms.rungs.site_names import LISTED, NO_NAME, ONE_WORD, TWO_WORDS, Namers

WORDS, LIST, SUFFIXES = ("a", "ab", "b", "ba", "é"), ("bb", "ab", "abba", "x"), ("com", "org")


def plainly(site: str) -> tuple[int, int, int]:
    name, dot, suffix = site.rpartition(".")
    if not dot or suffix not in SUFFIXES:
        return NO_NAME, 0, 0
    if name in WORDS:
        return ONE_WORD, WORDS.index(name), SUFFIXES.index(suffix)
    for cut in range(1, len(name)):
        if name[:cut] in WORDS and name[cut:] in WORDS:
            both = WORDS.index(name[:cut]) * len(WORDS) + WORDS.index(name[cut:])
            return TWO_WORDS, both, SUFFIXES.index(suffix)
    if name in LIST:
        return LISTED, LIST.index(name), SUFFIXES.index(suffix)
    return NO_NAME, 0, 0


@given(
    st.lists(
        st.tuples(st.text("abéx.", max_size=6), st.sampled_from(("", ".com", ".org", ".net"))), max_size=20
    )
)
def test_one_word_then_two_then_the_list(parts):
    sites = [name + suffix for name, suffix in parts]
    found = Namers(WORDS, LIST, SUFFIXES).names(pa.array(sites, pa.string()))
    for site, form, place, suffix in zip(sites, found.form, found.place, found.suffix, strict=True):
        expected = plainly(site)
        assert form == expected[0]
        assert form == NO_NAME or (place, suffix) == expected[1:]
