"""Table 4.5: query suggestion with the original log and with three anonymised ones."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies import zhang_runs
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.studies.zhang_sessions import SETUP, K
from crowdlog.reproduce.study import Claim, Result, Study

PRINTED: zhang_runs.Printed = {
    "Original": (0.0421, 0.1402, 18_475),
    "KA": (0.0693, 0.2312, 9_494),
    "DP_C": (0.1133, 0.3891, 4_144),
    "DP_S": (0.1139, 0.3911, 4_119),
}
NAMES = ("Precision@5", "Recall@5")


def run(bench: Bench) -> Result:
    ours = zhang_runs.measured(bench, "suggestion", ("P@5", "R@5"))
    panel = zhang_runs.panel(f"Query suggestion, K = {K}", NAMES, ours, PRINTED)
    return Result([panel], claims(ours, zhang_runs.sequences(bench, K)), SETUP)


def claims(ours: zhang_runs.Ours, sequences: int) -> list[Claim]:
    precision, recall, number = (
        zhang_runs.values(ours, 0),
        zhang_runs.values(ours, 1),
        zhang_runs.sessions(ours),
    )
    listed = ", ".join(f"{run} {precision[run]:.4f} on {number[run]:,}" for run in ours)
    return [
        Claim(
            "Fewer sessions can be evaluated with KA than with the original log, and fewer still with DP.",
            number["Original"] > number["KA"] > max(number["DP_C"], number["DP_S"]) > 0,
            f"{listed}",
        ),
        Claim(
            "The fewer sessions a log releases, the better its precision and recall: DP before KA before the "
            "original.",
            all(
                min(score["DP_C"], score["DP_S"]) > score["KA"] > score["Original"]
                for score in (precision, recall)
            ),
            f"precision is {listed}",
        ),
        Claim(
            "Sequences help: DP_S is better than DP_C.",
            precision["DP_S"] > precision["DP_C"] and recall["DP_S"] > recall["DP_C"],
            f"DP_S has {sequences} sequences that more than {K} of the first sessions share",
        ),
    ]


STUDY = Study(
    "zhang-table-4.5", f"{PAPER}, Table 4.5", "Query suggestion with original and anonymised logs", run
)
