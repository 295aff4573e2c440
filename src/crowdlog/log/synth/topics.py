"""The subjects people search for, read from topics.txt: sub-topics with head queries and refinements."""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.log.synth.lists import read_list, word_list


@dataclass(frozen=True)
class SubTopic:
    """One line of topics.txt."""

    name: str
    weight: float
    sensitive: bool
    heads: tuple[str, ...]
    refinements: tuple[str, ...]


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _parse(line: str) -> SubTopic:
    title, _, body = line.partition(":")
    name, weight = title.split()
    heads, _, refinements = body.partition("|")
    return SubTopic(name, float(weight.rstrip("*")), weight.endswith("*"), _split(heads), _split(refinements))


def load_topics() -> list[SubTopic]:
    """All sub-topics in the order of the file."""
    return [_parse(line) for line in word_list("topics.txt")]


def load_sites() -> list[str]:
    """Names of well-known sites, most visited first."""
    return read_list("sites.txt")
