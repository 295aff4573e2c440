"""The tables of a study as Markdown: what docs/forwarding.md shows is this text, and a test compares them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crowdlog.reproduce.study import Cell, Claim, Panel


def tables_text(panels: Sequence[Panel], claims: Sequence[Claim]) -> str:
    """Return the panels one after the other, then what holds of the seed's statements."""
    parts = [_panel(panel) for panel in panels]
    said = [
        f"- **{'holds' if claim.holds else 'differs'}**: {claim.text} Ours: {claim.why}." for claim in claims
    ]
    return "\n\n".join([*parts, "What holds:", "\n".join(said)]) + "\n"


def _panel(panel: Panel) -> str:
    title = f"**{panel.title}**{' ' + panel.note if panel.note else ''}"
    lines = [_line(panel.columns), "|" + "---:|" * len(panel.columns)]
    lines += [_line(map(_text, row)) for row in panel.rows]
    return f"{title}\n\n" + "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _text(value: Cell) -> str:
    if value is None:
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)
