"""Contexts, recommendations and truth as JSON lines, and the experiments with mixed contexts.

Contexts: {"id": "1", "context": ["oldest", …, "reference"], "sametask": [optional scores]}.
Recommendations: {"id": "1", "recs": [["query", score], …]}.
Truth: {"id": "1", "later": ["query", …], "shown": ["doc", …], "relevant": ["doc", …]}.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.input_text import input_text
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.pair_features import PeopleSearches, pair_matrix
from crowdlog.applications.tasks.texts import encode_texts
from crowdlog.errors import InputError
from crowdlog.files.private import write_for_owner
from crowdlog.json_safe import strict_json
from crowdlog.log.normalise import normalise

_LUCCHESE = TaskModel("lucchese", "none", 0.2, "single")


def read_json_lines(path: str | Path, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """Objects that have all of these fields; `-` is standard input. Errors name the line, never its text."""
    text = input_text(path, "file")
    found: list[dict[str, Any]] = []
    ids = set()
    for number, line in enumerate(text.split("\n"), 1):  # a query may hold other ends of lines
        if not line.strip():
            continue
        row = _object(line)
        if row is None:
            raise InputError(f"The file {path} cannot be used: line {number} is no object of JSON.")
        if missing := [name for name in fields if name not in row]:
            raise InputError(f"The file {path} cannot be used: line {number} lacks {', '.join(missing)}.")
        if "id" in fields and str(row["id"]) in ids:
            raise InputError(f"The file {path} cannot be used: the id of line {number} stands there before.")
        ids.add(str(row.get("id")))
        found.append(row)
    return found


def _object(line: str) -> dict[str, Any] | None:
    try:
        row = strict_json(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def write_json_lines(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Whole or not at all, for the owner alone: contexts are of persons. `-` is standard output."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if str(path) == "-":
        sys.stdout.write(text)
        return
    write_for_owner(Path(path), text)


def read_contexts(path: str | Path) -> list[dict[str, Any]]:
    """Contexts with normalised queries and a same-task score for each."""
    rows = read_json_lines(path, ("id", "context"))
    if not rows:
        raise InputError(f"The file {path} holds no context.")
    for row in rows:
        given = row["context"]
        if not isinstance(given, list) or not all(isinstance(query, str) for query in given) or not given:
            raise InputError(f"The contexts {path} cannot be used: a context is a list of one or more texts.")
        context = [normalise(query) for query in given]
        row["context"] = context
        scores = row.get("sametask")
        row["sametask"] = same_task_scores(context) if scores is None else _given(scores, len(context), path)
    return rows


def _given(scores: Any, queries: int, path: str | Path) -> list[float]:
    """The same-task scores that a context brings with it."""
    numbers = scores if isinstance(scores, list) else []
    if len(numbers) != queries or not all(type(x) in (int, float) and math.isfinite(x) for x in numbers):
        raise InputError(f"The contexts {path} cannot be used: sametask must have a score for each query.")
    return [float(x) for x in numbers]


def same_task_scores(context: list[str]) -> list[float]:
    """sametask₁: Lucchese's score of each query with the reference; 1 for the reference."""
    last = len(context) - 1
    nothing = np.zeros(len(context) + 1, np.int64)
    people = PeopleSearches(
        np.arange(len(context)), nothing[1:], nothing, nothing[:0], encode_texts(context), np.zeros((0, 1))
    )
    first = np.arange(last)
    scores = _LUCCHESE.scores(pair_matrix(people, first, np.full(last, last))) if last else np.zeros(0)
    return [*scores.tolist(), 1.0]


def mix_contexts(contexts: list[dict[str, Any]], off: int, draws: int, seed: int) -> list[dict[str, Any]]:
    """Contexts with `off` queries of other tasks among their own: the first ones of a random other context,
    of the next one if it is short, interleaved at random; the reference stays last (Feild 2013, §6.4.2).
    """
    if len(contexts) < 2:
        raise InputError("Mixed contexts need at least two contexts.")
    sizes = [len(row["context"]) for row in contexts]
    if off > sum(sizes) - max(sizes):
        raise InputError(
            f"There are only {sum(sizes) - max(sizes):,} queries of other tasks for one of the contexts, and "
            f"{off:,} are asked for. Give more contexts, or ask for fewer."
        )
    generator = np.random.default_rng(seed)
    return [
        {"id": f"{row['id']}#{draw}", "context": _mixed(contexts, at, off, generator)}
        for at, row in enumerate(contexts)
        for draw in range(draws)
    ]


def off_task_contexts(
    contexts: list[dict[str, Any]], off: int, draws: int, seed: int
) -> list[dict[str, Any]]:
    """The reference query behind `off` queries, each drawn from any other context (Feild 2013, §6.4.3)."""
    if len(contexts) < 2:
        raise InputError("Mixed contexts need at least two contexts.")
    generator = np.random.default_rng(seed)
    mixed = []
    for at, row in enumerate(contexts):
        for draw in range(draws):
            others = generator.integers(0, len(contexts) - 1, off)
            strange = [contexts[number + (number >= at)]["context"] for number in others]
            drawn = [context[int(generator.integers(0, len(context)))] for context in strange]
            mixed.append({"id": f"{row['id']}#{draw}", "context": [*drawn, row["context"][-1]]})
    return mixed


def _mixed(contexts: list[dict[str, Any]], at: int, off: int, generator: np.random.Generator) -> list[str]:
    strange: list[str] = []
    others = [number for number in generator.permutation(len(contexts)) if number != at]
    for number in others:
        strange += contexts[number]["context"][: off - len(strange)]
        if len(strange) >= off:
            break
    own = contexts[at]["context"][:-1]
    places = set(generator.choice(len(own) + len(strange), len(own), replace=False).tolist())
    mine, theirs = iter(own), iter(strange)
    whole = [next(mine) if place in places else next(theirs) for place in range(len(own) + len(strange))]
    return [*whole, contexts[at]["context"][-1]]
