"""A study file: what is asked of people, when, and what may leave; checked by the schema and by rules the
schema cannot say. The extension checks the same (extension/src/studies/study.ts, tests/vectors/studies.json).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from crowdlog.crowd.studies.latin_square import latin_square
from crowdlog.errors import InputError

PERMISSIONS = ("behaviour", "aggregate", "interface", "storage", "privacy", "server")

# What each step needs of the API's six groups (Feild 2013, section 8.1).
_NEEDED = {
    "questionnaire": ("behaviour", "interface", "storage"),
    "questionnaire once": ("interface", "storage"),
    "label-pages": ("behaviour", "interface", "storage"),
    "label-suggestions": ("behaviour", "aggregate", "interface", "storage"),
    "group-tasks": ("behaviour", "interface", "storage"),
    "coverage": ("behaviour", "interface"),
    "join-collection": ("behaviour", "aggregate", "privacy"),
    "lab": ("behaviour", "interface", "storage"),
}


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
    """As browsers read a pattern: `$` is the end of the text, not also the place before a last line feed."""
    whole = re.sub(r"\$$", r"\\Z", pattern)
    if isinstance(value, str) and not re.search(whole, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_Validator = extend(Draft202012Validator, {"pattern": _pattern})


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a study."""
    text = files("crowdlog.crowd.studies").joinpath("study.schema.json").read_text()
    return dict(json.loads(text))


def read_json(text: str) -> Any:
    """Read JSON, or say where it breaks."""
    try:
        return json.loads(text)
    except ValueError as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"The file is not JSON{where}.") from error
    except RecursionError as error:
        raise InputError("The file is nested too deeply to be a study.") from error


def check_study(study: Any) -> list[str]:
    """Return one sentence for each thing that is wrong; none for a good study."""
    found = _Validator(schema()).iter_errors(study)
    try:
        wrong = [_sentence(one) for error in found for one in _inner(error)]
    except RecursionError:
        return ["The file is nested too deeply to be a study."]
    return wrong or _rules(study)


def _inner(error: Any) -> list[Any]:
    """What is wrong with a step or an upload of its kind, in place of "fits none of the kinds"."""
    if error.validator != "oneOf":
        return [error]
    kinds: dict[int, list[Any]] = {}
    for one in error.context:
        kinds.setdefault(one.relative_schema_path[0], []).append(one)
    meant = [found for found in kinds.values() if not any(_names_kind(one) for one in found)]
    return meant[0] if len(meant) == 1 else [error]


def _names_kind(error: Any) -> bool:
    """Whether it says that this is of another kind."""
    if error.relative_path:
        return list(error.relative_path) in (["do"], ["how"])
    return error.validator == "type" or not {"do", "how"} & set(error.instance)


def _sentence(error: Any) -> str:
    parts = error.absolute_path
    place = "study" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return f"The study file is wrong at {place}: {_told(error)}"


def _told(error: Any) -> str:
    """Names the kinds there are where it is none of them."""
    if error.validator != "oneOf":
        return str(error.message[:200])
    field = "how" if list(error.absolute_path) == ["upload"] else "do"
    rules = [kind["properties"].get(field, {}) for kind in schema()["$defs"].values() if "properties" in kind]
    names = {name for rule in rules for name in [rule.get("const"), *rule.get("enum", [])] if name}
    return f"'{field}' must be one of {', '.join(sorted(names))}, with the fields of that kind."


def _needs(step: dict[str, Any]) -> tuple[str, ...]:
    """Questions that wait for nothing and keep no numbers look at nothing."""
    looks = step.get("when") != "once" or "features" in step
    return _NEEDED[step["do"] if looks else "questionnaire once"]


def _rules(study: dict[str, Any]) -> list[str]:
    needed = {name for step in study["steps"] for name in _needs(step)}
    needed |= {"server"} if study["upload"]["how"] == "clear" else set()
    asked = set(study["permissions"])
    unnamed = any("vectors" in step and "collection" not in step for step in study["steps"])
    wrong = ["A study that asks for vectors must name the collection they are for."] if unnamed else []
    wrong += [
        f"The study does what it asks no permission for: {name}."
        for name in PERMISSIONS
        if name in needed - asked
    ]
    wrong += [
        f"The study asks for a permission that it does not need: {name}."
        for name in PERMISSIONS
        if name in asked - needed
    ]
    if study["from"] > study["until"]:
        wrong.append("The study ends before it begins.")
    return wrong + [sentence for step in study["steps"] for sentence in _step_rules(step)]


def _step_rules(step: dict[str, Any]) -> list[str]:
    questions = [question for name in ("questions", "before", "after") for question in step.get(name, ())]
    wrong = [
        f"The question '{question['id']}' needs choices if and only if its answer is a choice."
        for question in questions
        if (question["answer"] == "choice") != ("choices" in question)
    ]
    wrong += _twice("questions", questions) + _twice("tasks", step.get("tasks", []))
    if step.get("order") == "latin-square" and len(step["tasks"]) < 2:
        wrong.append("A Latin square needs at least two tasks.")
    return wrong


def _twice(what: str, named: list[dict[str, Any]]) -> list[str]:
    names = [one["id"] for one in named]
    return [
        f"Two {what} of a step have the id '{name}'." for name in sorted(set(names)) if names.count(name) > 1
    ]


def task_orders(study: dict[str, Any]) -> list[list[list[str]]]:
    """For each step with a Latin square, the order of its tasks for person 1, 2, …; then it begins again."""
    return [
        [[step["tasks"][task]["id"] for task in row] for row in latin_square(len(step["tasks"]))]
        for step in study["steps"]
        if step.get("order") == "latin-square"
    ]
