"""Results as rows: one per trial and number, and points that sum the trials of a mechanism up."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowdlog.comparison.grid import LOG_ITSELF, TOPICS
from crowdlog.mechanisms import parse
from crowdlog.release.label import Label

# the score of a task on the queries the release can answer: flatters a release that answers only easy ones
ANSWERED = " of what is answered"
LESS_IS_BETTER = (
    "drop_rate",
    "median_relative_error",
    "spurious_rate",
    "loss_ratio",
    "information_loss",
)  # the last part of a measure's name
Row = dict[str, Any]


def about(mechanism: str, labels: Mapping[str, Label]) -> Row:
    """What is said of a mechanism in each of its rows; without differential privacy it has no ε and no δ."""
    if mechanism == LOG_ITSELF.mechanism:
        return {"series": mechanism, "epsilon": None, "delta": None}
    promised = labels[mechanism].promise.guarantee
    numbers = (promised.epsilon, promised.delta) if promised.protects else (None, None)
    return {"series": series(mechanism), "epsilon": numbers[0], "delta": numbers[1]}


def series(mechanism: str) -> str:
    """The spelling without ε: mechanisms that differ in ε alone are joined by a line."""
    return spelled_without(mechanism, "epsilon")


def spelled_without(mechanism: str, parameter: str) -> str:
    """The spelling without one parameter and without those that have their default."""
    parsed = parse(mechanism)
    declared = dataclasses.fields(parsed)  # type: ignore[arg-type]
    fields = [(field, getattr(parsed, field.name)) for field in declared]
    shown = [
        f"{field.name}={value!r}"
        for field, value in fields
        if field.name != parameter and value != field.default
    ]
    return f"{type(parsed).__name__}({', '.join(shown)})"


def row_of(mechanism: str, seed: int, kind: str, name: str, value: float | None, **others: Any) -> Row:
    empty = {
        "low": None,
        "high": None,
        "evaluated": None,
        "chance": None,
        "broken": None,
        "admitted": None,
        "note": "",
        "zero": False,
    }
    return {"mechanism": mechanism, "seed": seed, "kind": kind, "name": name, "value": value} | empty | others


def rows_of(found: Row) -> Iterator[Row]:
    """The rows of one measure of one trial.

    A task has two numbers: with 0 for what is not answered, and on what is answered.
    """
    kind, measure = found["measure"]
    who = found["mechanism"], found["seed"], kind
    for result in found["results"]:
        low, high = result["interval"] or (None, None)
        if kind == "attack":
            shown: Row = {
                "low": low,
                "high": high,
                "chance": result["chance"],
                "broken": result["broken"],
                "note": result["note"],
            }
            shown["admitted"] = result["details"].get("the promise admits")
            yield row_of(
                *who, result["name"], result["success"], evaluated=result["details"].get("trials"), **shown
            )
            continue
        name, of = result["name"], result["details"]
        if "asked" in of:
            share = of["answered"] / of["asked"] if of["asked"] else 0.0
            ends = [None if end is None else end * share for end in (low, high)]
            yield row_of(
                *who,
                name,
                of["unanswered_as_zero"],
                low=ends[0],
                high=ends[1],
                evaluated=of["asked"],
                zero=True,
            )
            name += ANSWERED
        zero = name.startswith("coverage:") and name.endswith((":distinct", ":impressions"))
        yield row_of(
            *who, name, result["value"], low=low, high=high, evaluated=result["evaluated"], zero=zero
        )
    if not found["results"]:
        yield row_of(*who, measure, None, note=found["note"])


def asked_for(name: str, on: Sequence[str]) -> bool:
    """Whether a score's name has every part of one of the selections."""
    parts = set(name.removesuffix(ANSWERED).split(":"))
    return not on or len(parts) == 1 or any(set(selection.split(":")) <= parts for selection in on)


def point(group: Sequence[Row]) -> Row:
    measured = [row for row in group if row["value"] is not None]
    ends = [end for row in measured for end in (row["low"], row["high"], row["value"]) if end is not None]
    chances = [row["chance"] for row in group if row["chance"] is not None]
    return group[0] | {
        "seed": None,
        "value": sum(row["value"] for row in measured) / len(measured) if measured else None,
        "low": min(ends, default=None),
        "high": max(ends, default=None),
        "chance": sum(chances) / len(chances) if chances else None,
        "broken": any(row["broken"] for row in group),
        "trials": len(measured),
    }


def attack_verdict(point: Row) -> str:
    """What an attack amounts to: 'broken', 'admitted' (better than a guess, no more than the promise admits
    or the label says) or 'guess'.
    """
    if point["broken"]:
        return "broken"
    return "admitted" if point["low"] > point["chance"] else "guess"


def bands(found: Row) -> Iterator[tuple[str, str, Row]]:
    if tuple(found["measure"]) == TOPICS:
        yield from (("queries", "topic", band) for band in found["topics"])
    for result in found.get("results", []):
        if result["name"].startswith("coverage:") and result["name"].endswith(":distinct"):
            table = result["name"].split(":")[1]
            yield from ((table, "frequency", band) for band in result["details"]["by_frequency"])
            yield from ((table, "number of words", band) for band in result["details"].get("by_words", []))


def mean(group: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(sum(row[name] for row in group) / len(group))
