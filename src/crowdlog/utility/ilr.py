"""ILR: by what share the bits of a user's history change (Erola 2013, §5.3.2.2)."""

from __future__ import annotations

from crowdlog.measure.draws import generator
from crowdlog.measure.entropy import loss_ratios
from crowdlog.measure.intervals import bootstrap_mean
from crowdlog.measure.tables import Tables
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score

ACTIVE = 20  # impressions: the paper's users have 56 on the mean, and its text leaves out those of one or two


def measure(released: Tables, _truth: Truth, settings: MeasureSettings) -> list[Score]:
    """Of all users with two different queries, and of the active ones."""
    histories = released.histories
    size = histories.own.sum(axis=1)
    found = []
    for name, chosen in (("loss_ratio", size > 0), (f"from {ACTIVE} queries:loss_ratio", size >= ACTIVE)):
        ratios = loss_ratios(histories.own[chosen], histories.shown[chosen])
        value = float(ratios.mean()) if len(ratios) else None
        interval = bootstrap_mean(ratios, generator(settings.seed))
        found.append(Score(f"ilr:{name}", value, len(ratios), interval))
    return found
