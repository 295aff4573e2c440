"""Results as plain data that every reader of JSON takes."""

from __future__ import annotations

import dataclasses
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
