"""What every mechanism is: a frozen dataclass of parameters that promises, then protects."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from crowdlog.mechanisms.parameters import check
from crowdlog.release.promise import Promise, Protected

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness
    from crowdlog.release.folder import Release


class Mechanism(ABC):
    """A published method with its parameters. `repr` is its spelling everywhere: code, shell, label, plot."""

    title: ClassVar[str]  # one line: what it is
    source: ClassVar[str]  # where it was published
    unsafe: ClassVar[bool] = False  # kept for attacks and comparison only

    def __post_init__(self) -> None:
        check(self)

    @abstractmethod
    def promise(self) -> Promise:
        """What will be guaranteed, from the parameters alone."""

    @abstractmethod
    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        """Compute the tables that may be published. Reads the log; charges nothing: call `release` to publish."""

    def check_inputs(self) -> None:
        """Raise InputError when a public file the mechanism needs cannot be read."""
        return

    def advice(self, log: LogStore) -> tuple[str, ...]:
        """Sentences for the owner of the log, before anything is charged. They may depend on the log: never published, never a refusal."""
        return ()

    def release(self, log: LogStore, out: str | Path, **options: Any) -> Release:
        """Charge the log's ledger, protect, and write the release folder. Options: see `crowdlog.release.publish.publish`."""
        from crowdlog.release.publish import publish

        return publish(self, log, out, **options)

    def __repr__(self) -> str:
        fields = [(field, getattr(self, field.name)) for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{f.name}={_spell(v)}' for f, v in fields if v != f.default)})"


def _spell(value: Any) -> str:
    return repr(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else repr(value)
