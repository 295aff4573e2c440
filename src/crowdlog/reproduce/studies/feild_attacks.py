"""§3.4.2.1: what exact counts give away.

Three examples, two of them with a table, and the count of inferable triples on a log.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.triples import inferred
from crowdlog.log.store import LogStore
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.dp_u import DPu
from crowdlog.mechanisms.ft_a import FTa
from crowdlog.mechanisms.ft_u import FTu
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.reproduce.bench import NOISE, Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.studies.feild_bob import ASKED, OTHERS, bobs_log
from crowdlog.reproduce.studies.feild_release import DELTA, LN10, PAPER
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

K = 5
# the lowest k that hides what one person alone asks: there is more to infer from, in a small log
EVERYBODY = 2
# "we can infer 40 query triples … 33 are sufficiently supported at k = 5 … 7 … a total of 19,402,216
# unsupported triples at k = 5"
AOL = {"inferred": 40, "in somebody's log": 40, "of k people": 33, "of fewer: a breach": 7}
AOL_UNSUPPORTED = 19_402_216
Numbers = Mapping[str, Any]


def run(bench: Bench) -> Result:
    bob = bobs_log(bench)
    with_noise: list[Mechanism] = [DPu(2 * LN10, DELTA, 10), DPu(2 * LN10, DELTA, 10, artifact="pair")]
    steps: dict[str, tuple[LogStore, list[Mechanism], str]] = {
        name: (bob, [m], "power_user") for name, m in _on_bobs_log().items()
    }
    for k in (K, EVERYBODY):
        steps |= {
            f"{which}, k = {k}": (bench.log, [FTu(k=k), FTu(k=k, artifact="pair")], which)
            for which in ("triples", "completion")
        }
    steps["with noise"] = (bench.log, with_noise, "triples")
    found = {name: _attacked(bench, *steps[name]) for name in bench.each(steps)}
    unsupported = bench.kept(["unsupported triples", K], lambda: unsupported_triples(Impressions(bench.log)))
    return Result([_bob(found), _table_3_2(), *_triples(found, unsupported)], claims(found, unsupported))


def _on_bobs_log() -> dict[str, Mechanism]:
    return {"FT_u": FTu(k=K), "FT_a": FTa(k=K), "DP_u": DPu(epsilon=2 * LN10, delta=DELTA, d=len(ASKED))}


def _attacked(bench: Bench, log: LogStore, mechanisms: list[Mechanism], which: str) -> Numbers:
    """The result of one attack on the releases of these mechanisms together, as plain data."""

    # exact releases are the same with every noise: attacked once
    noisy = any(mechanism.promise().guarantee.protects for mechanism in mechanisms)
    seed = bench.seed if noisy else NOISE[0]

    def make() -> dict[str, Any]:
        with ExitStack() as stack:
            releases = [stack.enter_context(bench.released(mechanism, log)) for mechanism in mechanisms]
            if not any(sum(release.label.tables.values()) for release in releases):
                return {"success": None, "chance": None, "details": {}, "note": "Nothing is released."}
            attacker = Attacker(SeededRandomness(seed))
            return attack(releases, log, [which], attacker=attacker, note=False)[0].as_dict()

    return bench.kept(["attack", which, log.path.name, *map(repr, mechanisms), seed], make)


def unsupported_triples(truth: Impressions) -> int:
    """How many different triples of different queries, asked one right after the other, have fewer than k
    users.
    """
    row = 1 + np.flatnonzero(truth.follows[1:-1] & truth.follows[2:])
    a, b, c = truth.query[row - 1], truth.query[row], truth.query[row + 1]
    different = (a != b) & (b != c) & (a != c)
    of_users = np.unique(np.stack([a, b, c, truth.user[row]])[:, different], axis=1)
    _triples, users = np.unique(of_users[:3], axis=1, return_counts=True)
    return int((users < K).sum())


def claims(found: Mapping[str, Numbers], unsupported: int) -> list[Claim]:
    five, two, completion = (
        found[f"triples, k = {K}"],
        found[f"triples, k = {EVERYBODY}"],
        found[f"completion, k = {EVERYBODY}"],
    )
    number, weak = five["details"].get("trials", 0), five["details"].get("breaches", 0)
    low, there = two["details"].get("trials", 0), two["details"].get("in_the_log", 0)
    none = (
        f"at k = {K} no query of our log is mostly followed by one and the same query: next queries are "
        "drawn at random from many"
    )
    why = f"{weak} of {unsupported:,}" if number else none
    return [
        Claim(
            "The queries of a power user stand out in the counts of FT_u (Table 3.1).",
            found["FT_u"]["success"] == 1,
            "they do not",
        ),
        Claim("FT_a, too, falls victim to this attack.", found["FT_a"]["success"] == 1, "it does not"),
        Claim(
            "The mechanisms with noise do not: each person contributes a fixed number.",
            found["DP_u"]["success"] is None,
            "they do",
        ),
        Claim(
            "The counts of Table 3.2 prove a triple that is below k = 5.",
            _table_3_2_is_inferred(),
            "they do not",
        ),
        Claim(
            f"On a log, triples can be inferred from the counts of queries and pairs (k = {K}).",
            number > 0,
            none,
        ),
        Claim(
            f"Each inferred triple is in somebody's log: 100 % accuracy (k = {EVERYBODY}).",
            low > 0 and there == low,
            two["note"],
        ),
        Claim(
            "Some inferred triples have fewer than k people, a small fraction of all such triples (k = "
            f"{K}).",
            0 < weak < 0.01 * unsupported,
            why,
        ),
        Claim(
            "Who asked a query that always follows another asked that one, too (example 3, k = "
            f"{EVERYBODY}).",
            completion["success"] == 1,
            completion["note"],
        ),
        Claim(
            "With noise nothing can be inferred with certainty.",
            found["with noise"]["success"] is None,
            "something can",
        ),
    ]


def _table_3_2_is_inferred() -> bool:
    """Queries a, b, c are 0, 1, 2; asked 5, 7, 5 times; pairs (a, b) and (b, c) 5 times each.

    The table's triple has 3 instances.
    """
    five = np.array([5, 5])
    before, after = inferred(
        np.array([0, 1, 2]), np.array([5, 7, 5]), np.array([0, 1]), np.array([1, 2]), five, 3
    )
    return (int(before[1]), int(after[1])) == (0, 2)


def _table_3_2() -> Panel:
    printed: list[tuple[str, int]] = [("a", 5), ("b", 7), ("c", 5), ("a, b", 5), ("b, c", 5)]
    rows: list[list[Cell]] = [[name, count, "published"] for name, count in printed]
    rows.append(["a, b, c", 3, "inferred by our attack" if _table_3_2_is_inferred() else "not inferred"])
    return Panel(
        "Table 3.2: a triple that follows from counts", ["artifact", "instances, printed", "ours"], rows
    )


def _bob(found: Mapping[str, Numbers]) -> Panel:
    rows: list[list[Cell]] = []
    for name in ("FT_u", "FT_a", "DP_u"):
        result = found[name]
        stand_out = result["details"].get("trials", 0)
        rows.append(
            [
                name,
                len(ASKED) - 1,
                stand_out,
                None if result["success"] is None else 100 * result["success"],
                result["note"] or "linked",
            ]
        )
    note = (
        "The thesis imagines it: bob 5,000, netflix 6,000, westminster, md 5,000 and humane society 10 "
        "instances, the first three Bob's. "
        f"Our log has Bob, who asks those three as often, and {OTHERS} people who ask each of the four once."
    )
    columns = [
        "release",
        "Bob's queries, printed",
        "queries that stand out, ours",
        "of them mostly one person's, %",
        "what follows",
    ]
    return Panel("Table 3.1: a power user", columns, rows, None, note)


def _triples(found: Mapping[str, Numbers], unsupported: int) -> list[Panel]:
    ours = {k: _counts(found[f"triples, k = {k}"]["details"]) for k in (K, EVERYBODY)}
    rows: list[list[Cell]] = [[name, AOL[name], *(of[name] for of in ours.values())] for name in AOL]
    rows.append([f"all of fewer than {K} people", AOL_UNSUPPORTED, unsupported, None])
    points = [Point(name, y, f"k = {K}", PRINTED) for name, y in AOL.items()]
    points += [Point(name, y, f"k = {k}") for k, of in ours.items() for name, y in of.items()]
    told: list[list[Cell]] = [
        [what, *(_completion(found[f"completion, k = {k}"], what) for k in (K, EVERYBODY))]
        for what in ("trials", "right, %", "right by chance, %")
    ]
    by_k = [f"ours, k = {k}" for k in (K, EVERYBODY)]
    note = (
        "The thesis describes the attack and prints no numbers. "
        "A trial: a person, and a query of hers that always follows the same other query."
    )
    return [
        Panel(
            "Triples inferred from FT_u of queries and pairs",
            ["triples", f"AOL, printed, k = {K}", *by_k],
            rows,
            bars(points, x="triples", y="number"),
        ),
        Panel("Example 3: told one query of a person, name another", ["", *by_k], told, None, note),
    ]


def _counts(details: Mapping[str, int]) -> dict[str, int]:
    number, weak = details.get("trials", 0), details.get("breaches", 0)
    return dict(zip(AOL, (number, details.get("in_the_log", 0), number - weak, weak), strict=True))


def _completion(result: Numbers, what: str) -> Cell:
    if result["success"] is None:
        return 0 if what == "trials" else None
    number: float = {
        "trials": result["details"]["trials"],
        "right, %": 100 * result["success"],
        "right by chance, %": 100 * result["chance"],
    }[what]
    return number


STUDY = Study(
    "feild-attacks",
    f"{PAPER}, §3.4.2.1, Tables 3.1 and 3.2",
    "What exact counts give away: power user, triples, completion",
    run,
)
