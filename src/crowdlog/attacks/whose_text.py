"""Whose text is this? How many of the texts in a release only one person of the log typed."""

from __future__ import annotations

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.measure.log_arrays import Impressions


def whose_text(view: AttackerView, truth: Impressions, _attacker: Attacker) -> AttackResult:
    """The share of released texts with one possible author; `fewest` authors of a text are told."""
    shown = np.unique(view.query_ids(truth))
    if not len(shown):
        return nothing("whose_text", "No text of the log can be read in the release.")
    authors = truth.holders[shown]
    return result_of_trials(
        "whose_text", int((authors == 1).sum()), len(shown), 0.0, fewest=int(authors.min())
    )
