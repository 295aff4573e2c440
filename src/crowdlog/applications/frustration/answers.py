"""Answers to the frustration question as the browser extension saves or sends them (docs/studies.md).

A JSON file is one person's: `{"study": …, "answers": [{"time": …, "label": …, "values": {…}}, …]}`; `values`
holds five numbers of the task that ended, and `label` is the place of the choice, from 1, "not frustrated".
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError

# As the extension names them (extension/src/studies/frustration.ts), in the order of the study's features.
NUMBERS = ("characters", "letters_per_word", "task_seconds", "task_actions", "urls")
NONE = -1  # a label that is not there


@dataclass(frozen=True)
class Answered:
    """One task that ended: its numbers, and whether it was frustrating (1, 0, or −1: she did not say)."""

    time: float
    numbers: tuple[float, ...]
    label: int


def is_answers(path: Path) -> bool:
    """Whether it is what the extension writes: a JSON file, or a folder of them."""
    return path.is_dir() or path.suffix.lower() == ".json"


def read_answers(path: Path) -> dict[str, list[Answered]]:
    """Each person's answers in order of time, by the name of her file."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"The study {path} cannot be used: the folder holds no JSON file with answers.")
    people = {file.stem: _person(file) for file in files}
    found = {name: answers for name, answers in people.items() if answers}
    if not found:
        raise InputError(f"The study {path} holds no answers with the numbers of a frustration question.")
    return found


def _person(file: Path) -> list[Answered]:
    answers = _parsed(file)
    found = [_answered(file, at, one) for at, one in enumerate(answers, 1) if _has_numbers(one)]
    return sorted(found, key=lambda one: one.time)


def _parsed(file: Path) -> list[Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"The study {file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The study {file} cannot be read: it is not UTF-8 text.") from None
    except (ValueError, RecursionError):
        raise InputError(f"The study {file} cannot be read: it is not JSON.") from None
    answers = value.get("answers") if isinstance(value, dict) else None
    if not isinstance(answers, list):
        raise InputError(f"The study {file} cannot be used: it holds no list of answers.")
    return answers


def _has_numbers(answer: Any) -> bool:
    """Answers to other questions of a study have none."""
    values = answer.get("values") if isinstance(answer, dict) else None
    return isinstance(values, dict) and set(NUMBERS) <= set(values)


def _answered(file: Path, at: int, answer: dict[str, Any]) -> Answered:
    label = answer.get("label")
    numbers = tuple(answer["values"][name] for name in NUMBERS)
    if not all(map(_is_number, (answer.get("time"), *numbers))) or not _is_place(label):
        raise InputError(
            f"The study {file} cannot be used: answer {at} has a time, label or number that is none."
        )
    said = NONE if label is None else int(label > 1)
    return Answered(float(answer["time"]), tuple(map(float, numbers)), said)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e15 and math.isfinite(value)


def _is_place(label: Any) -> bool:
    return label is None or (type(label) is int and 1 <= label <= 1000)
