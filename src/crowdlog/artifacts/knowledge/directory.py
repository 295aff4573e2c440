"""Trees from files: lists of paths, with or without counts, and the RDF of the Open Directory Project (ODP).

A path list has one category a line, `Sports/Water_Sports/Windsurfing`, also written with `: ` or ` > `; a tab
and a number may follow. ODP's root `Top` is left out: it is above everything, so it tells nothing.
Errors give the number of a line, never its text.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crowdlog.artifacts.knowledge.tree import Tree, tree_of_paths
from crowdlog.errors import InputError

_SEPARATOR = re.compile(r"\s*(?:/|:\s|\s>\s)\s*")
ROOT = "Top"


def read_directory(path: str | Path) -> Tree:
    """A tree from a list of paths or from ODP's RDF (`.rdf`, `.xml`, `.u8`), each also as `.gz`."""
    place = Path(path)
    name = place.name.removesuffix(".gz")
    read = _rdf if name.endswith((".rdf", ".xml", ".u8")) else _lines
    try:
        with gzip.open(place, "rb") if place.name.endswith(".gz") else place.open("rb") as file:
            return tree_of_paths(str(place), list(read(place, file)))
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or "it is cut off or not compressed"
        raise InputError(f"The tree of categories {place} cannot be read: {why}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The tree of categories {place} cannot be read: it is not UTF-8 text.") from None


def _lines(place: Path, file: Any) -> Iterator[tuple[tuple[str, ...], int]]:
    for number, raw in enumerate(file, 1):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if not line:
            continue
        text, _tab, count = line.partition("\t")
        parts = _parts(text)
        if not parts or (count and not count.strip().isdecimal()):
            raise InputError(
                f"The tree of categories {place} cannot be used: line {number} is not a path such as "
                "Sports/Water Sports, alone or with a tab and a count."
            )
        yield parts, int(count or 0)


def _parts(text: str) -> tuple[str, ...]:
    parts = tuple(part for part in (piece.strip() for piece in _SEPARATOR.split(text)) if part)
    return parts[1:] if parts[:1] == (ROOT,) and len(parts) > 1 else parts


def _rdf(place: Path, file: Any) -> Iterator[tuple[tuple[str, ...], int]]:
    """Topics with the number of sites (`link`) they list."""
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    try:
        for _event, element in iterparse(file):
            if _local(element.tag) != "Topic":
                continue
            name = next(
                (value for key, value in element.attrib.items() if _local(key) in ("id", "about")), ""
            )
            if _parts(name):
                yield _parts(name), sum(_local(child.tag) in ("link", "link1") for child in element)
            element.clear()
    except (ParseError, DefusedXmlException):
        raise InputError(
            f"The tree of categories {place} cannot be read: it is not well-formed XML."
        ) from None


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
