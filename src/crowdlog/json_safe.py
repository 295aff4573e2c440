"""JSON that every reader takes for the same: results as plain data, and files that are read strictly."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any


def json_safe(data: Any) -> Any:
    """Dataclasses as objects, and null for numbers that JSON does not have, such as the ε of no guarantee."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if dataclasses.is_dataclass(data) and not isinstance(data, type):
        return {field.name: json_safe(getattr(data, field.name)) for field in dataclasses.fields(data)}
    if isinstance(data, Mapping):
        return {name: json_safe(value) for name, value in data.items()}
    return [json_safe(value) for value in data] if isinstance(data, list | tuple) else data


def strict_json(text: str | bytes) -> Any:
    """What a JSON text says, if it says one thing only; ValueError where a name stands twice in an object (of
    two readers each may take another), where a number is not finite, and where it is no JSON or no text.
    """
    try:
        read = json.loads(text, object_pairs_hook=each_once, parse_constant=_no_number, parse_float=_finite)
        json.dumps(read, ensure_ascii=False).encode()  # half of a character cannot be printed
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return read


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook`: an object, or ValueError where a name stands twice in it."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")


def _finite(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)
