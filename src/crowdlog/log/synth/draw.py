"""What to search next: something new, or the last query said otherwise."""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import F64, I64, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.recipe import (
    FORM,
    HEAD,
    LENGTH,
    SECRET,
    SITE,
    SUBTOPIC,
    TEXT,
    TOKENS,
    TYPO,
    WIDTH,
    WORDS,
    compose,
    push,
    refine,
    topic_word,
)  # fmt: skip
from crowdlog.log.synth.rng import by_weight, early_one_of, one_of, skewed, uniform
from crowdlog.log.synth.world import PEOPLE, SECRETS, SITES, World

# Shares of well-known sites, other sites, people, rare words; the rest has a topic. Set so that the words per
# distinct query come out as AOL's.
_KNOWN_SITES, _OTHER_SITES, _PEOPLE, _RARE = 0.10, 0.18, 0.10, 0.05
# How many words a topical query is meant to have: 1, 2, … 9.
_WORDS: F64 = np.cumsum(np.array([0.13, 0.34, 0.25, 0.14, 0.07, 0.04, 0.02, 0.008, 0.002]))
_MISSPELT = 0.08
_WAYS_TO_MISSPELL = 200  # few, and the first ones preferred: people share their typos
VARIANTS = 6  # a site as name, name.com, www.name.com, http://www.name.com, name .com, www.name
DOMAIN_ENDS = 4  # .com, .net, .org, .edu


@kernel
def _clear(recipe: I64, topic: int, form: int) -> None:
    for i in range(WIDTH):
        recipe[i] = 0
    recipe[SUBTOPIC] = topic
    recipe[FORM] = form


@kernel
def _site(w: World, state: U64, recipe: I64, topic: int, known: bool) -> None:
    """A well-known site, or one named after a topic's word and another."""
    _clear(recipe, w.subtopics + SITES, SITE)
    if known:
        push(w, recipe, w.ints[w.site + by_weight(state, w.cum, w.site_cum, w.sites)])
        recipe[HEAD] = skewed(state, VARIANTS)
        return
    push(w, recipe, topic_word(w, state, topic))
    push(w, recipe, early_one_of(state, w.ints, w.common, w.commons))
    recipe[HEAD] = skewed(state, VARIANTS) + VARIANTS * skewed(state, DOMAIN_ENDS)


@kernel
def _person(w: World, state: U64, recipe: I64, home: int) -> None:
    """Somebody's name, at times with a place."""
    _clear(recipe, w.subtopics + PEOPLE, TEXT)
    push(w, recipe, w.ints[w.first_name + by_weight(state, w.cum, w.first_name_cum, w.first_names)])
    push(w, recipe, w.ints[w.last_name + by_weight(state, w.cum, w.last_name_cum, w.last_names)])
    u = uniform(state)
    if u < 0.25:
        push(w, recipe, home)
    elif u < 0.4:
        push(w, recipe, one_of(state, w.ints, w.state, w.states))


@kernel
def _topical(w: World, state: U64, recipe: I64, topic: int, home: int) -> None:
    _clear(recipe, topic, TEXT)
    first = w.ints[w.head_from + topic]
    recipe[HEAD] = first + by_weight(
        state, w.cum, w.head_cum + first, w.ints[w.head_from + topic + 1] - first
    )
    compose(w, state, recipe, 1 + by_weight(state, _WORDS, 0, len(_WORDS)), home)


@kernel
def _rare(w: World, state: U64, recipe: I64, topic: int, home: int) -> None:
    """A word few people know, alone or with a refinement of the topic."""
    _clear(recipe, topic, TEXT)
    recipe[HEAD] = w.ints[w.head_from + topic]
    push(w, recipe, one_of(state, w.ints, w.rare, w.rares))
    if uniform(state) < 0.5:
        refine(w, state, recipe, home)


@kernel
def _misspell(state: U64, recipe: I64) -> None:
    recipe[TYPO] = 1 + skewed(state, _WAYS_TO_MISSPELL)


@kernel
def fresh(w: World, state: U64, recipe: I64, topic: int, home: int) -> None:
    """A query that does not depend on the last one."""
    u = uniform(state)
    if u < _KNOWN_SITES:
        _site(w, state, recipe, topic, True)
    elif u < _KNOWN_SITES + _OTHER_SITES:
        _site(w, state, recipe, topic, False)
    elif u < _KNOWN_SITES + _OTHER_SITES + _PEOPLE:
        _person(w, state, recipe, home)
    elif u < _KNOWN_SITES + _OTHER_SITES + _PEOPLE + _RARE:
        _rare(w, state, recipe, topic, home)
    else:
        _topical(w, state, recipe, topic, home)
    if uniform(state) < _MISSPELT:
        _misspell(state, recipe)


@kernel
def _reword(w: World, state: U64, recipe: I64, home: int) -> None:
    """A topical query with more, other or no refinements, or another head of the sub-topic."""
    u = uniform(state)
    topic = recipe[SUBTOPIC]
    if u < 0.4 and recipe[WORDS] < 5:
        refine(w, state, recipe, home)
    elif u < 0.6:
        compose(w, state, recipe, recipe[WORDS], home)
    elif u < 0.75:
        compose(w, state, recipe, 0, home)
    elif u < 0.8:
        _misspell(state, recipe)
    else:
        _topical(w, state, recipe, topic, home)


@kernel
def reformulate(w: World, state: U64, recipe: I64, topic: int, home: int) -> None:
    """Turn the last query of the session into the next one: correct it, refine it, widen it, or turn to
    something near.
    """
    if recipe[TYPO] > 0 and uniform(state) < 0.6:
        recipe[TYPO] = 0
    elif recipe[FORM] == SITE and uniform(state) < 0.4:
        recipe[HEAD] = skewed(state, VARIANTS) + VARIANTS * (recipe[HEAD] // VARIANTS)
    elif recipe[FORM] == TEXT and recipe[SUBTOPIC] < w.subtopics:
        _reword(w, state, recipe, home)
    elif recipe[FORM] == TEXT and recipe[LENGTH] == 2:
        push(w, recipe, home if uniform(state) < 0.5 else one_of(state, w.ints, w.state, w.states))
    else:
        fresh(w, state, recipe, topic, home)


@kernel
def secret(w: World, recipe: I64, number: int) -> None:
    """The recipe of a planted secret."""
    _clear(recipe, w.subtopics + SECRETS, SECRET)
    recipe[TOKENS] = number
    recipe[LENGTH] = 1
