"""Cities of at least 15,000 people, countries, and states and counties of the United States, by GeoNames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from crowdlog.lists import read_lines


@dataclass(frozen=True)
class City:
    """A city, how many live there, and whether it lies in the United States."""

    name: str
    people: int
    american: bool


@cache
def cities() -> tuple[City, ...]:
    """All cities, the largest first."""
    rows = (line.split("\t") for line in read_lines("cities.txt.gz"))
    return tuple(City(name, int(people), mark == "*") for name, people, mark in rows)


def _regions(kind: str) -> list[list[str]]:
    rows = (line.split("\t") for line in read_lines("regions.txt.gz"))
    return [row[1:] for row in rows if row[0] == kind]


@cache
def countries() -> tuple[str, ...]:
    """Names of countries."""
    return tuple(row[0] for row in _regions("country"))


@cache
def states() -> tuple[tuple[str, str], ...]:
    """Names and codes of the states."""
    return tuple((name, code) for name, code in _regions("state"))


@cache
def counties() -> tuple[str, ...]:
    """Names of counties, each once."""
    return tuple(row[0] for row in _regions("county"))
