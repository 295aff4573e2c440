"""What decides whether a release fits, where that is not the plain sum of ε and δ beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.number_format import rounded_down, rounded_up

if TYPE_CHECKING:
    from crowdlog.planning.budget import Limit

BY_THE_SUM = " (the plain sum, which does not decide here)"


def what_decides(limit: Limit) -> dict[str, str]:
    """The lines that say so, for a budget kept by Σμ²; none where the sum decides.

    The sum may be far above the limit's ε while releases still fit: unsaid, that reads as a broken promise.
    """
    if limit.squares is None or limit.most_squares is None or limit.tails is None or limit.most_tails is None:
        return {}
    return {
        "what decides": "Σμ² and the δ of thresholds, not the sum of ε and δ",
        "Σμ²": f"{rounded_up(limit.squares)} of {rounded_down(limit.most_squares)}",
        "δ of thresholds": f"{rounded_up(limit.tails)} of {rounded_down(limit.most_tails)}",
    }
