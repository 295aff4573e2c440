"""One spelling per query: Unicode NFC, small letters, single blanks, nothing at the ends.

Done once, before anything is counted or bounded.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import pyarrow as pa
import pyarrow.compute

# Written to store.json: two stores can be compared only if this is equal.
NORMALISATION = "NFC, lower case, single blanks, trimmed"
compute: Any = pa.compute  # pyarrow makes its functions at run time; their types cannot be checked
_ASCII_BLANKS = "[\\t-\\r\\x1c-\\x20]+"  # what str.split() takes for a blank


def normalise(text: str) -> str:
    """The same as the import's kernel (`normalise_batch.py`), for any Unicode text."""
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
