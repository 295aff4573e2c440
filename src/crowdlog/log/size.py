"""Sizes of memory as people write them: 2GB, 512 MB, 1.5GiB."""

from __future__ import annotations

import re

from crowdlog.errors import InputError

_UNITS = {
    "": 1,
    "K": 1000,
    "M": 1000**2,
    "G": 1000**3,
    "T": 1000**4,
    "KI": 1 << 10,
    "MI": 1 << 20,
    "GI": 1 << 30,
    "TI": 1 << 40,
}


def parse_size(text: str | int) -> int:
    """Bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    if match is None or match[2] not in _UNITS:
        raise InputError(f"'{text}' is not a size of memory; write for example 2GB or 512MB.")
    return int(float(match[1]) * _UNITS[match[2]])
