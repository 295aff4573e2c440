"""Profile exposure level on categories: what share of a person's interests, in bits, is exposed (Erola 2013,
§5.5.2.3, Figure 5.19).
"""

from __future__ import annotations

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.exposure import expose
from crowdlog.attacks.result import AttackResult, nothing
from crowdlog.errors import InputError
from crowdlog.measure.categories import query_categories
from crowdlog.measure.log_arrays import Impressions


def category_exposure(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """As `exposure`, with the categories of queries in a tree in the place of the queries."""
    name = "category_exposure"
    if "events" not in view.tables:
        return nothing(name, "Needs rows: a table of counts stands for everybody alike.")
    try:
        _tree, categories = query_categories(truth.store, attacker.tree)
    except InputError as why:
        return nothing(name, str(why))
    return expose(name, view, truth, attacker, categories)
