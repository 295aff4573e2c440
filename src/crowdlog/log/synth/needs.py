"""What people look for: a need is a number, and its texts follow from the number.

Frequent needs have small numbers within their topic and are met by many; a need that is one person's own is
drawn from so many numbers that nobody else meets it. Variants of a need are the ways in which it is said.
"""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import F64, I64, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.recipe import (
    FORM,
    HEAD,
    LENGTH,
    SECRET,
    SITE,
    SUBTOPIC,
    TEXT,
    TOKENS,
    WIDTH,
    WORDS,
    any_city,
    compose,
    push,
    push_phrase,
    rare_token,
    refine,
    topic_word,
)  # fmt: skip
from crowdlog.log.synth.rng import by_weight, early_one_of, one_of, scramble, skewed, uniform
from crowdlog.log.synth.world import PEOPLE, SECRETS, SITES, TYPED, World

# Kinds of needs.
PORTAL, OTHER_SITE, PERSON, RARE, TOPICAL = 0, 1, 2, 3, 4
# A portal's number is site · VARIANTS + way of typing it.
# A need's number: kind, sub-topic, then a rank or, above OWN, a number nobody else has.
_KIND, _TOPIC, OWN = 1 << 60, 1 << 52, 1 << 50
_OWN_BITS = np.uint64(OWN - 1)
VARIANTS = 6  # a site as name, name.com, www.name.com, http://www.name.com, name .com, www.name
DOMAIN_ENDS = 4  # .com, .net, .org, .edu
_TYPED: F64 = np.cumsum(np.array(TYPED))
# How many words a topical query is meant to have: 1, 2, … 9.
_WORDS: F64 = np.cumsum(np.array([0.20, 0.33, 0.23, 0.11, 0.065, 0.036, 0.018, 0.008, 0.003]))


@kernel
def kind_of(need: int) -> int:
    """Portal, other site, person, rare word, topical."""
    return need // _KIND


@kernel
def rank_of(need: int) -> int:
    """How many needs of its kind and topic are more frequent; from OWN on, nobody else has it."""
    return need % _TOPIC


@kernel
def own_need(kind: int, number: int) -> int:
    """A need that nobody else has."""
    return kind * _KIND + OWN + number


@kernel
def _power(state: U64, n: float, exponent: float) -> int:
    """A rank below n by a power law with an exponent below 1."""
    return int(n * uniform(state) ** (1.0 / (1.0 - exponent)))


@kernel
def new_need(w: World, p: Population, state: U64, topic: int) -> int:
    """What somebody turns to who has no task at hand."""
    u = uniform(state)
    kind = TOPICAL
    if u < p.site:
        kind = OTHER_SITE
    elif u < p.site + p.person:
        kind = PERSON
    elif u < p.site + p.person + p.rare:
        kind = RARE
    return need_of(w, p, state, kind, topic)


@kernel
def need_of(w: World, p: Population, state: U64, kind: int, topic: int) -> int:
    """A need of this kind: shared with others, or one's own."""
    weight = w.cum[w.subtopic_cum + topic] - (w.cum[w.subtopic_cum + topic - 1] if topic else 0.0)
    number = OWN + int(np.int64(scramble(state[0]) & _OWN_BITS))
    if uniform(state) < p.shared:
        number = _power(state, p.needs * weight, p.need_exponent)
    return kind * _KIND + topic * _TOPIC + number


@kernel
def _begin(recipe: I64, topic: int, form: int) -> None:
    for i in range(WIDTH):
        recipe[i] = 0
    recipe[SUBTOPIC] = topic
    recipe[FORM] = form


@kernel
def _write_site(w: World, state: U64, recipe: I64, topic: int) -> None:
    """A site named after a topic's word and another."""
    _begin(recipe, w.subtopics + SITES, SITE)
    push(w, recipe, topic_word(w, state, topic))
    push(w, recipe, early_one_of(state, w.ints, w.common, w.commons))
    if uniform(state) < 0.4:
        push(w, recipe, early_one_of(state, w.ints, w.common, w.commons))
    recipe[HEAD] = by_weight(state, _TYPED, 0, VARIANTS) + VARIANTS * skewed(state, DOMAIN_ENDS)


