"""The label as a page to read, and the release explained in plain English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _parameters(parameters: Mapping[str, float]) -> str:
    return f": ε = {_number(parameters['epsilon'])}, δ = {_number(parameters['delta'])}" if parameters else ""


def _items(title: str, lines: list[str]) -> str:
    return f"\n## {title}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n" if lines else ""


def label_page(label: Mapping[str, Any]) -> str:
    """The label as Markdown."""
    own, loss, made = label["crowdlog"], label["privacy_loss"], label["implementation"]
    parameters = loss["privacy_parameters"]
    warnings = "".join(f"\n> **{warning}**\n" for warning in own["warnings"])
    steps = "\n".join(
        f"| {step['name']} | {_number(step['epsilon'])} | {_number(step['delta'])} | {step['what']} |"
        for step in label["accounting"]["steps"]
    )
    tables = [f"`{name}.parquet`: {rows:,} rows" for name, rows in own["tables"].items()]
    return (
        f"# {label['name']}\n{warnings}\n{label['description']}\n\n"
        f"| | |\n|---|---|\n| mechanism | `{made['mechanism']}` |\n| published in | {made['published_in']} |\n"
        f"| promise | {label['dp_flavor']['name']}{_parameters(parameters)} |\n"
        f"| protects | {loss['privacy_unit']}: {loss['privacy_unit_description']} |\n| counts | {own['counts'] or 'none published'} |\n"
        f"| date | {label['publication_date']} |\n| software | crowdlog {own['version']} |\n| source log | {own['source'][:16]} |\n"
        f"\n## What this means for one person\n\n{loss['privacy_parameters_description']}\n"
        f"\n## What was spent\n\n| step | ε | δ | |\n|---|---|---|---|\n{steps}\n"
        + _items("Settings", [f"{name} = {_number(value)}" for name, value in made["settings"].items()])
        + _items(
            "As published", [f"{name} = {_number(value)}" for name, value in made["as_published"].items()]
        )
        + _items("Assumptions", made["assumptions"])
        + _items("Where we differ from the paper", made["errata"])
        + _items("Not covered by the promise", label["dp_flavor"]["unprotected_quantities"])
        + _items("Tables", tables)
        + (f"\nProof: `{made['proof']}`\n" if made["proof"] else "")
    )


def explain(label: Mapping[str, Any]) -> str:
    """The release in plain English, with the ε spent at each step."""
    own, loss = label["crowdlog"], label["privacy_loss"]
    parts = [f"# What this release is\n\n{label['description']}\n"]
    parts += [f"**{warning}**\n" for warning in own["warnings"]]
    rows = ", ".join(f"{count:,} {name}" for name, count in own["tables"].items())
    counted = {"impressions": "how often it was searched", "users": "how many people searched it"}.get(
        own["counts"]
    )
    parts.append(
        f"It holds {rows}."
        + (
            f" A count says {counted}, with random noise added where the steps below say so."
            if counted
            else ""
        )
        + "\n"
    )
    parts.append("## How it was made\n")
    for number, step in enumerate(label["accounting"]["steps"], 1):
        cost = (
            f" This spends ε = {_number(step['epsilon'])}"
            + (f" and δ = {_number(step['delta'])}" if step["delta"] else "")
            + "."
            if step["epsilon"] or step["delta"]
            else ""
        )
        parts.append(f"{number}. **{step['name']}.** {step['what']}{cost}")
    parameters = loss["privacy_parameters"]
    if parameters:
        parts.append(f"\nTogether{_parameters(parameters)}.")
    parts.append(f"\n## What it means for you\n\n{loss['privacy_parameters_description']}")
    if label["dp_flavor"]["unprotected_quantities"]:
        parts.append(
            "\n## What is not promised\n\n"
            + "\n".join(f"- {line}" for line in label["dp_flavor"]["unprotected_quantities"])
        )
    return "\n".join(parts) + "\n"
