"""The mechanisms as data and as a page, from their classes and the metadata of their parameters."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, dataclass
from typing import Any

from crowdlog.extras import advice
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.mechanisms.parameters import spelled

_HEAD = """# Mechanisms

What can be released, and how. Made by `crowdlog mechanisms --markdown`; do not edit.
A mechanism is written like `Korolova(epsilon=2.3, delta=1e-6, d=20)`: in the shell, in Python,
in labels and in plots.

| mechanism | promise | what it publishes |
|---|---|---|
"""


@dataclass(frozen=True)
class ParameterEntry:
    """One parameter for people to read. `default` is empty where a value must be given."""

    name: str
    kind: str
    default: str
    allowed: str
    unit: str
    role: str
    help: str


@dataclass(frozen=True)
class MechanismEntry:
    """One mechanism for people to read."""

    name: str
    title: str
    what: str
    source: str
    promise: str
    meaning: str
    proof: str
    formula: str
    example: str
    parameters: tuple[ParameterEntry, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def describe(name: str) -> MechanismEntry:
    """The mechanism of this name, with its example's promise."""
    kind = find(name)
    promise, meaning, proof = _promised(kind.example)
    what = " ".join((kind.__doc__ or "").split())
    fields = dataclasses.fields(kind)  # type: ignore[arg-type]
    parameters = tuple(_parameter(field) for field in fields)
    told = (name, kind.title, what, kind.source, promise, meaning, proof, kind.formula, kind.example)
    return MechanismEntry(*told, parameters)


def _promised(example: str) -> tuple[str, str, str]:
    """What the example promises: its kind, in words, and the proof.

    One whose public list is missing says what brings it.
    """
    try:
        promise = parse(example).promise()
    except ModuleNotFoundError as error:
        return advice(error.name) or "not told", "", ""
    return promise.guarantee.kind, str(promise.guarantee), promise.proof


def _parameter(field: Any) -> ParameterEntry:
    default = "" if field.default is dataclasses.MISSING else repr(field.default)
    told = field.metadata
    return ParameterEntry(
        field.name, spelled(field), default, str(told["range"]), told["unit"], told["role"].name, told["help"]
    )


def page() -> str:
    """docs/mechanisms.md."""
    entries = [describe(name) for name in sorted(MECHANISMS)]
    rows = "".join(
        f"| [{entry.name}](#{entry.name.lower()}) | {entry.promise} | {entry.title} |\n" for entry in entries
    )
    return _HEAD + rows + "".join(map(_section, entries))


def _section(entry: MechanismEntry) -> str:
    proof = f"[{entry.proof}](../{entry.proof})"
    about = (
        f"\n## {entry.name}\n\n{entry.what}\n\n{entry.title}. Published in: {entry.source}. Proof: {proof}.\n"
    )
    example = (
        f"\nFormula: {entry.formula}.\n\nPromise of the example: {entry.meaning}\n"
        f'\n```sh\ncrowdlog plan "{entry.example}"\n```\n'
    )
    if not entry.parameters:
        return about + example
    cells = [[p.name, p.default, p.allowed, p.unit, p.help] for p in entry.parameters]
    rows = "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in cells)
    return f"{about}{example}\n| parameter | default | allowed | unit | |\n|---|---|---|---|---|\n{rows}"
