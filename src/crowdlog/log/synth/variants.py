"""The ways in which one need is said: typed otherwise, refined, widened, misspelt."""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import I64, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.needs import VARIANTS, write_need
from crowdlog.log.synth.recipe import (
    FORM,
    HEAD,
    LENGTH,
    SITE,
    SUBTOPIC,
    TEXT,
    TOKENS,
    TYPO,
    WORDS,
    push,
    refine,
)
from crowdlog.log.synth.rng import early_one_of, one_of, scramble, skewed, uniform
from crowdlog.log.synth.world import World

MOST_VARIANTS = 24  # the first ones are said more often, so people with one need share some of its texts
_WAYS_TO_MISSPELL = 200  # few, and the first ones preferred: people share their typos
_MOST_WORDS = 6
_USUAL_WORDS = 400  # what people write behind the name of a site


@kernel
def _drop_last(w: World, recipe: I64) -> None:
    n = recipe[LENGTH] - 1
    token = recipe[TOKENS + n]
    recipe[WORDS] -= w.ints[w.words + token] if token >= 0 else 1
    recipe[TOKENS + n] = 0
    recipe[LENGTH] = n


@kernel
def _say_site_otherwise(w: World, state: U64, recipe: I64) -> None:
    """Another way to type it, or its name with a word behind."""
    if uniform(state) < 0.6:
        recipe[HEAD] = skewed(state, VARIANTS) + VARIANTS * (recipe[HEAD] // VARIANTS)
        return
    recipe[FORM] = TEXT
    push(w, recipe, early_one_of(state, w.ints, w.common, _USUAL_WORDS))


@kernel
def _reword(w: World, state: U64, recipe: I64, home: int) -> None:
    """More, other or fewer refinements."""
    u = uniform(state)
    if u < 0.30 and recipe[LENGTH] > 2:
        _drop_last(w, recipe)
        refine(w, state, recipe, home)
    elif u < 0.45 and recipe[LENGTH] > 2:
        _drop_last(w, recipe)
    elif recipe[WORDS] < _MOST_WORDS:
        refine(w, state, recipe, home)
        if u > 0.85:
            refine(w, state, recipe, home)


@kernel
def write_variant(w: World, state: U64, recipe: I64, need: int, variant: int, salt: int, home: int) -> None:
    """The recipe of a need said in its variant-th way; 0 is the plain one. `state` is scratch."""
    write_need(w, state, recipe, need, salt, home)
    if variant == 0:
        return
    state[0] = scramble(np.uint64(need) ^ scramble(np.uint64(variant * 64 + salt)))
    if recipe[FORM] == SITE:
        _say_site_otherwise(w, state, recipe)
    elif recipe[SUBTOPIC] < w.subtopics:
        _reword(w, state, recipe, home)
    elif uniform(state) < 0.3:
        push(w, recipe, home)
    else:
        push(w, recipe, one_of(state, w.ints, w.state, w.states))


@kernel
def misspell(state: U64, recipe: I64) -> None:
    """Give the recipe a typo that others make, too."""
    recipe[TYPO] = 1 + skewed(state, _WAYS_TO_MISSPELL)
