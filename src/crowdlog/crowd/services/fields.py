"""The kinds of values a request or an answer may hold: each reads a JSON value, writes one, and describes
itself to OpenAPI.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from crowdlog.errors import InputError

_BASE64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"


class Field(Protocol):
    @property
    def schema(self) -> dict[str, Any]: ...

    def read(self, name: str, value: Any) -> Any:
        """Return the value as Python keeps it, or raise an InputError that names the field and never quotes
        the value.
        """
        ...


@dataclass(frozen=True)
class Bytes:
    """Bytes in base64, of one exact size or of at most `most`."""

    most: int
    exact: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        longest = 4 * ((self.most + 2) // 3)
        return {
            "type": "string",
            "format": "base64",
            "pattern": _BASE64,
            "minLength": longest if self.exact else 4,
            "maxLength": longest,
        }

    def read(self, name: str, value: Any) -> bytes:
        size = f"exactly {self.most}" if self.exact else f"1 to {self.most}"
        wrong = InputError(f"'{name}' must be {size} bytes in base64.")
        if not isinstance(value, str) or len(value) > 4 * ((self.most + 2) // 3):
            raise wrong
        try:
            data = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise wrong from error
        if not 1 <= len(data) <= self.most or (self.exact and len(data) != self.most):
            raise wrong
        return data


@dataclass(frozen=True)
class Integer:
    least: int
    most: int

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}

    def read(self, name: str, value: Any) -> int:
        # JSON Schema calls 5.0 an integer too.
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        if not isinstance(whole, int) or isinstance(whole, bool) or not self.least <= whole <= self.most:
            raise InputError(f"'{name}' must be an integer from {self.least} to {self.most}.")
        return whole


@dataclass(frozen=True)
class Text:
    most: int = 200
    least: int = 1

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": self.least, "maxLength": self.most}

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not self.least <= len(value) <= self.most or not _encodable(value):
            raise InputError(f"'{name}' must be a text of {self.least} to {self.most} characters.")
        return value


@dataclass(frozen=True)
class Choice:
    values: tuple[str, ...]

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.values)}

    def read(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.values:
            raise InputError(f"'{name}' must be one of {', '.join(self.values)}.")
        return value


@dataclass(frozen=True)
class ListOf:
    item: Field
    most: int
    least: int = 1

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema, "minItems": self.least, "maxItems": self.most}

    def read(self, name: str, value: Any) -> list[Any]:
        if not isinstance(value, list) or not self.least <= len(value) <= self.most:
            raise InputError(f"'{name}' must be a list of {self.least} to {self.most} items.")
        return [self.item.read(name, item) for item in value]


@dataclass(frozen=True)
class AnyObject:
    """Used in answers only, where the shape is described in words."""

    description: str

    @property
    def schema(self) -> dict[str, Any]:
        return {"type": "object", "description": self.description}

    def read(self, name: str, value: Any) -> Any:
        if not isinstance(value, dict):
            raise InputError(f"'{name}' must be an object.")
        return value


Fields = Mapping[str, Field]


def object_schema(fields: Fields) -> dict[str, Any]:
    """Return the JSON Schema of an object that has exactly these fields."""
    return {
        "type": "object",
        "properties": {name: field.schema for name, field in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def read_object(body: bytes, fields: Fields) -> dict[str, Any]:
    """Read a JSON object with exactly these fields."""
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InputError("The body must be JSON.") from error
    if not isinstance(value, dict):
        raise InputError("The body must be a JSON object.")
    if set(value) != set(fields):
        raise InputError(f"The body must have exactly these fields: {', '.join(fields)}.")
    return {name: field.read(name, value[name]) for name, field in fields.items()}


def to_base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _no_constant(_name: str) -> None:
    raise ValueError("not JSON")  # NaN and Infinity are Python's, not JSON's


def _encodable(text: str) -> bool:
    """Lone surrogates and NUL cannot be stored."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
