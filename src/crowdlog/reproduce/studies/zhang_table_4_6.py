"""Table 4.6: session search with the original log and with three anonymised ones."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies import zhang_runs
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.studies.zhang_sessions import SETUP, K, rows
from crowdlog.reproduce.study import Claim, Result, Study

PRINTED: zhang_runs.Printed = {
    "Original": (0.24792, 0.19073, 1_007_170),
    "KA": (0.19740, 0.15363, 782_873),
    "DP_C": (0.21875, 0.17779, 433_375),
    "DP_S": (0.21879, 0.17783, 433_375),
}
NAMES = ("nDCG@10", "MAP")


def run(bench: Bench) -> Result:
    ours = zhang_runs.measured(bench, "sessions", ("nDCG@10", "AP@100"))
    panel = zhang_runs.panel(f"Session search, K = {K}", NAMES, ours, PRINTED)
    clicks = {run: rows(bench, run, K)["clicks"] for run in ("KA", "DP_C")}
    return Result([panel], claims(ours, zhang_runs.sequences(bench, K), clicks), SETUP)


def claims(ours: zhang_runs.Ours, sequences: int, clicks: Mapping[str, int]) -> list[Claim]:
    ndcg, precision, number = (
        zhang_runs.values(ours, 0),
        zhang_runs.values(ours, 1),
        zhang_runs.sessions(ours),
    )
    listed = ", ".join(f"{run} {ndcg[run]:.4f} on {number[run]:,}" for run in ours)
    return [
        Claim(
            "The original log has the best scores.",
            all(
                score["Original"] > max(score["KA"], score["DP_C"], score["DP_S"]) > 0
                for score in (ndcg, precision)
            ),
            f"nDCG@10 is {listed}; each is scored on the sessions it has an answer for",
        ),
        Claim(
            "The stronger the privacy, the fewer sessions can be evaluated: original, KA, DP.",
            number["Original"] > number["KA"] > max(number["DP_C"], number["DP_S"]) > 0,
            f"{listed}",
        ),
        Claim(
            "DP does better than KA.",
            all(min(score["DP_C"], score["DP_S"]) > score["KA"] > 0 for score in (ndcg, precision)),
            f"nDCG@10 is {listed}. With l = 4 clicks of each person DP has {clicks['DP_C']} (query, URL) "
            f"pairs, KA {clicks['KA']}: the few "
            "sessions that DP "
            "answers get the first URL of a popular query and little else",
        ),
        Claim(
            "Sequences help a little: DP_S is better than DP_C.",
            ndcg["DP_S"] > ndcg["DP_C"] and precision["DP_S"] > precision["DP_C"],
            f"DP_S has {sequences} sequences that more than {K} of the first sessions share",
        ),
    ]


STUDY = Study(
    "zhang-table-4.6", f"{PAPER}, Table 4.6", "Session search with original and anonymised logs", run
)
