"""The label: what is promised and how it was made. Its JSON has the layout of the registry of differential
privacy deployments, with what crowdlog adds under `crowdlog`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from crowdlog import __version__
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.plan.as_json import fits, from_json, record, to_json
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import NO_GUARANTEE, Guarantee
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.release.promise import Promise, Setting, Step

VERSION = 3  # of the layout
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Model:
    """Who has to be trusted with the log."""

    name: str
    description: str


CENTRAL = Model("Central", "The owner of the log runs the mechanism and publishes its output only.")


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


@dataclass(frozen=True)
class Label:
    """Everything a reader of the release should know: no text of the log and no count that was not paid for.

    `mechanisms`: spellings, each of which parses back; several where a nested collection has one for each
    layer. `tables`: how many rows each table has. `source`: the store or collection it was made from.
    `charge`: its number in the store's ledger, 0 where none was charged; `ledger_head`: its end then.
    `noise_from_system`: no fixed seed drew the noise. `hashes`: SHA-256 of each table's file and, by
    the names of their files, of the pages. `looks`: when and how the log was looked at before, in ways that
    no promise covers.
    """

    mechanisms: tuple[str, ...]
    promise: Promise
    tables: Mapping[str, int]
    source: str
    charge: int = 0
    noise_from_system: bool = True
    warnings: tuple[str, ...] = ()
    notes: Mapping[str, Setting] = field(default_factory=dict)
    description: str = ""
    published_in: str = ""
    model: Model = CENTRAL
    software: str = __version__
    date: str = field(default_factory=_today)
    hashes: Mapping[str, str] = field(default_factory=dict)
    ledger_head: str = ""
    looks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        names = " and ".join(spelling.partition("(")[0] for spelling in self.mechanisms)
        return f"crowdlog release by {names}"

    @property
    def plans(self) -> tuple[TablePlan, ...]:
        """The plan of each table of counts; none for a release of rows."""
        return self.promise.tables

    @property
    def rows(self) -> int:
        """The number of rows of all tables together."""
        return sum(self.tables.values())

    def to_json(self) -> dict[str, Any]:
        """The label as JSON has it: no number is infinite, and every part is there."""
        promise, guarantee = self.promise, self.promise.guarantee
        return {
            "name": self.name,
            "description": self.description,
            "data_product_type": "Search log statistics",
            "publication_date": self.date,
            "dp_flavor": {
                "name": guarantee.kind,
                "data_domain": "search logs: rows of (user, query, time, rank, url)",
                "unprotected_quantities": list(promise.unprotected),
            },
            "privacy_loss": {
                **_unit(guarantee),
                "privacy_parameters": _parameters(guarantee),
                "k": guarantee.k,
                "privacy_parameters_description": meaning_for_one_person(guarantee),
            },
            "model": {
                "model_name": self.model.name,
                "model_name_description": self.model.description,
                "release_type": "Static",
                "is_interactive": False,
            },
            "accounting": {
                "composition": "sum over the steps below" if guarantee.protects else "nothing to add up",
                "steps": [asdict(step) for step in promise.steps],
                "for_tight_composition": [dict(step) for step in promise.accounting],
            },
            "implementation": {
                "mechanism": " and ".join(self.mechanisms),
                "published_in": self.published_in,
                "settings": promise.settings,
                "as_published": dict(promise.as_published),
                "assumptions": list(promise.assumptions),
                "errata": list(promise.errata),
                "proof": promise.proof,
            },
            "crowdlog": {
                "label_version": VERSION,
                "version": self.software,
                "mechanisms": list(self.mechanisms),
                "guarantee": guarantee.family,
                "noise_from_system": self.noise_from_system,
                "warnings": list(self.warnings),
                "counts": promise.counts,
                "tables": dict(self.tables),
                "plan": to_json(promise.tables),
                "error_bars": promise.error_bars,
                "notes": dict(self.notes),
                "source": self.source,
                "charge": self.charge,
                "ledger_head": self.ledger_head,
                "looks": list(self.looks),
                "hashes": dict(self.hashes),
            },
        }

    @staticmethod
    def check_version(stored: Any, *, of: str) -> None:
        """Raise InputError for what is no label, or one of another version; no other part is looked at."""
        with _naming(of):
            _check_version(_Parts(stored))

    @classmethod
    def read(cls, stored: Any, *, of: str = "this release") -> Label:
        """What `to_json` wrote; `of` names the release where it cannot be read."""
        with _naming(of):
            _refuse_unprintable(stored)
            return _read(_Parts(stored))


@contextmanager
def _naming(of: str) -> Iterator[None]:
    """Say of which release a label cannot be read."""
    try:
        yield
    except InputError as error:
        raise InputError(f"The label of {of} cannot be read: {error}") from None
    except (ArithmeticError, ValueError, RecursionError):
        raise InputError(
            f"The label of {of} cannot be read: it holds what no label has, such as a μ of 0. "
            "It was damaged or changed by hand."
        ) from None


def _refuse_unprintable(stored: Any) -> None:
    """A label is printed on terminals, where such characters are orders."""
    if any(map(_CONTROL.search, _texts(stored))):
        raise InputError("it holds characters that cannot be printed. It was damaged or changed by hand.")


def _texts(stored: Any) -> Iterator[str]:
    if isinstance(stored, str):
        yield stored
    elif isinstance(stored, Mapping):
        for name, value in stored.items():
            yield from (name, *_texts(value))
    elif isinstance(stored, list):
        for value in stored:
            yield from _texts(value)


def _unit(guarantee: Guarantee) -> dict[str, str]:
    """Whom the promise is made to. Without one there is nobody: no reader may take a label for more."""
    if not guarantee.protects:
        return {"privacy_unit": "none", "privacy_unit_description": "No differential privacy is promised."}
    described = "Neighbouring logs differ in all rows of one user, added or removed."
    return {"privacy_unit": "one user", "privacy_unit_description": described}


def _parameters(guarantee: Guarantee) -> dict[str, float]:
    return {"epsilon": guarantee.epsilon, "delta": guarantee.delta} if guarantee.protects else {}


@dataclass(frozen=True)
class _Parts:
    """A label as it was stored."""

    stored: Any

    def take(self, place: str, kind: Any) -> Any:
        """The part at this place, such as `crowdlog.tables`, which must be of this kind."""
        found = self.stored
        for name in place.split("."):
            if not isinstance(found, Mapping) or name not in found:
                raise InputError(
                    f"it has no '{place}'. It is no label of a release, or it was changed by hand."
                )
            found = found[name]
        if not fits(found, kind):
            raise InputError(
                f"its '{place}' is not what a label has there. It was damaged or changed by hand."
            )
        return found

    def texts(self, place: str) -> tuple[str, ...]:
        return tuple(self.take(place, list[str]))


def _check_version(parts: _Parts) -> None:
    version = parts.take("crowdlog.label_version", int)
    if version != VERSION:
        raise InputError(
            f"it has version {version} and this crowdlog reads version {VERSION}. "
            "Use the crowdlog that wrote it."
        )


def _read(parts: _Parts) -> Label:
    _check_version(parts)
    take = parts.take
    return Label(
        parts.texts("crowdlog.mechanisms"),
        _promise(parts),
        take("crowdlog.tables", dict[str, int]),
        take("crowdlog.source", str),
        take("crowdlog.charge", int),
        take("crowdlog.noise_from_system", bool),
        parts.texts("crowdlog.warnings"),
        take("crowdlog.notes", dict[str, Setting]),
        take("description", str),
        take("implementation.published_in", str),
        Model(take("model.model_name", str), take("model.model_name_description", str)),
        take("crowdlog.version", str),
        take("publication_date", str),
        take("crowdlog.hashes", dict[str, str]),
        take("crowdlog.ledger_head", str),
        parts.texts("crowdlog.looks"),
    )


def _promise(parts: _Parts) -> Promise:
    tables = from_json(parts.take("crowdlog.plan", list[Any]))
    of_tables = {name for plan in tables for name in plan.numbers()}
    settings = parts.take("implementation.settings", dict[str, Setting])
    return _agreeing(
        _guarantee(parts),
        tuple(record(Step, step) for step in parts.take("accounting.steps", list[dict[str, Any]])),
        tables,
        {name: value for name, value in settings.items() if name not in of_tables},
        parts.texts("implementation.assumptions"),
        parts.texts("implementation.errata"),
        parts.texts("dp_flavor.unprotected_quantities"),
        tuple(parts.take("accounting.for_tight_composition", list[dict[str, Any]])),
        parts.take("implementation.proof", str),
        parts.take("implementation.as_published", dict[str, Setting]),
    )


def _agreeing(*parts: Any) -> Promise:
    """The promise of these parts. crowdlog makes none that contradicts itself: such a label was changed."""
    try:
        return Promise(*parts)
    except PrivacyRefusal as found:
        raise InputError(f"it was damaged or changed by hand. {found}") from None


def _guarantee(parts: _Parts) -> Guarantee:
    """ε and δ are written where there is differential privacy only."""
    loss = parts.take("privacy_loss.privacy_parameters", dict[str, float])
    none = NO_GUARANTEE
    return Guarantee(
        loss.get("epsilon", none.epsilon),
        loss.get("delta", none.delta),
        parts.take("dp_flavor.name", str),
        k=parts.take("privacy_loss.k", int | None),
    )
