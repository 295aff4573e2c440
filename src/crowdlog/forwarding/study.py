"""Tables 4.1 to 4.5 and Figures 4.2 and 4.3 of the seed, done again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crowdlog.files.scratch import Scratch
from crowdlog.forwarding import printed
from crowdlog.forwarding.exposure import exposure_levels
from crowdlog.forwarding.graphs import power_law
from crowdlog.forwarding.measures import EXPOSED, exposed_shares, mean_hops, own_shares, position_table
from crowdlog.forwarding.protocol import corrected_response_ms, response_ms
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import Simulated, simulate
from crowdlog.forwarding.study_activity import activity_panels
from crowdlog.forwarding.workload import Workload, of_log, repeated, topical
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.progress import progress_bar
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.study import Cell, Claim, Panel
from crowdlog.types import Floats

USERS = 1000  # §4.7
QUERIES = 100  # §4.7.2.2
MOST_QUERIES = 1000  # of one user of a log
SELFISH = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
NEIGHBOURS = tuple(range(1, 11))
Part = tuple[list[Panel], list[Claim]]


class SeedStudy:
    """`graphs`: how many random graphs of 1,000 users each table averages over."""

    def __init__(self, graphs: int, seed: int) -> None:
        self._graphs, self._seed = graphs, seed
        self._log = _synthetic_log(seed)

    def run(self) -> Part:
        """Return all tables with the printed values beside ours, and what of the seed's statements holds."""
        parts: list[Callable[[], Part]] = [
            self.table_4_1, self.tables_4_2_and_4_3, self.table_4_4, self.table_4_5, self.figures_4_2_and_4_3,
            self.uneven_activity,
        ]  # fmt: skip
        panels: list[Panel] = []
        claims: list[Claim] = []
        with progress_bar("Tables of the seed", len(parts), unit="parts") as advance:
            for part in parts:
                more, said = part()
                panels += more
                claims += said
                advance(1)
        return panels, claims

    def table_4_1(self) -> Part:
        rows = []
        for theta, (mean, variance, deviation) in printed.TABLE_4_1.items():
            means, spreads = position_table(self._large(Rules(theta=theta)))
            ours = [means[9], spreads[9] ** 2, spreads[9]]
            rows.append([f"{theta[1]:.0%}–{theta[0]:.0%}", mean, variance, deviation, *map(_rounded, ours)])
        columns = [
            "θ",
            "mean, printed",
            "variance, printed",
            "deviation, printed",
            "mean",
            "variance",
            "deviation",
        ]
        note = "Position of users with 10 neighbours. The row 0–0 is reproduced by no setting we tried."
        return [Panel("Table 4.1: position by the share θ that is cut", columns, rows, note=note)], []

    def tables_4_2_and_4_3(self) -> Part:
        counts = np.zeros((10, 3))
        bins = np.zeros(10)
        below = []
        for done in self._on_log(Rules()):
            levels = exposure_levels(done)
            known = levels[~np.isnan(levels)]
            bins += np.histogram(np.clip(known, 0, 1), 10, (0, 1))[0] / len(known) * USERS
            below.append((known < EXPOSED).mean())
            for k in NEIGHBOURS:
                near = levels[done.graph.degrees == k]
                counts[k - 1] += [(near >= bar).sum() for bar in (0.6, 0.7, 0.8)]
        counts /= self._graphs
        bins /= self._graphs
        columns = ["neighbours", *(f"{bar} %, {who}" for who in ("printed", "ours") for bar in (60, 70, 80))]
        rows: list[list[Cell]] = [
            [k, *printed.TABLE_4_2[k - 1], *map(_rounded, counts[k - 1])] for k in NEIGHBOURS
        ]
        sums = [float(sum(row[i] for row in printed.TABLE_4_2)) for i in range(3)]
        rows.append(["all", *map(_rounded, sums), *map(_rounded, counts.sum(axis=0))])
        exposed = Panel("Table 4.2: users of 1,000 with PEL of at least 60, 70, 80 %", columns, rows)
        levels_table = Panel(
            "Table 4.3: users of 1,000 by PEL",
            ["PEL up to", "printed", "ours"],
            [[f"{10 * i + 10} %", printed.TABLE_4_3[i], _rounded(bins[i])] for i in range(10)],
        )
        return [exposed, levels_table], [self._below_60(float(np.mean(below)))]

    def _below_60(self, share: float) -> Claim:
        """With what the log's uneven activity costs: those who ask more than others look selfish to Υ."""
        even = [
            exposure_levels(self._one(topical(USERS, QUERIES, seed=self._seed), Rules(), number))
            for number in range(self._graphs)
        ]
        without = [exposure_levels(run) for run in self._on_log(Rules(zeta=0.0))]
        equal, free = (
            float(np.mean([(levels < EXPOSED).sum() / (levels >= 0).sum() for levels in runs]))
            for runs in (even, without)
        )
        why = f"{share:.1%} on the log; {free:.1%} on it at ζ = 0; {equal:.1%} where all ask equally often"
        return Claim("More than 95 % of the users keep a PEL below 60 %.", share > 0.95, why)

    def uneven_activity(self) -> Part:
        """Not in the seed: why fewer users of the log stay below 60 %."""

        def runs(work: Workload, rules: Rules) -> list[Simulated]:
            return [self._one(work, rules, number) for number in range(self._graphs)]

        return activity_panels(self._log, runs, self._seed), []

    def table_4_4(self) -> Part:
        rows = []
        selfish = {}
        points = []
        for zeta, (honest_printed, selfish_printed) in printed.TABLE_4_4.items():
            runs = self._repeated(Rules(zeta=zeta, selfish=0.1))
            ours = 100 * np.mean([exposed_shares(run) for run in runs], axis=0)
            selfish[zeta] = ours[1]
            rows.append([zeta, honest_printed, selfish_printed, _rounded(ours[0]), _rounded(ours[1])])
            for name, value, theirs in zip(
                ("honest", "selfish"), ours, (honest_printed, selfish_printed), strict=True
            ):
                points += [Point(zeta, float(value), name), Point(zeta, theirs, name, PRINTED)]
        columns = ["ζ", "honest %, printed", "selfish %, printed", "honest %", "selfish %"]
        chart = curves(points, x="ζ", y="exposed, per cent")
        step = selfish[0.01] < 50 < selfish[0.03]
        claim = Claim(
            "Selfish users are isolated from ζ between 0.01 and 0.03 on.",
            bool(step),
            ", ".join(f"{z:g}: {value:.0f} %" for z, value in selfish.items()),
        )
        title = "Table 4.4: users who submit 60 % of their queries themselves or more, by ζ"
        note = "The seed's users ask one query each, so PEL is 0/0 there; we count own submissions."
        return [Panel(title, columns, rows, chart, note)], [claim]

    def table_4_5(self) -> Part:
        done = self._large(Rules())
        means, spreads = position_table(done)
        hops = mean_hops(done)
        rows = [
            [k, printed.TABLE_4_5_MEAN[k - 1], _rounded(means[k - 1]), printed.TABLE_4_5_DEVIATION[k - 1],
             _rounded(spreads[k - 1]), printed.TABLE_4_5_MEAN_BEFORE[k - 1],
             printed.TABLE_4_5_DEVIATION_BEFORE[k - 1]]
            for k in NEIGHBOURS
        ]  # fmt: skip
        columns = [
            "neighbours",
            "mean, printed",
            "mean",
            "deviation, printed",
            "deviation",
            "mean before",
            "deviation before",
        ]
        points = [Point(k, float(means[k - 1]), "mean") for k in NEIGHBOURS]
        points += [Point(k, printed.TABLE_4_5_MEAN[k - 1], "mean", PRINTED) for k in NEIGHBOURS]
        points += [Point(k, float(spreads[k - 1]), "deviation") for k in NEIGHBOURS]
        points += [Point(k, printed.TABLE_4_5_DEVIATION[k - 1], "deviation", PRINTED) for k in NEIGHBOURS]
        chart = curves(points, x="neighbours", y="position")
        off = float(np.abs(means - printed.TABLE_4_5_MEAN).max())
        wide = float(np.abs(spreads / np.array(printed.TABLE_4_5_DEVIATION) - 1).max())
        times: list[list[Cell]] = [
            ["mean hops", printed.HOPS, _rounded(hops)],
            ["response time in ms, as printed", printed.RESPONSE_MS, _rounded(response_ms(hops))],
            ["response time in ms, round trips counted once", None, _rounded(corrected_response_ms(hops))],
        ]
        claims = [
            Claim("Means of Table 4.5 within 0.3.", off <= 0.3, f"{off:.2f}"),
            Claim("Deviations of Table 4.5 within 15 %.", wide <= 0.15, f"{wide:.0%}"),
            Claim("3.59 hops within 0.1.", abs(hops - printed.HOPS) <= 0.1, f"{hops:.2f}"),
        ]
        usability = Panel("Hops and response time (§4.7.3)", ["", "printed", "ours"], times)
        return [Panel("Table 4.5: position by number of neighbours", columns, rows, chart), usability], claims

    def figures_4_2_and_4_3(self) -> Part:
        points = []
        rows = []
        honest = []
        for share in SELFISH:
            runs = self._on_log(Rules(selfish=share))
            groups = _known_mean([_exposed_by_group(run) for run in runs])
            honest.append(groups[0])
            rows.append([f"{share:.0%}", _rounded(100 * groups[0]), _rounded(100 * groups[1])])
            points += [
                Point(share, 100 * float(groups[0]), "honest"),
                Point(share, 100 * float(groups[1]), "selfish"),
            ]
            if share == 0.1:
                on_log = runs
        chart = curves(
            [point for point in points if point.y == point.y],
            x="share of selfish users",
            y="exposed, per cent",
        )
        columns = ["selfish users", "honest exposed %", "selfish exposed %"]
        first = Panel(
            "Figure 4.2: exposed users (PEL) by share of selfish users",
            columns,
            rows,
            chart,
            "No numbers are printed.",
        )
        same = self._repeated(Rules(selfish=0.1))
        by_log, by_one = (_known_mean([_submitted(run) for run in runs]) for runs in (on_log, same))
        points = [Point(k, float(by_log[k - 1]), "log") for k in NEIGHBOURS]
        points += [Point(k, float(by_one[k - 1]), "one query") for k in NEIGHBOURS]
        second = Panel(
            "Figure 4.3: share of her queries that a selfish user submits herself",
            ["neighbours", "log", "one query repeated"],
            [[k, _rounded(by_log[k - 1]), _rounded(by_one[k - 1])] for k in NEIGHBOURS],
            curves(points, x="neighbours", y="share submitted herself"),
            "No numbers are printed. 10 % of the users are selfish.",
        )
        grows = honest[-1] > honest[0]
        why = ", ".join(f"{value:.1%}" for value in honest)
        return [first, second], [Claim("More selfish users expose more honest ones.", bool(grows), why)]

    def _large(self, rules: Rules) -> Simulated:
        """One graph as large as all others together: few of a thousand users have ten neighbours."""
        users = USERS * max(10, 2 * self._graphs)
        return simulate(power_law(users, seed=self._seed), repeated(users, QUERIES), rules, seed=self._seed)

    def _repeated(self, rules: Rules) -> list[Simulated]:
        return [self._one(repeated(USERS, QUERIES), rules, number) for number in range(self._graphs)]

    def _on_log(self, rules: Rules) -> list[Simulated]:
        return [self._one(self._log, rules, number) for number in range(self._graphs)]

    def _one(self, log: Workload, rules: Rules, number: int) -> Simulated:
        seed = self._seed * 1000 + number
        return simulate(power_law(USERS, seed=seed), log, rules, seed=seed)


