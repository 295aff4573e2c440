"""Which results are clicked.

The result at a rank depends on the text, so that people who search alike see and click alike. How clicks of a
need spread over its results is one of three: nearly all on one site (navigational), as the page shows them,
or flat, where everybody pages on and takes something else.
"""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.needs import OTHER_SITE, PERSON, PORTAL, TOPICAL, VARIANTS, kind_of, rank_of
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.recipe import FORM, HEAD, LENGTH, SECRET, SITE, SUBTOPIC, TOKENS
from crowdlog.log.synth.render import put, put_token
from crowdlog.log.synth.rng import one_of, scramble, skewed, uniform, unit_of
from crowdlog.log.synth.world import World

_HTTP = np.frombuffer(b"http://www.", np.uint8)
_ENDS = np.frombuffer(b".com.net.org.edu", np.uint8)
MOST_CLICKS = 8
_DOT = 46
_DEEPEST = 400  # the last result that people reach who page through a flat need
_BITS = np.uint64(20)
NAVIGATIONAL, AS_SHOWN, FLAT, PEAKED = 0, 1, 2, 3
# Of shared needs that are not navigational: those whose clicks are flat, and those with a clear first result.
_FLAT, _PEAKED = 0.55, 0.2
_OFTEN = 2_000  # the ranks of needs that many have: only they can be seen to be flat
# Of results that are nobody's own site: a site of the topic, one that everybody knows; the rest few show.
_TOPIC_SITE, _KNOWN_SITE = 0.50, 0.14
_FALLS = 0.12  # how fast being navigational falls with the need's rank


@kernel
def law_of(p: Population, recipe: I64, need: int, page: np.uint64) -> int:
    """How the clicks of a search spread; `page` is a number of its text."""
    kind = kind_of(need)
    if recipe[FORM] == SECRET:
        return AS_SHOWN
    if kind in (PORTAL, OTHER_SITE):
        return NAVIGATIONAL
    rank = rank_of(need)
    bits = scramble(page)
    if unit_of(bits) < p.navigational * float(1 + rank) ** -_FALLS:
        return NAVIGATIONAL
    u = unit_of(scramble(bits))
    if u < _FLAT and rank < _OFTEN:
        return FLAT
    return PEAKED if u > 1.0 - _PEAKED else AS_SHOWN


@kernel
def _draw_rank(w: World, state: U64, law: int, page: np.uint64) -> int:
    u = uniform(state)
    if law == NAVIGATIONAL:
        # Beta(60, 1): how sure the first result is
        if u < unit_of(page) ** (1.0 / 60.0):
            return 1
        return 2 + skewed(state, 8)
    if law == FLAT:
        return 1 + int(u * _DEEPEST)
    if law == PEAKED and u < 0.5:
        return 1
    return one_of(state, w.ints, w.rank, w.ranks)


@kernel
def draw_ranks(
    w: World, p: Population, state: U64, recipe: I64, need: int, page: np.uint64, clicked: int, ranks: I64
) -> int:
    """Fill `ranks` with the clicked ranks in the order of the page; return how many.

    `clicked` is the rank she clicked when she searched this before, or 0.
    """
    law = law_of(p, recipe, need, page)
    if uniform(state) >= (p.clicked_site if law == NAVIGATIONAL else p.clicked_text):
        return 0
    if clicked and uniform(state) < p.same_click:
        ranks[0] = clicked
        return 1
    again = p.click_again * (0.25 if law == NAVIGATIONAL else 1.0)
    n = 0
    while True:
        rank = _draw_rank(w, state, law, page)
        place = n
        while place > 0 and ranks[place - 1] > rank:
            place -= 1
        if place == 0 or ranks[place - 1] != rank:
            for i in range(n, place, -1):
                ranks[i] = ranks[i - 1]
            ranks[place] = rank
            n += 1
        if n == MOST_CLICKS or uniform(state) >= again:
            return n


@kernel
def _result_bits(recipe: I64, need: int, page: np.uint64, rank: int) -> np.uint64:
    """What names the result: some ranks show what the whole subject shows, the others are the text's own."""
    bits = scramble(page + np.uint64(rank))
    if kind_of(need) == TOPICAL and bits % np.uint64(3) == 0:
        return scramble(int(recipe[HEAD]) * 1_000 + rank)
    return bits


@kernel
def _put_other_site(w: World, out: U8, at: int, bits: np.uint64) -> int:
    """A site that few results show: two words in one."""
    at = put_token(w, out, at, w.ints[w.common + int(unit_of(scramble(bits)) ** 3 * w.commons)])
    at = put_token(
        w, out, at, w.ints[w.common + int(unit_of(scramble(bits + np.uint64(1))) ** 3 * w.commons)]
    )
    return put(out, at, _ENDS, 0, 4)


@kernel
def _put_joined(w: World, out: U8, at: int, token: int) -> int:
    """A token as part of a site's name: letters and digits only."""
    end = put_token(w, out, at, token)
    for i in range(at, end):
        if out[i] >= 97 or 48 <= out[i] <= 57:
            out[at] = out[i]
            at += 1
    return at


@kernel
def _put_own_site(w: World, out: U8, at: int, recipe: I64, need: int) -> int:
    """The site that is called like the need."""
    kind = kind_of(need)
    if kind == TOPICAL:
        phrase = recipe[HEAD]
        for i in range(w.ints[w.phrase_from + phrase], w.ints[w.phrase_from + phrase + 1]):
            if w.ints[w.phrase + i] >= 0:
                at = _put_joined(w, out, at, w.ints[w.phrase + i])
        return put(out, at, _ENDS, 0, 4)
    tokens = 1
    if kind == PERSON:
        tokens = 2
    elif kind == OTHER_SITE:
        tokens = recipe[LENGTH] - (0 if recipe[FORM] == SITE else 1)
    for i in range(tokens):
        at = _put_joined(w, out, at, recipe[TOKENS + i])
    end = 4 * (recipe[HEAD] // VARIANTS) if kind == OTHER_SITE else 0
    return put(out, at, _ENDS, end, end + 4)


@kernel
def put_url(
    w: World, p: Population, out: U8, at: int, recipe: I64, need: int, page: np.uint64, rank: int
) -> int:
    """Write the address of the result at this rank."""
    at = put(out, at, _HTTP, 0, 11)
    bits = _result_bits(recipe, need, page, rank)
    if rank == 1 and law_of(p, recipe, need, page) == NAVIGATIONAL:
        named = _put_own_site(w, out, at, recipe, need)
        # a phrase that is nothing but a place has no name of its own
        return named if out[at] != _DOT else _put_other_site(w, out, at, bits)
    u = unit_of(bits)
    kind = unit_of(scramble(bits >> _BITS))
    topic = recipe[SUBTOPIC]
    if topic < w.subtopics and kind < _TOPIC_SITE:
        first, end = w.ints[w.host_from + topic], w.ints[w.host_from + topic + 1]
        return put_token(w, out, at, w.ints[w.host + first + int(u * u * (end - first))])
    if kind < _TOPIC_SITE + _KNOWN_SITE and recipe[FORM] != SECRET:
        at = put_token(w, out, at, w.ints[w.site + int(u * u * u * w.sites)])
        return put(out, at, _ENDS, 0, 4)
    return _put_other_site(w, out, at, bits)
