"""The label as a page to read, and the release explained in plain English."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from crowdlog.number_format import NOTHING, amount, number, rounded_up
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.release.label import Label
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.release.promise import ROWS_IN_WORDS, Promise, Setting, Step

# Names of tables that no sentence would hold; others are words.
_TABLES = re.compile(rf"\b({'|'.join(name for name in ROWS_IN_WORDS if '_' in name)})\b")
_COUNTED = {"impressions": "how often something was done", "users": "how many people did it"}


def _parameters(guarantee: Guarantee) -> str:
    if not guarantee.protects:
        return ""
    return f": ε = {rounded_up(guarantee.epsilon)}, δ = {rounded_up(guarantee.delta)}"


def protects(guarantee: Guarantee) -> str:
    """Whom the promise is about, for the label."""
    if guarantee.protects:
        return "one user: Neighbouring logs differ in all rows of one user, added or removed."
    if guarantee.kind == "k-anonymity of users":
        return "nobody in particular: a history is that of several people, a text in it may be one person's"
    if guarantee.kind == "semantic k-anonymity of queries":
        return "nobody in particular: several people asked queries like it, a text itself may be one person's"
    return "nobody in particular: what is shown is common to several people" if guarantee.k else "nobody"


def _items(title: str, lines: Sequence[str]) -> str:
    return f"\n## {title}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n" if lines else ""


def _settings(title: str, settings: Mapping[str, Setting]) -> str:
    return _items(title, [f"{name} = {number(value)}" for name, value in settings.items()])


_LOOKED = (
    "The owner looked at the log itself before ({times}): "
    "parameters may have been chosen by what she saw, which no promise covers."
)


def _steps(promise: Promise) -> str:
    """Each step with its cost; where nothing is promised that ε measures, zeros would read as perfect."""
    if not promise.guarantee.protects:
        done = "".join(f"| {step.name} | {step.what} |\n" for step in promise.steps)
        return f"\n## What was done\n\n| step | |\n|---|---|\n{done}"
    spent = "".join(
        f"| {step.name} | {cost_told(step.epsilon)} | {cost_told(step.delta)} | {step.what} |\n"
        for step in promise.steps
    )
    return f"\n## What was spent\n\n| step | ε | δ | |\n|---|---|---|---|\n{spent}"


def label_page(label: Label) -> str:
    """The label as Markdown."""
    promise = label.promise
    warnings = "".join(f"\n> **{warning}**\n" for warning in label.warnings)
    facts = {
        "mechanism": " and ".join(f"`{spelling}`" for spelling in label.mechanisms),
        "published in": label.published_in,
        "promise": f"{promise.guarantee.kind}{_parameters(promise.guarantee)}",
        "protects": protects(promise.guarantee),
        "counts": promise.counts or "none published",
        "date": label.date,
        "software": f"crowdlog {label.software}",
        "source log": label.source[:16],
    }
    return (
        f"# {label.name}\n{warnings}\n{label.description}\n\n| | |\n|---|---|\n"
        + "".join(f"| {name} | {fact} |\n" for name, fact in facts.items())
        + f"\n## What this means for one person\n\n{meaning_for_one_person(promise.guarantee)}\n"
        + _steps(promise)
        + _settings("Settings", promise.settings)
        + _settings("As published", promise.as_published)
        + _items("Assumptions", promise.assumptions)
        + _items("Where we differ from the paper", promise.errata)
        + _items("Not covered by the promise", promise.unprotected)
        + _settings("Notes", label.notes)
        + _items("Looks at the log before this release, which no promise covers", label.looks)
        + _items("Tables", [f"`{name}.parquet`: {rows:,} rows" for name, rows in label.tables.items()])
        + (f"\nProof: `{promise.proof}`\n" if promise.proof else "")
    )


def explain(label: Label) -> str:
    """The release in plain English, with the ε spent at each step."""
    promise = label.promise
    parts = [f"# What this release is\n\n{label.description}\n"]
    parts += [f"**{warning}**\n" for warning in label.warnings]
    parts.append(_contents(label))
    parts.append("## How it was made\n")
    for place, step in enumerate(promise.steps, 1):
        cost = _cost(step) if promise.guarantee.protects else ""
        parts.append(f"{place}. **{_in_words(step.name)}.** {step.what}{cost}")
    if promise.guarantee.protects:
        parts.append(f"\nTogether{_parameters(promise.guarantee)}.")
    parts.append(f"\n## What it means for you\n\n{meaning_for_one_person(promise.guarantee)}")
    if label.looks:
        looked = _LOOKED.format(times=amount(len(label.looks), "time"))
        parts.append(f"\n{looked}")
    if promise.unprotected:
        lines = "\n".join(f"- {line}" for line in promise.unprotected)
        parts.append(f"\n## What is not promised\n\n{lines}")
    if label.notes:  # such as the texts with a rare word that another rule would have released
        notes = {_in_words(name): value for name, value in label.notes.items()}
        parts.append(_settings("What was counted on the way", notes).rstrip("\n"))
    return "\n".join(parts) + "\n"


def _in_words(text: str) -> str:
    return _TABLES.sub(lambda found: ROWS_IN_WORDS[found[1]], text)


def _contents(label: Label) -> str:
    rows = ", ".join(f"{count:,} {ROWS_IN_WORDS.get(name, name)}" for name, count in label.tables.items())
    counted = _COUNTED.get(label.promise.counts)
    if any(plan.names_only for plan in label.plans):
        return f"It holds {rows}: names alone. The column count is 1 in every row and says nothing.\n"
    if counted is None:
        return f"It holds {rows}.\n"
    return (
        f"It holds {rows}. A count says {counted}: of each person only what the steps below count, and with "
        "random noise where they say so.\n"
    )


def _cost(step: Step) -> str:
    spent = {"ε": step.epsilon, "δ": step.delta}
    told = " and ".join(f"{name} = {rounded_up(value)}" for name, value in spent.items() if value)
    return f" This spends {told}." if told else ""


def cost_told(value: float) -> str:
    """Of a step, in a table: a dash where it costs nothing, for a zero reads as if something were free."""
    return rounded_up(value) if value else NOTHING
