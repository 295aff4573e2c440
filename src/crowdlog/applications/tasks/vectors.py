"""Labelled feature vectors as artifacts: a store whose 'queries' are vectors, for any mechanism to release.

A vector is written `bin1 same 0.5 0 0.25 0 0.25`: the bins, the label, and the numbers of time, words, edit,
trigrams and semantic similarity. There are finitely many: `write_domain` lists them, made without any log, so
that a mechanism over a closed domain needs no δ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import BINS, cells, domain
from crowdlog.applications.tasks.train import LabelledPairs
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch
from crowdlog.files.whole import write_whole
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.types import Floats, Ints

LABELS = ("different", "same")
HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"  # of AOL's layout


def vector_texts(bins: str) -> list[str]:
    """The text of every labelled vector of the closed domain: label × place."""
    return [
        f"{bins} {label} " + " ".join(f"{x:g}" for x in vector) for label in LABELS for vector in domain(bins)
    ]


def write_domain(path: str | Path, bins: str) -> None:
    """The closed domain as a public list, one vector a line."""
    write_whole(Path(path), "\n".join(vector_texts(bins)) + "\n")


def write_vectors(
    pairs: LabelledPairs, names: list[str], bins: str, out: str | Path, *, seed: int
) -> LogStore:
    """A store with the vectors of each person, in an order that tells nothing: a random one.

    `names`: of the people, by their numbers in `pairs`.
    """
    return import_artifacts(vector_lines(pairs, names, bins, seed=seed), out)


def vector_lines(pairs: LabelledPairs, names: list[str], bins: str, *, seed: int) -> Iterator[str]:
    """The vectors as lines of a log in AOL's layout, without its header."""
    texts = vector_texts(bins)
    place = cells(pairs.vectors, bins) + pairs.same.astype(np.int64) * len(domain(bins))
    order = np.lexsort((np.random.default_rng(seed).random(len(place)), pairs.person))
    number = np.arange(len(order))
    rows = zip(pairs.person[order].tolist(), place[order].tolist(), number.tolist(), strict=True)
    for person, cell, at in rows:
        yield f"{names[person]}\t{texts[cell]}\t{_stamp(at)}\t\t\n"


def _stamp(second: int) -> str:
    return str(np.datetime64("2000-01-01T00:00:00", "s") + second).replace("T", " ")


def import_artifacts(lines: Iterable[str], out: str | Path) -> LogStore:
    """A store of rows user, artifact, time in AOL's layout; what is written in between is nobody else's."""
    with Scratch("vectors") as folder:
        path = folder / "artifacts.tsv"
        with path.open("w", encoding="utf-8") as file:
            file.write(HEADER)
            file.writelines(lines)
        return import_log(path, out, format="aol")


def parse_vectors(texts: list[str], where: str) -> tuple[str, Ints, Ints]:
    """The bins, and the place in the domain and the label (1 for same) of each vector text."""
    first = texts[0].split()[0] if texts and texts[0] else ""
    if first not in BINS[1:]:
        raise InputError(f"{where} holds no task vectors. Release a store that crowdlog tasks vectors made.")
    places = {text: number for number, text in enumerate(vector_texts(first))}
    size = len(domain(first))
    numbers = np.array([places.get(text, -1) for text in texts])
    if (numbers < 0).any():
        raise InputError(f"{where} holds {int((numbers < 0).sum()):,} entries that are no {first} vectors.")
    return first, numbers % size, numbers // size


def counts_of_table(table: Any, where: str) -> tuple[str, Floats]:
    """The bins and the published counts by label and place: a row for different, a row for same."""
    bins, place, label = parse_vectors(table["query"].to_pylist(), where)
    counts = np.zeros((2, len(domain(bins))))
    counts[label, place] = table["count"].to_numpy()
    return bins, counts
