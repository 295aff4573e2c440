"""Record linkage by interests: the attacker knows what everybody is interested in, not what they typed (Erola
2013, §5.5.2.1).
"""

from __future__ import annotations

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.linkage import link
from crowdlog.attacks.result import AttackResult, nothing
from crowdlog.errors import InputError
from crowdlog.measure.categories import query_categories
from crowdlog.measure.log_arrays import Impressions


def category_linkage(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """How likely a published record is linked to its owner by the categories of its queries in a tree."""
    name = "category_linkage"
    if "events" not in view.tables:  # nothing to look up
        return link(name, view, truth, attacker)
    try:
        _tree, categories = query_categories(truth.store, attacker.tree)
    except InputError as why:
        return nothing(name, str(why))
    return link(name, view, truth, attacker, categories)
