"""A pipeline written down in a file: which commands it is, in order, and what each leaves behind.

A step whose result is there already is not repeated: a run that was stopped goes on where it ended.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError

# Section: the fields it must have. Others are the command's own options, by their names.
SECTIONS = {
    "import": ("logs", "store"),
    "budget": ("epsilon", "delta"),
    "release": ("mechanism", "out"),
    "verify": (),
    "export": ("format", "out"),
    "site": ("out",),
}
_NEEDED = ("import", "release")
# Options that name a file: like all paths, from the pipeline's own folder, wherever it is started.
_FILES = ("ledger", "append", "sign", "logo")
_BEGIN = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


@dataclass(frozen=True)
class PipelineStep:
    """One command. `made`: what is there once it is done; None for a step that is always run."""

    name: str
    words: tuple[str, ...]
    made: Path | None

    @property
    def done(self) -> bool:
        return self.made is not None and self.made.exists()


def read_pipeline(path: Path, day: date) -> list[PipelineStep]:
    """The steps of the file. Paths are relative to its folder; {date}, {month} and {year} are this day's."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML file: {error}.") from None
    _check(told, path)
    filled = {name: _filled(section, day) for name, section in told.items()}
    for section in filled.values():
        _place_files(section, path.parent)
    _begin_ledger(filled["import"], day)
    return _steps(filled, path.parent)


def _check(told: Mapping[str, Any], path: Path) -> None:
    unknown = set(told) - set(SECTIONS)
    if unknown:
        raise InputError(
            f"{path} has the section [{min(unknown)}]; there are {', '.join(f'[{s}]' for s in SECTIONS)}."
        )
    for name in dict.fromkeys([*told, *_NEEDED]):
        section = told.get(name)
        missing = [field for field in SECTIONS[name] if not isinstance(section, dict) or field not in section]
        if missing or not isinstance(section, dict):
            raise InputError(f"The section [{name}] of {path} needs {', '.join(SECTIONS[name])}.")


def _place_files(section: dict[str, Any], folder: Path) -> None:
    for name in _FILES:
        told = section.get(name)
        if isinstance(told, str) and "://" not in told and (name, told) != ("ledger", "own"):
            section[name] = str(folder / told)


def _begin_ledger(read: dict[str, Any], day: date) -> None:
    """`new-ledger = "2026-10"` begins the shared ledger in that month, if it is not there. In any other month
    one that is missing is lost, and the import refuses to begin another: it would forget what was spent.
    """
    name = "new_ledger" if "new_ledger" in read else "new-ledger"
    begin = read.get(name, False)
    if isinstance(begin, bool):
        return
    if not isinstance(begin, str) or not _BEGIN.fullmatch(begin):
        raise InputError(
            "new-ledger in [import] is true, or the year, month or day in which the ledger begins: "
            'new-ledger = "2026-10".'
        )
    ledger = str(read.get("ledger", ""))
    there = "://" not in ledger and Path(ledger).exists()
    read[name] = day.isoformat().startswith(begin) and not there


def _filled(value: Any, day: date) -> Any:
    if isinstance(value, str):
        for name, form in (("date", "%Y-%m-%d"), ("month", "%Y-%m"), ("year", "%Y")):
            value = value.replace(f"{{{name}}}", day.strftime(form))
        return value
    if isinstance(value, dict):
        return {name: _filled(inner, day) for name, inner in value.items()}
    return [_filled(inner, day) for inner in value] if isinstance(value, list) else value


def _options(section: Mapping[str, Any], leave: tuple[str, ...]) -> list[str]:
    """The other fields as options: `users = 20000` is --users 20000, `yes = true` is --yes."""
    words: list[str] = []
    for name, value in section.items():
        if name in leave or value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        values = value if isinstance(value, list) else [] if value is True else [value]
        words += map(str, values)
    return words


def _steps(told: Mapping[str, Any], folder: Path) -> list[PipelineStep]:
    def at(place: str) -> Path:
        return Path(place) if "://" in place else folder / place

    read, release = told["import"], told["release"]
    store, out = at(read["store"]), at(release["out"])
    steps = [_import(read, store, folder)]
    if "budget" in told:
        budget = told["budget"]
        words = ("budget", str(store), *_options(budget, ()))
        steps.append(PipelineStep("budget", words, None))
    steps.append(PipelineStep("resume", ("resume", str(store)), None))
    words = (
        "release",
        str(store),
        release["mechanism"],
        *_options(release, SECTIONS["release"]),
        "-o",
        str(out),
    )
    steps.append(PipelineStep("release", words, out))
    if "verify" in told:
        steps.append(PipelineStep("verify", ("verify", str(out), "--truth", str(store)), None))
    if "export" in told:
        target = at(told["export"]["out"])
        words = ("export", str(out), "--format", told["export"]["format"], "-o", str(target))
        steps.append(PipelineStep("export", words, target))
    if "site" in told:
        site = told["site"]
        words = ("site", str(out.parent), *_options(site, ("out",)), "-o", str(at(site["out"])))
        steps.append(PipelineStep("site", words, None))
    return steps


def _import(read: Mapping[str, Any], store: Path, folder: Path) -> PipelineStep:
    patterns = [read["logs"]] if isinstance(read["logs"], str) else read["logs"]
    logs = [place for pattern in patterns for place in _found(pattern, folder)]
    words = ("import", *logs, *_options(read, SECTIONS["import"]), "-o", str(store))
    return PipelineStep("import", words, store)


def _found(pattern: str, folder: Path) -> list[str]:
    if "://" in pattern:
        return [pattern]
    found = sorted(map(str, folder.glob(pattern))) if not Path(pattern).is_absolute() else [pattern]
    return found or [str(folder / pattern)]
