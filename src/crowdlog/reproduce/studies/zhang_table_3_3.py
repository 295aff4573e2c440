"""Table 3.3: how much patterns find, and how often they are right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from crowdlog.log.synth import synthesize
from crowdlog.measure.vocabulary import compute
from crowdlog.mechanisms.pii_patterns import PATTERNS
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

# Pattern: how many posts have it, and its precision, as printed.
PRINTED_ROWS = {
    "birthday 1": (36, 0.97),
    "birthday 2": (207, 0.84),
    "birthday 3": (36, 0.92),
    "brand": (11_095, 0.87),
    "sports team": (572, 0.99),
    "location": (34_296, 0.51),
}
SETUP = (
    "The paper's patterns find birthdays, brands, teams and places in tweets, which no search log has. Ours "
    "are the three forms that its Section 3.3 names for query logs (e-mail addresses, telephone and social "
    "security numbers), looked for in the queries of the synthetic log, in which secrets were planted: right "
    "is what was planted, whatever its kind."
)


def run(bench: Bench) -> Result:
    found = bench.kept(["patterns"], lambda: _found(bench))
    rows: list[list[Any]] = [["printed", name, *values, None] for name, values in PRINTED_ROWS.items()]
    rows += [["ours", name, one["posts"], one["precision"], one["recall"]] for name, one in found.items()]
    columns = ["who", "pattern", "posts or queries with it", "precision", "of those planted"]
    return Result([Panel("What patterns find", columns, rows)], claims(found), SETUP)


def _found(bench: Bench) -> dict[str, dict[str, float]]:
    texts = bench.truth(bench.log).vocabulary.queries.all()
    planted = _planted(bench)
    return {name: _judged(name, pattern, texts, planted) for name, pattern in PATTERNS.items()}


def _planted(bench: Bench) -> dict[str, set[str]]:
    """The planted texts by their kind: the same log once more, for its list."""
    secrets, again = bench.folder / "secrets.tsv", bench.folder / "again.tsv"
    if not secrets.exists():
        synthesize(again, users=bench.users, seed=SEED, secrets=secrets)
        again.unlink()
    kinds: dict[str, set[str]] = {}
    for line in secrets.read_text(encoding="utf-8").splitlines()[1:]:
        _user, kind, text = line.split("\t")
        kinds.setdefault(kind, set()).add(text)
    return kinds


def _judged(name: str, pattern: str, texts: Any, planted: Mapping[str, set[str]]) -> dict[str, float]:
    shown = texts.filter(compute.match_substring_regex(texts, pattern)).to_pylist()
    every = set().union(*planted.values())
    of_kind = [text for text in planted.get(name, ()) if re.search(pattern, text)]
    right = sum(text in every for text in shown)
    return {
        "posts": len(shown),
        "precision": right / len(shown) if shown else 0.0,
        "recall": len(of_kind) / len(planted[name]) if planted.get(name) else 0.0,
    }


def claims(found: Mapping[str, Mapping[str, float]]) -> list[Claim]:
    told = ", ".join(f"{name} {one['precision']:.2f}" for name, one in found.items())
    lowest, highest = _range([one["precision"] for one in found.values()])
    return [
        Claim(
            "Patterns find sensitive texts: every one occurs.",
            all(one["posts"] > 0 for one in found.values()),
            ", ".join(f"{name}: {one['posts']:.0f}" for name, one in found.items()),
        ),
        Claim(
            "How right a pattern is depends on the pattern, from about half to nearly always (printed "
            ".51 to .99).",
            0.4 <= lowest <= 0.6 and highest >= 0.95,
            f"precision is {told}: forms of numbers are either those of a secret or of nothing in this log",
        ),
    ]


def _range(values: Sequence[float]) -> tuple[float, float]:
    return min(values, default=0.0), max(values, default=0.0)


STUDY = Study(
    "zhang-table-3.3", f"{PAPER}, Table 3.3", "What patterns find, and how often they are right", run
)
