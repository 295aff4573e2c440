"""Sentences of a release's page: of its templates, and of its charts."""

from __future__ import annotations

from crowdlog.release.label import Label
from crowdlog.release.page import SHOWN
from tests.release.told.truths import True_, always, dp


def charted(label: Label) -> dict[str, int]:
    """Tables of counts, and their rows."""
    names = {plan.name for plan in label.plans if not plan.names_only}
    return {name: rows for name, rows in label.tables.items() if name in names and rows}


def with_intervals(label: Label) -> bool:
    """Its rows have intervals of their own: those of a ladder."""
    return bool(charted(label)) and label.mechanisms[0].startswith("Ladder(")


OF_PAGES: dict[str, dict[str, True_]] = {
    "pages/bar_chart.py": {
        "The {} largest of {}.": lambda label: any(rows > SHOWN for rows in charted(label).values()),
        " The line shows twice the standard deviation": lambda label: any(
            name in charted(label) for name in label.promise.error_bars
        ),
        " The line is the interval": with_intervals,
    },
    "pages/templates/release.html": {
        "Made by": always,
        "What it means for one person": always,
        "How it was made": always,
        "and what each step cost": dp,
        "Not covered by the promise": lambda label: bool(label.promise.unprotected),
        "Where we differ from the paper": lambda label: bool(label.promise.errata),
    },
    "pages/templates/parts.html": {
        "Nothing is shown: nothing was shared by enough people": lambda label: (
            bool(label.tables) and not sum(label.tables.values())
        ),
    },
    "pages/templates/page.html": {
        "Made with crowdlog": always,
        "This page is one file and needs no network.": always,
    },
}