def _synthetic_log(seed: int) -> Workload:
    """AOL-like: the seed's own log cannot be had."""
    with Scratch("forward") as folder:
        synthesize(folder / "log.tsv", users=USERS, seed=seed)
        store = import_log([folder / "log.tsv"], folder / "store")
        return of_log(store, USERS, MOST_QUERIES)


def _exposed_by_group(done: Simulated) -> tuple[float, float]:
    levels = exposure_levels(done)
    known = ~np.isnan(levels)
    groups = (levels[known & ~done.selfish], levels[known & done.selfish])
    honest, selfish = (float((group >= EXPOSED).mean()) if len(group) else np.nan for group in groups)
    return honest, selfish


def _submitted(done: Simulated) -> Floats:
    """Mean share of her queries that a selfish user submits, for 1 … 10 neighbours; NaN where nobody has so
    many.
    """
    own, degrees = own_shares(done), done.graph.degrees
    groups = [own[done.selfish & (degrees == k)] for k in NEIGHBOURS]
    return np.array([np.nanmean(group) if len(group) else np.nan for group in groups])


def _known_mean(rows: Sequence[Sequence[float] | Floats]) -> Floats:
    """Column by column, of what is known; NaN where nothing is."""
    values = np.array(rows)
    known = ~np.isnan(values)
    total = np.where(known, values, 0).sum(axis=0)
    return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 3)
