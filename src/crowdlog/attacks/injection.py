"""Injection: fake users push a private text over the threshold (Korolova et al. 2009, §8).

Tried on a small invented log, never on the real one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing
from crowdlog.files.scratch import Scratch
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.measure.intervals import clopper_pearson
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.selections import fakes_needed

TRIALS = 20  # 20 of 20 puts the interval above 83 %
WORD = "quorvex"  # in no dictionary, and left alone by every representation of queries
MOST = 200_000  # fake users worth trying


def injection(view: AttackerView, _truth: Impressions, attacker: Attacker) -> AttackResult:
    """How often the secret is published with the fakes; chance: how often without them.

    Broken only if the label does not say so.
    """
    from crowdlog.mechanisms import parse

    if "events" in view.tables:
        return nothing("injection", "All rows are published: nobody needs fake users.")
    mechanism, promise = parse(view.mechanisms[0]), view.labels[0].promise
    selection = next((plan.selection for plan in promise.tables), None)
    fakes = MOST + 1 if selection is None else fakes_needed(selection)
    if fakes > MOST:
        return nothing("injection", "The label names no threshold that fake users could lift a text over.")
    with Scratch("injection") as folder:
        alone, crowd = _log(folder, 0), _log(folder, fakes)
        without, hits = (
            sum(_published(mechanism, log, attacker) for _ in range(TRIALS)) for log in (alone, crowd)
        )
    interval, chance = clopper_pearson(hits, TRIALS), without / TRIALS
    said = any("fake users" in line.lower() for line in promise.unprotected)
    note = "Outside the promise: the label says so." if said and interval[0] > chance else ""
    return AttackResult(
        "injection",
        hits / TRIALS,
        chance,
        interval,
        interval[0] > chance and not said,
        {"trials": TRIALS, "fake users": fakes},
        note,
    )


def _log(folder: Path, fakes: int) -> LogStore:
    """One person has the secret; each fake user asks it too, clicks, asks more, and clicks."""
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(1 + fakes):
        lines.append(f"{user}\t{WORD}\t2006-03-01 00:00:00\t1\thttp://secret.example")
        lines.append(f"{user}\t{WORD} again\t2006-03-01 00:01:00\t1\thttp://secret.example")
    source = folder / f"{fakes}.tsv"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return import_log([source], folder / f"{fakes}-store")


def _published(mechanism: Mechanism, log: LogStore, attacker: Attacker) -> bool:
    """Is the invented word anywhere in the tables?

    A public list of queries may fill them whatever is in the log.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for table in mechanism.protect(log, attacker.randomness).tables.values():
        for column in table.columns:
            texts: Any = pc.list_flatten(column) if pa.types.is_list(column.type) else column
            if pa.types.is_string(texts.type) and pc.any(pc.match_substring(texts, WORD)).as_py():
                return True
    return False
