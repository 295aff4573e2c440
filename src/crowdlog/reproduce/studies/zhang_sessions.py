"""What the studies of Zhang 2017, chapter 4, have in common: the logs compared, and the two tasks they are
tried on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from crowdlog.measure.tables import Tables
from crowdlog.mechanisms.a_session import ASession
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.ka import KA
from crowdlog.privacy.published import a_session, session_sensitivity
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.reproduce.studies.zhang_held_out import MINUTES, SETTINGS, Scores, parts, tried
from crowdlog.utility import session_search, suggestion
from crowdlog.utility.context import Fold
from crowdlog.utility.paired_scores import PairedScores

ALL = replace(SETTINGS, sample=0)  # no session is left out
FOLDS = 10  # nine tenths are released, one tenth is tested, §4.4
L_S, L_Q, L, B, K = 1, 3, 4, 1, 20  # the paper's run, §4.4.2
LEAST_DELTA = 1e-20  # for large K the paper's δ is below what the sampler's distance from ideal noise costs
RUNS = ("Original", "KA", "DP_C", "DP_S")
SETUP = (
    "The paper keeps a tenth of the log for the test; here it is a tenth of the people, so that sessions "
    "stay whole and nobody is on both sides. "
    "KA: clicks of more than K "
    "people. DP_S: A_Session with the paper's l_s = 1, l_q = 3, l = 4, b = 1; "
    "sequences and clicks cost ε = 8 each. DP_C: the clicks of DP_S alone. "
    "λ and γ are not printed: both sources of suggestions weigh the same, γ is 0.92."
)


def dp_s(k: int) -> ASession:
    """A_Session with the paper's b = 1 and this K in both parts; δ is the paper's, which is more than this K
    needs, or that of the sampler.
    """
    sensitivity = session_sensitivity(L_S, L_Q)
    epsilon, delta = (
        sum(both) for both in zip(a_session(B, k, sensitivity), a_session(B, k, L), strict=True)
    )
    return ASession(
        epsilon=epsilon,
        delta=max(delta, LEAST_DELTA),
        l_s=L_S,
        l_q=L_Q,
        l=L,
        K=k,
        K_clicks=k,
        session_minutes=MINUTES,
        weight_sessions=1,
        weight_clicks=1,
    )


def mechanism(run: str, k: int) -> Mechanism:
    """What makes the log of this name."""
    return KA(K=k) if run == "KA" else dp_s(k)


def tried_on(bench: Bench, task: str, run: str, k: int = K) -> Scores:
    """'suggestion' or 'sessions' (search) with one of the logs: scores called 'suggestion:P@5',
    'sessions:nDCG@10'.
    """
    measure = {"suggestion": suggestion.measure, "sessions": session_search.measure}[task]

    def work(tables: Tables, fold: Fold) -> dict[str, PairedScores]:
        return measure(replace(tables, flow=None) if run == "DP_C" else tables, fold, ALL)

    return tried(bench, mechanism(run, k), work, f"{task} with {run}", folds=FOLDS, by="user")


def rows(bench: Bench, run: str, k: int) -> dict[str, int]:
    """How many rows each table of the release has."""
    made = mechanism(run, k)

    def count(seeds: Sequence[int]) -> dict[int, dict[str, int]]:
        released = tables_by_seed(made, parts(bench, FOLDS, "user")[0], seeds)
        return {
            seed: {name: table.num_rows for name, table in tables.items()}
            for seed, tables in zip(seeds, released, strict=True)
        }

    found: dict[str, int] = bench.with_every_noise(["rows", repr(made)], count)
    return found


def original(score: dict[str, Any]) -> dict[str, Any]:
    """The original log's own score, from a comparison with it."""
    return {"value": score.get("original"), "answered": score.get("original_answered", 0)}
