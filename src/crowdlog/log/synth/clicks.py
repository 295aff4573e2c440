"""Which results are clicked.

The result at a rank depends on the query alone, so that people who search alike click alike.
"""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.recipe import FORM, HEAD, LENGTH, SECRET, SITE, SUBTOPIC, TOKENS
from crowdlog.log.synth.render import put, put_token
from crowdlog.log.synth.rng import one_of, scramble, uniform, unit_of
from crowdlog.log.synth.world import World

_HTTP = np.frombuffer(b"http://www.", np.uint8)
_ENDS = np.frombuffer(b".com.net.org.edu", np.uint8)
MOST_CLICKS = 8
# 29.6 clicks on 33.65 new queries per user (docs/synthetic.md): shares of queries clicked at all, and how
# often another click follows.
_CLICKED_SITE, _CLICKED_TEXT, _AGAIN = 0.72, 0.545, 0.43
_BITS = np.uint64(20)


@kernel
def draw_ranks(w: World, state: U64, recipe: I64, ranks: I64) -> int:
    """Fill `ranks` with the clicked ranks in the order of the page; return how many."""
    if uniform(state) >= (_CLICKED_SITE if recipe[FORM] == SITE else _CLICKED_TEXT):
        return 0
    n = 0
    while True:
        rank = one_of(state, w.ints, w.rank, w.ranks)
        place = n
        while place > 0 and ranks[place - 1] > rank:
            place -= 1
        if place == 0 or ranks[place - 1] != rank:
            for i in range(n, place, -1):
                ranks[i] = ranks[i - 1]
            ranks[place] = rank
            n += 1
        if n == MOST_CLICKS or uniform(state) >= _AGAIN:
            return n


@kernel
def _result_bits(recipe: I64, rank: int) -> np.uint64:
    """What names the result: half of the ranks show the head's own results, the others those of head and
    first refinement.
    """
    subject = int(recipe[HEAD]) * 1_000 + rank if recipe[FORM] != SITE else int(recipe[TOKENS]) * 7_919 + rank
    bits = scramble(subject)
    if recipe[LENGTH] > 1 and bits % np.uint64(2) == 1:
        bits = scramble(bits ^ np.uint64(recipe[TOKENS + 1]))
    return bits


@kernel
def _put_other_site(w: World, out: U8, at: int, bits: np.uint64) -> int:
    """A site that few results show: two words in one."""
    at = put_token(w, out, at, w.ints[w.common + int(unit_of(scramble(bits)) ** 2 * w.commons)])
    at = put_token(
        w, out, at, w.ints[w.common + int(unit_of(scramble(bits + np.uint64(1))) ** 2 * w.commons)]
    )
    return put(out, at, _ENDS, 0, 4)


@kernel
def put_url(w: World, out: U8, at: int, recipe: I64, rank: int) -> int:
    """Write the address of the result at this rank."""
    at = put(out, at, _HTTP, 0, 11)
    if recipe[FORM] == SITE and rank == 1:
        for i in range(recipe[LENGTH]):
            at = put_token(w, out, at, recipe[TOKENS + i])
        return put(out, at, _ENDS, 0, 4)
    bits = _result_bits(recipe, rank)
    u = unit_of(bits)
    kind = unit_of(scramble(bits >> _BITS))
    topic = recipe[SUBTOPIC]
    if topic < w.subtopics and kind < 0.65:
        first, end = w.ints[w.host_from + topic], w.ints[w.host_from + topic + 1]
        return put_token(w, out, at, w.ints[w.host + first + int(u * u * u * (end - first))])
    if kind < 0.75 and recipe[FORM] != SECRET:
        at = put_token(w, out, at, w.ints[w.site + int(u * u * u * w.sites)])
        return put(out, at, _ENDS, 0, 4)
    return _put_other_site(w, out, at, bits)
