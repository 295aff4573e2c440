"""Table 3.6: implicit feedback on the original and on the released log."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies import zhang_effectiveness
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Result, Study

PRINTED = {"Original": (0.6919, 0.1535, 0.0796, 0.6725), "Anonymized": (0.6897, 0.1527, 0.0790, 0.6711)}


def run(bench: Bench) -> Result:
    return zhang_effectiveness.run(bench, "IF", PRINTED)


STUDY = Study("zhang-table-3.6", f"{PAPER}, Table 3.6", "Retrieval before and after: implicit feedback", run)