@kernel
def _write_person(w: World, state: U64, recipe: I64, home: int) -> None:
    """Somebody's name, at times with a place."""
    _begin(recipe, w.subtopics + PEOPLE, TEXT)
    push(w, recipe, w.ints[w.first_name + by_weight(state, w.cum, w.first_name_cum, w.first_names)])
    push(w, recipe, w.ints[w.last_name + by_weight(state, w.cum, w.last_name_cum, w.last_names)])
    u = uniform(state)
    if u < 0.25:
        push(w, recipe, home)
    elif u < 0.4:
        push(w, recipe, one_of(state, w.ints, w.state, w.states))


@kernel
def _write_rare(w: World, state: U64, recipe: I64, topic: int, home: int) -> None:
    """A word few people know, alone or with a refinement of the topic."""
    _begin(recipe, topic, TEXT)
    recipe[HEAD] = w.ints[w.head_from + topic]
    push(w, recipe, one_of(state, w.ints, w.rare, w.rares))
    if uniform(state) < 0.5:
        refine(w, state, recipe, home)


@kernel
def _any_head(w: World, state: U64, topic: int) -> int:
    first = w.ints[w.head_from + topic]
    count = w.ints[w.head_from + topic + 1] - first
    return int(first + by_weight(state, w.cum, w.head_cum + first, count))


@kernel
def _write_topical(w: World, state: U64, recipe: I64, topic: int, rank: int, home: int) -> None:
    """The topic's heads come first; then heads with refinements; what is one's own has something special."""
    _begin(recipe, topic, TEXT)
    first = w.ints[w.head_from + topic]
    if rank < w.ints[w.head_from + topic + 1] - first:
        recipe[HEAD] = first + rank
        compose(w, state, recipe, 1, home)
        return
    recipe[HEAD] = _any_head(w, state, topic)
    words = 1 + by_weight(state, _WORDS, 0, len(_WORDS))
    if rank < OWN and words > 1:
        compose(w, state, recipe, words, home)
        if recipe[WORDS] < words + 1 and uniform(state) < 0.35:
            refine(w, state, recipe, home)
        return
    if words > 3 and uniform(state) < 0.6:
        compose(w, state, recipe, words - 1, home)
    elif words > 1:
        if words > 2 and uniform(state) < 0.5:
            push_phrase(w, state, recipe, w.prefix + skewed(state, w.prefixes), home)
        push(w, recipe, topic_word(w, state, topic))
        while recipe[WORDS] < words - 1:
            refine(w, state, recipe, home)
    _push_special(w, state, recipe)


@kernel
def _push_special(w: World, state: U64, recipe: I64) -> None:
    """A token that hardly anybody adds here."""
    if recipe[LENGTH] == 0:
        push(w, recipe, one_of(state, w.ints, w.rare, w.rares))
    elif uniform(state) < 0.5:
        push(w, recipe, early_one_of(state, w.ints, w.common, w.commons))
    else:
        push(w, recipe, rare_token(w, state))


@kernel
def write_need(w: World, state: U64, recipe: I64, need: int, salt: int, home: int) -> None:
    """The plain text of a need as a recipe. `state` is scratch: the text follows from the need alone, but for
    places of one's own needs, which are most often the home.
    """
    kind = kind_of(need)
    topic = need % _KIND // _TOPIC
    rank = rank_of(need)
    state[0] = scramble(scramble(np.uint64(need)) + np.uint64(salt))
    if rank < OWN:
        home = any_city(w, state)
    if kind == PORTAL:
        _begin(recipe, w.subtopics + SITES, SITE)
        push(w, recipe, w.ints[w.site + rank // VARIANTS])
        recipe[HEAD] = rank % VARIANTS
    elif kind == OTHER_SITE:
        _write_site(w, state, recipe, topic)
    elif kind == PERSON:
        _write_person(w, state, recipe, home)
    elif kind == RARE:
        _write_rare(w, state, recipe, topic, home)
    else:
        _write_topical(w, state, recipe, topic, rank, home)


@kernel
def write_secret(w: World, recipe: I64, number: int) -> None:
    """The recipe of a planted secret."""
    _begin(recipe, w.subtopics + SECRETS, SECRET)
    recipe[TOKENS] = number
    recipe[LENGTH] = 1
