"""The independence audit: noise of different keys, tables and runs must be independent."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.audit.declared import key_tables
from crowdlog.audit.finding import Finding
from crowdlog.audit.neighbours import STRIDE
from crowdlog.audit.noise import support
from crowdlog.audit.sampling import Shown
from crowdlog.audit.synthetic_logs import WorldLayout
from crowdlog.audit.trial import SURE
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.types import Floats, Ints

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

RUNS = 6  # compared with each other


@dataclass(frozen=True)
class Compared:
    """How much more often than not signs agree, by shift; `draws`: how many signs were compared at most."""

    where: str
    sums: Floats
    draws: int


def audit_independence(
    mechanism: Mechanism, layout: WorldLayout, seen: dict[str, Shown], alpha: float
) -> list[Finding]:
    """Signs of noise in the order in which it may have been drawn, at every shift: compared with themselves,
    with other tables, with other runs.
    """
    plans, found = {plan.name: plan for plan in key_tables(mechanism)}, list[Compared]()
    seen = {name: seen[name] for name in plans}
    meaning = "Names alone are published: no noise can be seen in them."
    no_counts = [
        Finding("independence", f"{plan.name}, names alone", 0, 0, False, meaning)
        for plan in mechanism.plan
        if plan.names_only
    ]
    for order, places in (("by number", slice(None)), ("by text", _by_text(layout))):
        drawn = {
            table: [
                _drawn(plans[table], layout, shown, run, places) for run in range(min(RUNS, len(shown.keys)))
            ]
            for table, shown in seen.items()
            if not plans[table].names_only  # without counts there is no noise to be seen
        }
        for one, two in itertools.combinations_with_replacement(drawn, 2):
            found += _compare(f"{one} and {two} {order}", drawn[one], drawn[two])
    comparisons = sum(len(compared.sums) for compared in found)
    worst: dict[str, Finding] = {}
    for compared in found:
        finding = _finding(compared, chance_limit(compared.draws, comparisons, alpha))
        if (
            finding.where not in worst
            or finding.measured / finding.claimed
            > worst[finding.where].measured / worst[finding.where].claimed
        ):
            worst[finding.where] = finding
    return [*no_counts, *worst.values()]


def _compare(where: str, ones: list[Floats], twos: list[Floats]) -> Iterator[Compared]:
    """Every run of one table with every run of the other (or of the same) one; and all equal runs together,
    which finds what repeats.
    """
    same = []
    for first, one in enumerate(ones):
        for second, two in enumerate(twos):
            sums = agreements(one, two, same=ones is twos and first == second)
            compared = Compared(
                f"{where}, {'the same run' if first == second else 'other runs'}", sums, _least(one, two)
            )
            same += [compared] if first == second else []
            yield compared
    yield Compared(
        f"{where}, all runs together",
        _sum([compared.sums for compared in same]),
        sum(compared.draws for compared in same),
    )


def _least(one: Floats, two: Floats) -> int:
    return int(min(np.count_nonzero(one), np.count_nonzero(two)))


def _sum(vectors: list[Floats]) -> Floats:
    """Shift by shift; runs may show different numbers of keys."""
    whole = np.zeros(max(map(len, vectors)))
    for vector in vectors:
        whole[: len(vector)] += vector
    return whole


def _finding(compared: Compared, limit: float) -> Finding:
    most = float(np.abs(compared.sums).max(initial=0))
    meaning = (
        f"At some shift signs of noise agree {most:.0f} times more often than not; "
        f"by chance at most {limit:.0f}."
    )
    return Finding("independence", compared.where, limit, most, most > limit, meaning)


def _drawn(plan: TablePlan, layout: WorldLayout, shown: Shown, run: int, places: slice | Ints) -> Floats:
    """The signs of the noise of what is shown, without gaps: noise is drawn for that.

    0 where only large noise is shown: its sign is no fair coin.
    """
    fair = [_fair(plan, shape.crowd) for shape in layout.shapes]
    crowds: Floats = np.array([[float(shape.crowd)] for shape in layout.shapes])
    if isinstance(plan.noise, RowNoise):  # counts are divided by a kept share: their own middle is the centre
        crowds = _middles(shown, run)
    signs = np.sign(shown.total[run] - crowds) * np.array(fair)[:, None]
    return np.asarray(signs.ravel()[places][shown.keys[run].ravel()[places] > 0], np.float64)


def _middles(shown: Shown, run: int) -> Floats:
    """The median of each shape's shown counts; 0 where none is shown."""
    found = [total[keys > 0] for keys, total in zip(shown.keys[run], shown.total[run], strict=True)]
    return np.array([[np.median(counts) if len(counts) else 0.0] for counts in found])


def _fair(plan: TablePlan, crowd: int) -> bool:
    lowest, hidden = support(plan, crowd)
    # symmetric: as much noise is hidden below as lies above −lowest
    return not hidden or plan.noise is None or plan.noise.tail(-lowest) < 100 * SURE


def _by_text(layout: WorldLayout) -> Ints:
    """The worlds in the order of their keys' texts, in which pools and tables are sorted."""
    worlds = layout.worlds * len(layout.shapes)
    return np.argsort(np.array([str(world * STRIDE) for world in range(worlds)]), kind="stable")


def agreements(one: Floats, two: Floats, *, same: bool) -> Floats:
    """Σ one[i]·two[i + shift] for every shift ≥ 0, then for every shift < 0 (of noise with itself: for shifts
    above 0).
    """
    if not min(len(one), len(two)):
        return np.zeros(1)
    size = len(one) + len(two)
    sums = np.fft.irfft(np.conj(np.fft.rfft(one, size)) * np.fft.rfft(two, size), size)
    return np.asarray(sums[1 : len(one)] if same else sums, np.float64)


def chance_limit(draws: int, comparisons: int, alpha: float) -> float:
    """Azuma and Hoeffding: independent symmetric signs exceed this in any comparison with probability at most
    alpha.
    """
    return math.sqrt(2 * max(draws, 1) * math.log(2 * comparisons / alpha))
