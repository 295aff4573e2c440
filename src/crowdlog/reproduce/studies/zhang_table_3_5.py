"""Table 3.5: the random walk on the original and on the released log."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies import zhang_effectiveness
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Result, Study

PRINTED = {"Original": (0.6658, 0.1484, 0.0779, 0.6395), "Anonymized": (0.6675, 0.1486, 0.0777, 0.6424)}


def run(bench: Bench) -> Result:
    return zhang_effectiveness.run(bench, "RW", PRINTED)


STUDY = Study("zhang-table-3.5", f"{PAPER}, Table 3.5", "Retrieval before and after: random walk", run)
