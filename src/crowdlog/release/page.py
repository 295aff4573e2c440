"""A release as one self-contained HTML page: what is in it, what it cost, what it promises.

Shows released data only.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 25  # rows of a chart

NAMES = {
    "pairs": "reformulations (what was asked next)",
    "word_pairs": "pairs of words",
    "query_sites": "sites clicked for a query",
    "word_sites": "sites clicked for a word",
}
# The tables that have a chart, and its title.
TITLES = {
    "queries": "What the crowd searched for",
    "words": "Words it searched with",
    "word_pairs": "Words one after the other",
    "sites": "Sites it went to",
    "clicks": "What it clicked",
    "query_sites": "Sites it chose for a query",
    "word_sites": "Sites it chose for a word",
    "pairs": "What it searched next",
}

STYLE = """
:root{--ink:#1b1f24;--soft:#5b6570;--line:#d9dee3;--bar:#2f6f8f;--paper:#fff;--card:#f6f8fa;--warn:#a3331f}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--soft:#9aa5b1;--line:#38414a;--bar:#6fb1d1;--paper:#14181c;--card:#1d2329;--warn:#ff9b85}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.15rem;margin-top:2.2rem}p.soft,td.soft,figcaption{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.8rem;margin:1.2rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}.card b{display:block;font-size:1.45rem}
.warn{border-left:.3rem solid var(--warn);padding:.4rem .9rem;background:var(--card);color:var(--warn)}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}figure svg{width:100%;height:auto;font:13px system-ui,sans-serif}
figure svg text{fill:var(--ink)}figure svg .soft{fill:var(--soft)}figure svg rect{fill:var(--bar)}figure svg line{stroke:var(--ink);stroke-width:1.2}
code{background:var(--card);padding:.1rem .3rem;border-radius:.25rem;overflow-wrap:anywhere}
@media print{body{max-width:none;margin:0}.card{break-inside:avoid}}
"""


def release_page(
    label: Mapping[str, Any], tables: Mapping[str, pa.Table], *, story: Sequence[tuple[str, str]] = ()
) -> str:
    """The page. `story` adds cards (number, meaning), for example what a demo hid."""
    own, loss, made = label["crowdlog"], label["privacy_loss"], label["implementation"]
    cards = [(f"{rows:,}", f"{NAMES.get(name, name)} published") for name, rows in own["tables"].items()]
    parameters = loss["privacy_parameters"]
    if parameters:
        cards.append(
            (f"ε = {parameters['epsilon']:.3g}", f"privacy loss of one person, δ = {parameters['delta']:.2g}")
        )
    cards += story
    bars = own["error_bars"]
    parts = [
        f"<h1>{html.escape(label['description'])}</h1>",
        f'<p class="soft">Made by <code>{html.escape(made["mechanism"])}</code> with crowdlog {own["version"]} on {label["publication_date"]}.</p>',
        *(f'<p class="warn">{html.escape(warning)}</p>' for warning in own["warnings"]),
        '<div class="cards">'
        + "".join(f'<div class="card"><b>{html.escape(n)}</b>{html.escape(what)}</div>' for n, what in cards)
        + "</div>",
        f"<h2>What it means for one person</h2><p>{html.escape(loss['privacy_parameters_description'])}</p>",
    ]
    for name, table in tables.items():
        if name in TITLES and table.num_rows:
            parts.append(_chart(name, table, bars.get(name)))
    parts += [
        _steps(label),
        _list("Not covered by the promise", label["dp_flavor"]["unprotected_quantities"]),
    ]
    parts += [
        _list("Assumptions", label["implementation"]["assumptions"]),
        _list("Where we differ from the paper", label["implementation"]["errata"]),
    ]
    title = html.escape(label["name"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _list(title: str, lines: list[str]) -> str:
    return (
        f"<h2>{title}</h2><ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"
        if lines
        else ""
    )


def _steps(label: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(s['name'])}</td><td>{html.escape(s['what'])}</td>"
        f'<td class="n">{s["epsilon"]:.3g}</td><td class="n">{s["delta"]:.2g}</td></tr>'
        for s in label["accounting"]["steps"]
    )
    return f"<h2>How it was made and what each step cost</h2><table><tr><th>step</th><th></th><th>ε</th><th>δ</th></tr>{rows}</table>"


def _chart(name: str, table: pa.Table, noise: float | None) -> str:
    """Bars of the largest counts, with twice the noise's standard deviation as error bars when it is known."""
    top = table.slice(0, SHOWN).to_pydict()
    keys = table.column_names[: table.column_names.index("count")]
    texts = [" → ".join(row) for row in zip(*(top[column] for column in keys), strict=True)]
    largest, left, width = max(*top["count"], 1), 330, 470
    rows = []
    for i, (text, count) in enumerate(zip(texts, top["count"], strict=True)):
        y, bar = 22 * i, width * max(count, 0) / largest
        rows.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{html.escape(_short(text))}</text>')
        rows.append(f'<rect x="{left}" y="{y + 4}" width="{bar:.1f}" height="14"/>')
        spread = width * 2 * noise / largest if noise else 0
        if spread > 1:
            rows.append(
                f'<line x1="{max(left, left + bar - spread):.1f}" x2="{left + bar + spread:.1f}" y1="{y + 11}" y2="{y + 11}"/>'
            )
        rows.append(f'<text class="soft" x="{left + bar + spread + 6:.1f}" y="{y + 15}">{count:,}</text>')
    more = f"The {len(texts)} largest of {table.num_rows:,}." + (
        " The line shows twice the standard deviation of the noise." if noise else ""
    )
    picture = f'<svg viewBox="0 0 900 {22 * len(texts) + 6}" role="img">{"".join(rows)}</svg>'
    return (
        f'<h2>{TITLES[name]}</h2><figure style="margin:0">{picture}<figcaption>{more}</figcaption></figure>'
    )


def _short(text: str) -> str:
    return text if len(text) <= 44 else text[:43] + "…"
