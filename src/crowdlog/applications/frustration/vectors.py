"""Binary vectors at a person's own mean: 5 features and the label, 64 artifacts in all (Feild 2013, §7.3)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.frustration.study import FEATURES, FrustrationStudy
from crowdlog.applications.tasks.vectors import import_artifacts
from crowdlog.errors import InputError
from crowdlog.files.whole import write_whole
from crowdlog.log.store import LogStore
from crowdlog.types import Floats, Ints

LABELS = ("calm", "frustrated")
MOST_DRAWN = 49  # the study says 1 to 50; its total of 2,499,416 for 100,000 people is that of 1 to 49
DOMAIN: Any = np.array(list(product((0, 1), repeat=len(FEATURES))))


def binarised(features: Floats, user: Ints) -> Ints:
    """1 where a value is above the person's own mean, strictly: what never changes is 0."""
    people = int(user.max()) + 1
    times = np.maximum(np.bincount(user, minlength=people), 1)
    means = np.stack([np.bincount(user, column, people) / times for column in features.T], axis=1)
    bits: Ints = (features > means[user] + 1e-12).astype(np.int64)
    return bits


def places(bits: Ints, label: Ints) -> Ints:
    """The number of each labelled vector, 0 to 63: 32 · label + bits."""
    found: Ints = label * len(DOMAIN) + bits @ (2 ** np.arange(bits.shape[1] - 1, -1, -1))
    return found


def texts() -> list[str]:
    """The 64 artifacts."""
    return [f"{label} " + " ".join(map(str, bits)) for label in LABELS for bits in DOMAIN]


def write_domain(path: str | Path) -> None:
    """All artifacts, one a line: a public list."""
    write_whole(Path(path), "\n".join(texts()) + "\n")


def vectors_of(study: FrustrationStudy) -> tuple[Ints, Ints]:
    """Person and artifact of each labelled search."""
    there = study.label >= 0
    if not there.any():
        raise InputError("No search of the study has a label: there is nothing to learn from.")
    bits = binarised(study.features, study.user)
    return study.user[there], places(bits[there], study.label[there])


def pseudo_vectors(study: FrustrationStudy, people: int, seed: int) -> tuple[Ints, Ints]:
    """Of pseudo-users: each is somebody of the study, 1 to 49 of her labelled searches drawn with
    replacement, binarised at the mean of what was drawn (Feild 2013, §7.4).
    """
    generator = np.random.default_rng(seed)
    rows = np.flatnonzero(study.label >= 0)
    if not len(rows):
        raise InputError("No search of the study has a label: there is nothing to draw from.")
    rows = rows[np.argsort(study.user[rows], kind="stable")]
    owners, starts, sizes = np.unique(study.user[rows], return_index=True, return_counts=True)
    who = generator.integers(0, len(owners), people)
    drawn = generator.integers(1, MOST_DRAWN + 1, people)
    person = np.repeat(np.arange(people), drawn)
    of = who[person]
    row = rows[starts[of] + (generator.random(len(of)) * sizes[of]).astype(np.int64)]
    bits = binarised(study.features[row], person)
    return person, places(bits, study.label[row])


def write_vectors(person: Ints, place: Ints, out: str | Path) -> LogStore:
    """A store of the artifacts, for any mechanism to release. People are numbered anew."""
    return import_artifacts(vector_lines(person, place), out)


def vector_lines(person: Ints, place: Ints) -> Iterator[str]:
    """The artifacts as lines of a log in AOL's layout, without its header."""
    names = texts()
    start = np.datetime64("2000-01-01T00:00:00", "s")
    times = np.datetime_as_string(start + np.arange(len(place)))
    for at, (who, what) in enumerate(zip(person.tolist(), place.tolist(), strict=True)):
        yield f"{who}\t{names[what]}\t{times[at].replace('T', ' ')}\t\t\n"


def counts_of_table(table: Any, where: str) -> Floats:
    """The published counts by label and vector."""
    number = {text: at for at, text in enumerate(texts())}
    found = np.array([number.get(text, -1) for text in table["query"].to_pylist()])
    if not len(found) or (found < 0).any():
        raise InputError(f"{where} holds no frustration vectors, or others besides.")
    counts = np.zeros(2 * len(DOMAIN))
    counts[found] = table["count"].to_numpy()
    return counts.reshape(2, len(DOMAIN))
