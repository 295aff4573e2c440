"""Normalising the queries of an import, a batch at a time.

Apart from `normalise.py`, because a release spells files by that and should not wait for a compiler.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numba import njit

from crowdlog.log.columns import Texts
from crowdlog.log.normalise import normalise
from crowdlog.log.rejects import MAX_TEXT, NO_QUERY, SCRUBBED, TOO_LONG, UNDECODABLE
from crowdlog.types import Bytes, Ints

_DASH = 45
_NUL, _BLANK, _OTHER = 0, 32, 255


def _small_letters() -> Bytes:
    """What becomes of each byte: ASCII in small letters, every blank the same one, _OTHER of what is not
    ASCII.
    """
    small = np.full(256, _OTHER, np.uint8)
    for code in range(128):
        small[code] = _BLANK if not chr(code).split() else ord(chr(code).lower())
    return small


_SMALL = _small_letters()


@lru_cache(maxsize=1 << 16)
def _normalise_bytes(raw: bytes) -> bytes | None:
    """None if it is not UTF-8. The cache pays because people repeat their queries."""
    try:
        return normalise(raw.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        return None


@njit(cache=True, nogil=True)
def _normalise_ascii(
    data: Bytes, start: Ints, size: Ints, out: Bytes, out_start: Ints, out_size: Ints, reason: Bytes
) -> int:
    """Write the normalised texts one after another to `out`; a text with other than ASCII gets size -1.

    Returns where the next would go.
    """
    to = 0
    for i in range(len(start)):
        out_start[i], out_size[i] = to, 0
        if reason[i] != 0:
            continue
        if size[i] > MAX_TEXT:
            reason[i] = TOO_LONG
            continue
        at, blank = to, False
        for j in range(start[i], start[i] + size[i]):
            c = _SMALL[data[j]]
            if c == _BLANK:
                blank = at > to
                continue
            if c == _OTHER:
                out_size[i] = -1
                break
            if c == _NUL:
                reason[i] = UNDECODABLE
                break
            if blank:
                out[at] = _BLANK
                at += 1
                blank = False
            out[at] = c
            at += 1
        if out_size[i] == 0 and reason[i] == 0:
            out_size[i] = at - to
            to = at
    return to


def normalise_queries(queries: Texts, reason: Bytes, *, keep_dash: bool) -> Texts:
    """Normalise a batch of queries; rows without one, or with AOL's scrubbed '-', get their reason."""
    n = len(queries.start)
    # A normalised ASCII text is never longer; texts above the limit are not written.
    out = np.empty(int(queries.size.sum()) + 1, np.uint8)
    result = Texts(out, np.empty(n, np.int64), np.empty(n, np.int64))
    used = _normalise_ascii(queries.data, queries.start, queries.size, out, result.start, result.size, reason)
    result = _normalise_unicode(queries, result, used, reason)
    good = reason == 0
    reason[good & (result.size == 0)] = NO_QUERY
    if not keep_dash:
        dash = good & (result.size == 1)
        dash[dash] = result.data[result.start[dash]] == _DASH
        reason[dash] = SCRUBBED
    return result


def _normalise_unicode(queries: Texts, result: Texts, used: int, reason: Bytes) -> Texts:
    """Fill in the texts that the ASCII kernel left out."""
    others = np.flatnonzero(result.size == -1)
    if not len(others):
        return result
    pieces = [result.data[:used].tobytes()]
    for i in others:
        raw = queries[int(i)]
        text = None if b"\0" in raw else _normalise_bytes(raw)
        if text is None or len(text) > MAX_TEXT:
            reason[i] = UNDECODABLE if text is None else TOO_LONG
            text = b""
        result.start[i], result.size[i] = used, len(text)
        used += len(text)
        pieces.append(text)
    return Texts(np.frombuffer(bytearray(b"".join(pieces)), np.uint8), result.start, result.size)
