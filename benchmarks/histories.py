"""Keys that each route names on short and long histories of new synthetic logs, beside the selection as it
was before own sizes: `python -m benchmarks.histories --users 200000 --seeds 201 202 203`.

Histories: the whole log, a week, a day, the first session of each person, and every day of every person as
if it were another person (a daily log with fresh cookies: a stand-in, not a release one could make).
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.measure.log_arrays import LogArrays, read_log
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.greedy_update import GreedyUpdate
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.routed import Routed

SEEDS = (201, 202, 203)  # neither tuned on nor reported before
SETTINGS = {"1, 1e-5": (1.0, 1e-5), "ln 10, 1e-5": (math.log(10), 1e-5), "1, 1e-8": (1.0, 1e-8)}
DAY, FIRST_DAY = 86_400, 40
Method = Callable[[Incidence, float, float], int]


def before(log: Incidence, epsilon: float, delta: float) -> int:
    """The adaptive selection as it was: 24 rounds, 200 items, all vectors alike."""
    method = AdaptiveGaussian(200, rounds=24)
    mu, tail = method.split(epsilon, delta)
    return len(method.run(log, mu, method.threshold(mu, tail, epsilon), SystemRandomness()).items)


def route(name: str) -> Method:
    def named(log: Incidence, epsilon: float, delta: float) -> int:
        return len(Routed(route=name).select(log, epsilon, delta, SystemRandomness()).items)

    return named


def greedy(log: Incidence, epsilon: float, delta: float) -> int:
    return len(GreedyUpdate().select(log, epsilon, delta, SystemRandomness()).items)


METHODS: dict[str, Method] = {
    "adaptive, before own sizes": before,
    "GreedyUpdate": greedy,
    **{f"routed, {name}": route(name) for name in ("long", "short", "shared", "auto")},
}


def histories(events: LogArrays) -> Iterator[tuple[str, Incidence]]:
    """Each kind of history with who holds what."""
    shown = events.impression
    user, query = events.user[shown].astype(np.int64), events.query[shown]
    session, day = events.session[shown], (events.time[shown] - events.time.min()) // DAY
    first = np.full(user.max() + 1, session.max() + 1)
    np.minimum.at(first, user, session)
    week = (day >= FIRST_DAY) & (day < FIRST_DAY + 7)
    everything = np.ones(len(user), bool)
    parts = (
        ("whole log", user, everything),
        ("a week", user, week),
        ("a day", user, day == FIRST_DAY),
        ("first sessions", user, session == first[user]),
        ("days of 8 days", user * (day.max() + 1) + day, (day >= FIRST_DAY) & (day < FIRST_DAY + 8)),
    )
    for name, person, rows in parts:
        people = np.unique(person[rows], return_inverse=True)[1]
        kept, items = np.unique(query[rows], return_inverse=True)
        yield name, Histories.from_rows(people, items, len(kept)).distinct()


def measured(seed: int, users: int, runs: int) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.tsv"
        synthesize(log, users=users, seed=seed)
        events = read_log(import_log(log, Path(folder) / "store"))
        for kind, incidence in histories(events):
            for setting, (epsilon, delta) in SETTINGS.items():
                for method, select in METHODS.items():
                    keys = [select(incidence, epsilon, delta) for _ in range(runs)]
                    yield {
                        "seed": seed,
                        "history": kind,
                        "people": incidence.users,
                        "setting": setting,
                        "method": method,
                        "keys": float(np.mean(keys)),
                        "sd": float(np.std(keys, ddof=1)) if runs > 1 else 0.0,
                    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=200_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for seed in options.seeds:
        for row in measured(seed, options.users, options.runs):
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
