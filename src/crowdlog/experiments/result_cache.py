"""Results on disk, each under a name made of all that it depends on: changed code or input finds none."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from crowdlog.files.private import write_for_owner

T = TypeVar("T")


@dataclass(frozen=True)
class ResultCache:
    """`code`: the digest of the source. Results are plain data for JSON, never text of a log."""

    folder: Path
    code: str

    def file(self, key: Sequence[Any]) -> Path:
        """Where the result of this key is kept."""
        known_by = json.dumps([self.code, *key])
        return self.folder / f"{hashlib.sha256(known_by.encode()).hexdigest()[:40]}.json"

    def keep(self, key: Sequence[Any], result: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_for_owner(self.file(key), json.dumps(result, ensure_ascii=False))

    def kept(self, key: Sequence[Any]) -> Any:
        """A result, or None where there is none. A file that a power cut left without its end is none."""
        try:
            return json.loads(self.file(key).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def result(self, key: Sequence[Any], make: Callable[[], T]) -> T:
        """What was kept for this key, or what `make` returns, which is kept then."""
        if self.kept(key) is None:
            self.keep(key, make())
        found: T = self.kept(key)
        return found
