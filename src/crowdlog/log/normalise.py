"""One spelling per query: Unicode NFC, small letters, single blanks, nothing at the ends.

Done once, before anything is counted or bounded.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numba import njit

from crowdlog.log.columns import Texts
from crowdlog.log.rejects import MAX_TEXT, NO_QUERY, SCRUBBED, TOO_LONG, UNDECODABLE
from crowdlog.types import Bytes, Ints

# Written to store.json: two stores can be compared only if this is equal.
NORMALISATION = "NFC, lower case, single blanks, trimmed"
_DASH = 45
compute: Any = pa.compute  # pyarrow makes its functions at run time; their types cannot be checked
_ASCII_BLANKS = "[\\t-\\r\\x1c-\\x20]+"  # what str.split() takes for a blank


def normalise(text: str) -> str:
    """The same as the kernel below, for any Unicode text."""
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    return " ".join(lowered.split())


def normalise_texts(texts: Any) -> Any:
    """`normalise` for an Arrow array of strings. Only texts beyond ASCII are handled one by one."""
    single = compute.replace_substring_regex(compute.ascii_lower(texts), _ASCII_BLANKS, " ")
    other = compute.invert(compute.string_is_ascii(texts))
    replaced = pa.array([normalise(text) for text in texts.filter(other).to_pylist()], texts.type)
    return compute.replace_with_mask(compute.ascii_trim(single, " "), other, replaced)


def trim_texts(texts: Any) -> Any:
    """An Arrow array of strings, each without blanks and control characters at its ends, as the import trims
    users and URLs.
    """
    return compute.ascii_trim(texts, "".join(map(chr, range(1, 33))))


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
            c = data[j]
            if c >= 0x80:
                out_size[i] = -1
                break
            if c == 0:
                reason[i] = UNDECODABLE
                break
            if c == 32 or 9 <= c <= 13 or 28 <= c <= 31:  # what str.split() takes for a blank
                blank = at > to
                continue
            if blank:
                out[at] = 32
                at += 1
                blank = False
            out[at] = c + 32 if 65 <= c <= 90 else c
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
