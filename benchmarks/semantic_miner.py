"""A semantic release against a miner that shares no code with it, and what its rule of words costs.

`python -m benchmarks.semantic_miner --users 10000 --k 10 --theta 0.9`

The miner of the tests (tests/support/semantic_miner.py) finds from the definition, in plain Python, what is
released at k and at larger k; its sets must be those of the release and of its degrees.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from pathlib import Path
from typing import Any

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.k_anonymity import KAnonymity
from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.release.verify import verify
from tests.support.semantic_miner import Miner

LEVELS = (1, 2, 5, 10, 50)  # times k


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--theta", type=float, default=0.9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        synthesize(Path(folder) / "log.tsv", users=given.users, seed=given.seed)
        log = import_log(Path(folder) / "log.tsv", Path(folder) / "store")
        report(log, given.k, given.theta)


def report(log: LogStore, k: int, theta: float) -> None:
    mechanism = SemanticKAnonymity(k=k, theta=theta)
    table = _released(mechanism, log)
    degree = dict(zip(table["query"].to_pylist(), table["degree"].to_pylist(), strict=True))
    print(json.dumps({"users": log.info.users, "queries": log.info.queries, "released": len(degree)}))
    checked = verify(log, table, k, theta, rule=mechanism.rule)
    print(json.dumps({"verify holds": checked.holds, **_cpu()}), flush=True)
    miner = Miner(_typed(log), mechanism.min_users, mechanism.rule.users, mechanism.names)
    for level in (k * times for times in LEVELS):
        ours, theirs = {query for query, own in degree.items() if own >= level}, miner.released(theta, level)
        print(json.dumps({"k": level, "miner": len(theirs), "differ": len(ours ^ theirs), **_cpu()}))
    paper = set(_queries(SemanticKAnonymity(k=k, theta=theta, word_users=2, names="allow"), log))
    rare = [{q for q in some if _rarest(miner, q) < k} for some in (set(degree), paper)]
    price = {"plain": len(_queries(KAnonymity(k=k), log)), "default": len(degree), "paper": len(paper)}
    print(json.dumps({**price, "with a word of fewer than k": list(map(len, rare)), **_cpu()}))


def _released(mechanism: Any, log: LogStore) -> Any:
    return mechanism.protect(log, SystemRandomness()).tables["queries"]


def _queries(mechanism: Any, log: LogStore) -> list[str]:
    queries: list[str] = _released(mechanism, log)["query"].to_pylist()
    return queries


def _rarest(miner: Miner, query: str) -> int:
    return min(len(miner.people[(word,)]) for word in query.split())


def _typed(log: LogStore) -> list[tuple[str, str]]:
    truth = Impressions(log)
    texts = log.query_texts(truth.query).to_pylist()
    return [(str(user), text or "") for user, text in zip(truth.user.tolist(), texts, strict=True)]


def _cpu() -> dict[str, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"CPU s": round(used.ru_utime + used.ru_stime, 1), "MB": used.ru_maxrss // 1024}


if __name__ == "__main__":
    main()
