"""From recipe to bytes."""

from __future__ import annotations

import numpy as np

from crowdlog.log.synth.arrays import I64, U8
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.needs import VARIANTS
from crowdlog.log.synth.recipe import CODE, FIRST_NUMBER, FORM, HEAD, LENGTH, SECRET, SITE, TOKENS, TYPO
from crowdlog.log.synth.rng import scramble
from crowdlog.log.synth.world import World

LONGEST = 512  # bytes of a query: ten tokens of at most 40 bytes and what a site's name adds
_HTTP = np.frombuffer(b"http://www.", np.uint8)
_ENDS = np.frombuffer(b".com.net.org.edu", np.uint8)
_ROWS = np.frombuffer(b"qwertyuiopasdfghjklzxcvbnmq", np.uint8)  # a slip of the finger hits the next key
_SHIFT, _OPERATIONS = np.uint64(8), np.uint64(4)


@kernel
def put(out: U8, at: int, source: U8, first: int, end: int) -> int:
    """Copy source[first:end] and return where it ends."""
    for i in range(first, end):
        out[at] = source[i]
        at += 1
    return at


@kernel
def put_number(out: U8, at: int, n: int) -> int:
    """Decimal digits of n ≥ 0."""
    length, rest = 1, n // 10
    while rest:
        length += 1
        rest //= 10
    for i in range(at + length - 1, at - 1, -1):
        out[i] = 48 + n % 10
        n //= 10
    return at + length


@kernel
def put_token(w: World, out: U8, at: int, token: int) -> int:
    """A text, a number, or two letters with a number."""
    if token >= 0:
        return put(out, at, w.text, w.ints[w.start + token], w.ints[w.start + token + 1])
    n = -token - FIRST_NUMBER
    if n >= CODE:
        n -= CODE
        out[at], out[at + 1] = 97 + n % 26, 97 + n // 26 % 26
        return put_number(out, at + 2, n // 676)
    return put_number(out, at, n)


@kernel
def put_site(w: World, out: U8, at: int, recipe: I64) -> int:
    """A site in one of the ways people type it."""
    variant, end = recipe[HEAD] % VARIANTS, recipe[HEAD] // VARIANTS
    if variant == 3:
        at = put(out, at, _HTTP, 0, 7)
    if variant in (2, 3, 5):
        at = put(out, at, _HTTP, 7, 11)
    for i in range(recipe[LENGTH]):
        at = put_token(w, out, at, recipe[TOKENS + i])
    if variant == 4:
        out[at] = 32
        at += 1
    if 1 <= variant <= 4:
        at = put(out, at, _ENDS, 4 * end, 4 * end + 4)
    return at


@kernel
def _misspell(out: U8, length: int, typo: int) -> int:
    """Swap, drop, double or mistype one letter; which one follows from the typo's number and the length, so
    that people share typos.
    """
    if length < 4:
        return length
    bits = scramble(typo * 1_000 + length)
    at = 1 + np.int64((bits >> _SHIFT) % np.uint64(length - 2))
    operation = bits % _OPERATIONS
    if 32 in (out[at - 1], out[at], out[at + 1]):  # no word may vanish or lose its blank
        return length
    if operation == 0:
        out[at], out[at + 1] = out[at + 1], out[at]
    elif operation == 1:
        for i in range(at, length - 1):
            out[i] = out[i + 1]
        return length - 1
    elif operation == 2:
        for i in range(length, at, -1):
            out[i] = out[i - 1]
        return length + 1
    elif 97 <= out[at] <= 122:
        for i in range(26):
            if _ROWS[i] == out[at]:
                out[at] = _ROWS[i + 1]
                break
    return length


@kernel
def render(w: World, out: U8, recipe: I64, secret_text: U8, secret_start: I64) -> int:
    """Write the query at the beginning of `out`; return its length."""
    if recipe[FORM] == SECRET:
        number = recipe[TOKENS]
        return put(out, 0, secret_text, secret_start[number], secret_start[number + 1])
    length = 0
    if recipe[FORM] == SITE:
        length = put_site(w, out, 0, recipe)
    else:
        for i in range(recipe[LENGTH]):
            if i:
                out[length] = 32
                length += 1
            length = put_token(w, out, length, recipe[TOKENS + i])
    return _misspell(out, length, recipe[TYPO]) if recipe[TYPO] else length
