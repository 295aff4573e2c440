"""What a comparison found: one row per trial and number, the same summed up over the seeds, charts and the
page.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from crowdlog.comparison.grid import LABEL, LOG_ITSELF, Grid
from crowdlog.comparison.rows import Row, about, asked_for, bands, mean, point, row_of, rows_of
from crowdlog.comparison.support import Support, supports
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.experiments.seeded_release import SeededRun
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.release.label import Label

TABLE_OF = {"flow": "pairs", "histories": "events"}  # what a measure needs is made of this table


@dataclass(frozen=True, repr=False)
class Comparison:
    """Everything that was measured.

    `on`: which scores were asked for, such as 'adhoc:nDCG@10'; `details`: all results as the trials kept
    them.
    """

    grid: Grid
    on: tuple[str, ...]
    trials: Mapping[SeededRun, Label]  # the label of each trial
    details: Sequence[Row]
    failures: Mapping[SeededRun, CrowdlogError] = field(default_factory=dict)  # trials that failed, and why

    @classmethod
    def read(
        cls, grid: Grid, on: Sequence[str], failures: Mapping[SeededRun, CrowdlogError] | None = None
    ) -> Comparison:
        """Read what the trials kept. Of a trial that failed half-way the first half is used."""
        measured = [measure for measure in grid.measures() if measure != LABEL]
        labels = {run: Label.read(found["label"]) for run in grid.runs() if (found := grid.kept(run, LABEL))}
        runs = [LOG_ITSELF, *labels]
        details = [found for run in runs for measure in measured if (found := grid.kept(run, measure))]
        _check_selections(on, [result["name"] for found in details for result in found.get("results", [])])
        return cls(grid, tuple(on), labels, details, failures or {})

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} trials failed" if self.failures else ""
        tried, seeds = len(self.grid.mechanisms), self.grid.seeds
        plural = ["" if count == 1 else "s" for count in (tried, seeds)]
        return f"Comparison({tried} mechanism{plural[0]}, {seeds} seed{plural[1]}{failed})"

    def _repr_html_(self) -> str:
        """What a notebook shows: every mechanism in one line."""
        from crowdlog.comparison.summary_table import in_notebook

        return in_notebook(self)

    @cached_property
    def labels(self) -> dict[str, Label]:
        """The label of each mechanism's first trial. Mechanisms of which every trial failed have none."""
        found: dict[str, Label] = {}
        for run, label in self.trials.items():
            found.setdefault(run.mechanism, label)
        return found

    @cached_property
    def rows(self) -> list[Row]:
        """One row per mechanism, seed and number: name, value, interval, on how much it rests; for attacks
        the chance.
        """
        rows = [row for found in self.details if found["measure"][0] != "topics" for row in rows_of(found)]
        rows = [row for row in rows if row["kind"] == "attack" or asked_for(row["name"], self.on)]
        return [about(row["mechanism"], self.labels) | row for row in [*rows, *self._zeros(rows)]]

    def _zeros(self, rows: Sequence[Row]) -> Iterator[Row]:
        """A release that publishes nothing shows nothing and answers nothing: 0, where others have a share or
        a score.
        """
        from crowdlog.utility.registry import MEASURES

        names = {row["name"]: None for row in rows if row["kind"] == "utility" and row["zero"]}
        for run, label in self.trials.items():
            if label.rows:
                continue
            for name in names:
                measure, part = name.split(":")[:2]
                needed = (
                    {part}
                    if measure == "coverage"
                    else {TABLE_OF.get(need, need) for need in MEASURES[measure].needs}
                )
                if needed & label.tables.keys():
                    yield row_of(
                        run.mechanism, run.seed, "utility", name, 0.0, note="Publishes nothing.", zero=True
                    )

    @cached_property
    def points(self) -> list[Row]:
        """The rows summed up over the seeds: the mean, and from the lowest to the highest end of the trials'
        intervals.
        """
        groups: dict[tuple[str, str, str], list[Row]] = {}
        for row in self.rows:
            groups.setdefault((row["mechanism"], row["kind"], row["name"]), []).append(row)
        return [point(group) for group in groups.values()]

    @property
    def people(self) -> int:
        """In the whole log."""
        return LogStore.open(self.grid.store).info.users

    @cached_property
    def supports(self) -> dict[str, dict[str, Support]]:
        """By mechanism and task: the release's score beside the log's own on held-out people."""
        return supports(self.details)

    def table(self) -> pa.Table:
        """The rows as an Arrow table: `.to_pandas()` for pandas."""
        text, number, whole = pa.string(), pa.float64(), pa.int64()
        types = {
            "mechanism": text,
            "series": text,
            "epsilon": number,
            "delta": number,
            "seed": whole,
            "kind": text,
            "name": text,
            "value": number,
        }
        types |= {
            "low": number,
            "high": number,
            "evaluated": whole,
            "chance": number,
            "admitted": number,
            "broken": pa.bool_(),
            "note": text,
        }
        return pa.table(
            {name: pa.array([row[name] for row in self.rows], kind) for name, kind in types.items()}
        )

    def kept_by(self) -> list[Row]:
        """How much was kept of each frequency, number of words and topic: the mean over the seeds."""
        groups: dict[tuple[str, str, str, str], list[Row]] = {}
        for found in self.details:
            for table, by, band in bands(found):
                groups.setdefault((found["mechanism"], table, by, band["from"]), []).append(band)
        return [
            {
                "mechanism": mechanism,
                "table": table,
                "by": by,
                "from": start,
                "in_log": mean(group, "in_log"),
                "kept": mean(group, "kept"),
            }
            for (mechanism, table, by, start), group in groups.items()
        ]

    def exposure(self) -> list[Row]:
        """How many people are exposed how much, where exposure was measured: the mean over the seeds."""
        groups: dict[tuple[str, float], list[Row]] = {}
        for found in self.details:
            for result in found.get("results", []) if found["measure"] == ["attack", "exposure"] else []:
                counts = result["details"].get("histogram", [])
                for i, people in enumerate(counts):
                    groups.setdefault((found["mechanism"], i / len(counts)), []).append(
                        {"people": people, "width": 1 / len(counts)}
                    )
        return [
            {
                "mechanism": m,
                "level": level,
                "end": level + group[0]["width"],
                "people": mean(group, "people"),
            }
            for (m, level), group in groups.items()
        ]

    def ordered(self) -> list[str]:
        """The mechanisms that were measured: those with a promise first, alike ones together, by rising ε."""
        about_all = {mechanism: about(mechanism, self.labels) for mechanism in self.labels}
        first = {
            name: i for i, name in reversed(list(enumerate(row["series"] for row in about_all.values())))
        }
        return sorted(
            about_all,
            key=lambda m: (
                about_all[m]["epsilon"] is None,
                first[about_all[m]["series"]],
                about_all[m]["epsilon"] or 0,
            ),
        )

    def commands(self, mechanism: str) -> dict[str, str]:
        """How to repeat a point (free), and how to publish it (charged)."""
        store, spelling = shlex.quote(self.grid.store), shlex.quote(mechanism)
        chosen = [
            f"--on {shlex.quote(','.join(self.on) or 'none')}",
            f"--with {','.join(self.grid.attacks) or 'none'}",
        ]
        chosen += [
            f"--topics {shlex.quote(self.grid.topics)}" if self.grid.topics else "",
            f"--tree {shlex.quote(self.grid.tree)}" if self.grid.tree != WORDNET else "",
            f"--labels {shlex.quote(self.grid.labels)}" if self.grid.labels else "",
            f"--seeds {self.grid.seeds}",
        ]
        safe = self.labels[mechanism].promise.guarantee.protects
        publish = (
            f"crowdlog release {store} {spelling} -o OUT"
            if safe
            else "No differential privacy: think before you publish it."
        )
        return {
            "repeat": f"crowdlog compare {store} {spelling} {' '.join(filter(None, chosen))} -o POINT.html",
            "publish": publish,
        }

    def as_dict(self) -> Row:
        """Everything, for JSON."""
        about = [
            {"mechanism": m, "label": label.to_json(), "commands": self.commands(m)}
            for m, label in self.labels.items()
        ]
        failed = [
            {"mechanism": run.mechanism, "seed": run.seed, "why": str(why)}
            for run, why in self.failures.items()
        ]
        return {
            "seeds": self.grid.seeds,
            "failed": failed,
            "mechanisms": about,
            "supports": {
                mechanism: {
                    task: asdict(found) | {"share": found.share, "verdict": found.verdict}
                    for task, found in tasks.items()
                }
                for mechanism, tasks in self.supports.items()
            },
            "points": self.points,
            "trials": list(self.details),
        }

    def frontier(self) -> Any:
        """What each mechanism is good for against its ε, as an Altair chart."""
        from crowdlog.comparison.charts import frontier

        return frontier(self)

    def against_attacks(self) -> Any:
        """What each mechanism is good for against the success of an attack, as an Altair chart; None where no
        attack was asked for.
        """
        from crowdlog.comparison.charts import against_attacks

        return against_attacks(self)

    def plot(self, path: str | Path, *, title: str | None = None, logo: str | Path | None = None) -> Path:
        """Write the page, and beside it all results as JSON and Parquet. `logo`: a picture for its head."""
        from crowdlog.comparison.page import TITLE, write_report

        return write_report(self, Path(path), title or TITLE, None if logo is None else Path(logo))


def _check_selections(on: Sequence[str], names: Sequence[str]) -> None:
    """A part such as nDCG@10 in a selection must be a part of some score."""
    for selection in on:
        available = sorted({name for name in names if name.startswith(selection.split(":")[0] + ":")})
        if available and not any(asked_for(name, [selection]) for name in available):
            raise InputError(
                f"There is no measure '{selection}' for these mechanisms. There are: {', '.join(available)}."
            )
