"""Query suggestion: which queries follow in held-out sessions (Zhang 2017, §4.3.1)."""

from __future__ import annotations

from crowdlog.measure.tables import Tables
from crowdlog.models.suggester import Suggester
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import PairedScores, compare_rankers
from crowdlog.utility.sequences import prefixes, sessions_of

METRICS = ("P@5", "R@5", "RR")


def measure(released: Tables, fold: Fold, settings: MeasureSettings) -> dict[str, PairedScores]:
    """Every prefix of every held-out session; a session is one observation."""
    sessions, _numbers = sessions_of(fold.test)
    ours, original = (
        Suggester(tables.clicks, tables.flow, fold.sizes) for tables in (released, fold.original)
    )
    return {
        "suggestion": compare_rankers(
            prefixes(sessions), ours, original, METRICS, sample=settings.sample, seed=settings.seed
        )
    }
