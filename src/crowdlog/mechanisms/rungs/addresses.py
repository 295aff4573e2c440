"""Words written as addresses: google, www.google, google.com, www.google.com are four queries that one word
names.

The parts of an address follow from its text alone: at most one prefix and one suffix are taken off, the
longest ones. So every address has one form and one name, whatever words are released.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.types import Ints

SUFFIXES = ("com", "org", "net", "gov", "edu")
_PREFIXES = ("", "www.", "http://www.")
_ENDINGS = ("", *(f".{suffix}" for suffix in SUFFIXES))
# Every way to write a name as an address; the first, which leaves the name as it is, is none.
FORMS = tuple(product(_PREFIXES, _ENDINGS))[1:]
_PARTS = r"(?s)^(?P<prefix>http://www\.|www\.)?(?P<name>.*?)(?P<ending>\.(?:com|org|net|gov|edu))?$"


def written(name: str, form: int) -> str:
    """The address."""
    prefix, ending = FORMS[form]
    return f"{prefix}{name}{ending}"


def address_cells(texts: pa.StringArray, names: pa.StringArray) -> Ints:
    """For each text that is an address of a name: the place of the name times the number of forms, plus the
    form. −1 for others, and for texts that are a name themselves.
    """
    cells = np.full(len(texts), -1, np.int64)
    dotted: Ints = np.flatnonzero(
        pc.match_substring(texts, ".").to_numpy(zero_copy_only=False)
    )  # all addresses are
    texts = texts.take(pa.array(dotted, pa.int64()))
    parts: Any = pc.extract_regex(texts, _PARTS)
    prefix, name, ending = (_filled(pc.struct_field(parts, part)) for part in ("prefix", "name", "ending"))
    place = places_of(name, names)
    way = places_of(prefix, pa.array(_PREFIXES)) * len(_ENDINGS) + places_of(ending, pa.array(_ENDINGS)) - 1
    other = (places_of(texts, names) < 0) & (place >= 0) & (way >= 0)
    cells[dotted] = np.where(other, place * len(FORMS) + way, -1)
    return cells


def _filled(part: Any) -> Any:
    return pc.fill_null(part, "")


def places_of(texts: Any, known: Any) -> Ints:
    """The place of each text among the known ones, −1 if it is not there."""
    found: Any = pc.fill_null(pc.index_in(texts, value_set=known), -1)
    places: Ints = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return places
