"""A query as a recipe of numbers: what it is about, which tokens it is made of, and how it is misspelt."""

from __future__ import annotations

from crowdlog.log.synth.arrays import I64, U64
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.phrases import CITY, NUMBER, STATE, YEAR
from crowdlog.log.synth.rng import below, by_weight, early_one_of, one_of, skewed, uniform
from crowdlog.log.synth.world import World

# Places in a recipe. SUBTOPIC is a number of the world's list, or one of its extra ones.
SUBTOPIC, HEAD, FORM, TYPO, LENGTH, WORDS, TOKENS = 0, 1, 2, 3, 4, 5, 6
MOST_TOKENS = 10
WIDTH = TOKENS + MOST_TOKENS
# Forms: words with blanks between, a site by name, a secret by number.
TEXT, SITE, SECRET = 0, 1, 2
# Numbers are written from their digits: token -(FIRST_NUMBER + n) is the number n; those from CODE on are
# model codes such as 'dx4530'.
FIRST_NUMBER = 16
CODE = 20_000_000


@kernel
def push(w: World, recipe: I64, token: int) -> None:
    """Append a token if there is room."""
    n = recipe[LENGTH]
    if n < MOST_TOKENS:
        recipe[TOKENS + n] = token
        recipe[LENGTH] = n + 1
        recipe[WORDS] += w.ints[w.words + token] if token >= 0 else 1


@kernel
def _number(state: U64) -> int:
    """A small number, a longer one, or a model code."""
    u = uniform(state)
    if u < 0.35:
        return -(FIRST_NUMBER + 1 + skewed(state, 100))
    if u < 0.6:
        return -(FIRST_NUMBER + 100 + below(state, 9_900))
    if u < 0.75:
        return -(FIRST_NUMBER + 10_000 + below(state, 9_990_000))
    return -(FIRST_NUMBER + CODE + below(state, 26 * 26 * 10_000))


@kernel
def any_city(w: World, state: U64) -> int:
    """A place, large ones more often."""
    return int(w.ints[w.city + by_weight(state, w.cum, w.city_cum, w.cities)])


@kernel
def push_phrase(w: World, state: U64, recipe: I64, phrase: int, home: int) -> None:
    """Append a phrase and fill its slots; a place is most often the searcher's own (`home`, a token)."""
    for i in range(w.ints[w.phrase_from + phrase], w.ints[w.phrase_from + phrase + 1]):
        code = w.ints[w.phrase + i]
        if code == CITY:
            push(w, recipe, home if uniform(state) < 0.6 else any_city(w, state))
        elif code == STATE:
            push(w, recipe, one_of(state, w.ints, w.state, w.states))
        elif code == YEAR:
            push(w, recipe, -(FIRST_NUMBER + 2007 - skewed(state, 60)))
        elif code == NUMBER:
            push(w, recipe, _number(state))
        else:
            push(w, recipe, code)


@kernel
def topic_word(w: World, state: U64, topic: int) -> int:
    """One of the words that tell a sub-topic apart."""
    first = w.ints[w.topic_word_from + topic]
    return one_of(state, w.ints, w.topic_word + first, w.ints[w.topic_word_from + topic + 1] - first)


@kernel
def rare_token(w: World, state: U64) -> int:
    """What few people type: a number, a family name or a rare word."""
    u = uniform(state)
    if u < 0.40:
        return _number(state)
    if u < 0.65:
        return int(w.ints[w.last_name + by_weight(state, w.cum, w.last_name_cum, w.last_names)])
    return one_of(state, w.ints, w.rare, w.rares)


@kernel
def refine(w: World, state: U64, recipe: I64, home: int) -> None:
    """Add one refinement at the end: a word that goes with the last one, one of the sub-topic, a place, or
    something rare.
    """
    u = uniform(state)
    topic, last = recipe[SUBTOPIC], recipe[TOKENS + recipe[LENGTH] - 1]
    followers = w.ints[w.follow_to + last] - w.ints[w.follow_from + last] if last >= 0 else 0
    if 0.40 <= u < 0.76 or (u < 0.40 and followers == 0):
        first = w.ints[w.refinement_from + topic]
        push_phrase(
            w, state, recipe, first + skewed(state, w.ints[w.refinement_from + topic + 1] - first), home
        )
    elif u < 0.40:
        push(w, recipe, early_one_of(state, w.ints, w.follow + w.ints[w.follow_from + last], followers))
    elif u < 0.80:
        push(w, recipe, home)
    elif u < 0.84:
        push(w, recipe, topic_word(w, state, topic))
    elif u < 0.90:
        push(w, recipe, early_one_of(state, w.ints, w.common, w.commons))
    else:
        push(w, recipe, rare_token(w, state))


@kernel
def compose(w: World, state: U64, recipe: I64, words: int, home: int) -> None:
    """Write the recipe's head anew (Q), with refinements until it has the words wanted (Q + R), sometimes
    behind a prefix (R + Q).
    """
    recipe[LENGTH] = recipe[WORDS] = recipe[TYPO] = 0
    if words > 1 and uniform(state) < 0.34:
        push_phrase(w, state, recipe, w.prefix + skewed(state, w.prefixes), home)
    push_phrase(w, state, recipe, recipe[HEAD], home)
    while recipe[WORDS] < words and recipe[LENGTH] < MOST_TOKENS:
        refine(w, state, recipe, home)
