"""Sentences that mechanisms write themselves: steps, assumptions, errata, what is not protected, doubts,
names of notes and settings, and the advice that an owner gets before a release.
"""

from __future__ import annotations

from typing import Any

from crowdlog.artifacts.public_lists import read_pool
from crowdlog.artifacts.topics import TOPIC_WORDS
from crowdlog.number_format import rounded_down
from crowdlog.plan.candidates import PublicResults
from crowdlog.plan.selections import AtLeast, NoisyThreshold, SampledThreshold
from crowdlog.plan.table import TablePlan
from tests.release.told.truths import Filled, True_, by, some_table

QUERIES = ("weather boston", "used cars")  # of the log that is released
a_click = by("AClick")
a_session = by("ASession")
crowd = by("Crowd")
k_anonymity = by("KAnonymity", "SemanticKAnonymity")
korolova = by("Korolova")
exact = some_table(lambda plan: isinstance(plan.selection, AtLeast))


def unknown_pool(made: Any) -> bool:
    """No query of the log is in the pool."""
    return not set(read_pool(made.pool, made.representation).to_pylist()) & set(QUERIES)


def chooses_texts(plan: TablePlan) -> bool:
    """What is shown depends on how many people have it."""
    public = isinstance(plan.selection, NoisyThreshold) and plan.selection.public
    return plan.selection is not None and not isinstance(plan.selection, AtLeast) and not public


def count_sd(made: Any) -> str:
    return f"{made.plan[0].noise.sd:.4g}"


def names_of(made: Any) -> str:
    """Of how much of one person names alone are made; nothing where there are counts."""
    if made.weight_counts > 0:
        return ""
    if made.selection != "routed" or made.route == "long":
        return "many"
    return "looked" if made.route == "auto" else "one"


def pool_told(made: Any) -> bool:
    return made.pool is not None


OF_MECHANISMS: dict[str, dict[str, True_]] = {
    "mechanisms/a_click.py": {
        "No query of this log is in the pool: a release": by(
            "AClick", where=lambda made: made.mode == "closed" and unknown_pool(made)
        ),
        "δ = 0 holds only for queries": a_click,
        "The paper drops queries of raw frequency": a_click,
        "Table 3.10 of the paper sets b": a_click,
        "The paper publishes every clicked URL": by("AClick", where=lambda made: made.weight_clicks > 0),
        "Leave out queries that look like an e-mail": a_click,
        "ε for p_g = 1": a_click,
    },
    "mechanisms/a_session.py": {
        "The paper's δ lets each of Δ sequences": a_session,
        "The paper gives both parts the same b": by("ASession", where=lambda made: made.weight_clicks > 0),
        "A query asked again at once": a_session,
        "{}: ε at this K and b": a_session,
        "{}: δ at this K and b": a_session,
        "minutes that end a session": a_session,
    },
    "mechanisms/category_tree.py": {
        "share of queries mapped": by("OdpClusters", "SemanticMdav"),
        "share of users mapped": by("OdpClusters", "SemanticMdav"),
    },
    "mechanisms/closed_domain.py": {
        "No query of this log is in the list": by("ClosedDomain", where=unknown_pool)
    },
    "mechanisms/crowd.py": {
        "No query of this log is in the pool: it favours": by(
            "Crowd", where=lambda made: pool_told(made) and unknown_pool(made)
        ),
        "All noise below together protects": Filled(
            crowd,
            lambda made: (
                rounded_down(1 / made.promise().numbers["mu"]),
                rounded_down(1 / made.mu),
                made.items,
            ),
        ),
        "others count {} times as much": Filled(
            by("Crowd", where=pool_told), lambda made: (f"{made.unknown:g}",)
        ),
        "Choosing queries favours {} public ones": by("Crowd", where=pool_told),
        "Show those whose noisy weight over {} rounds": Filled(
            crowd,
            lambda made: (made.selection.rounds, f"{made.plan[0].selection.threshold:.4g}"),
        ),
        "Publish counts with fresh noise of standard deviation {} (in": Filled(
            crowd, lambda made: (count_sd(made),)
        ),
    },
    "mechanisms/dp_crowd_log.py": {"The paper publishes counts with noise of a scale": by("DPa", "DPu")},
    "mechanisms/frequency_threshold.py": {"What one person does k times": by("FTa")},
    "mechanisms/hashed_tokens.py": {
        "Publish every row under a pseudonym; each word": by("HashedTokens"),
        "How often a word occurs": by("HashedTokens"),
        "URLs are published as they are.": by("HashedTokens"),
    },
    "mechanisms/k_anonymity.py": {
        "Several queries of one person together": k_anonymity,
        "What all k users have in common": k_anonymity,
    },
    "mechanisms/keys.py": {
        "Show those that the {} selection": Filled(by("Keys"), lambda made: (made.selection,)),
        "Publish counts with fresh noise": Filled(
            by("Keys", where=lambda made: made.weight_counts > 0), lambda made: (count_sd(made),)
        ),
        "At most {} different ones of each person support": Filled(
            by("Keys", where=lambda made: names_of(made) == "many"), lambda made: (made.plan[0].bound.keys,)
        ),
        "A noisy look at the log decides whether": Filled(
            by("Keys", where=lambda made: names_of(made) == "looked"), lambda made: (made.plan[0].bound.keys,)
        ),
        "Each person supports one by one unit": by("Keys", where=lambda made: names_of(made) == "one"),
        "{}, without counts: the column count": by("Keys", where=lambda made: made.weight_counts == 0),
    },
    "mechanisms/korolova.py": {
        "Which URLs appear is taken from the clicks": by(
            "Korolova", where=lambda made: made.urls == "top-clicked" and made.weight_clicks > 0
        ),
        "The paper adds the second case of α": korolova,
        "Noise is on the integers": korolova,
        "K (all ε on the selection)": korolova,
        "b (all ε on the selection)": korolova,
    },
    "mechanisms/nebula.py": {
        "Who takes part stays secret": by("Nebula"),
        "δ is the exact worst case": by("Nebula"),
        "δ of one artifact": by("Nebula"),
    },
    "mechanisms/poblete.py": {
        "The log does not tell how many documents": by("Poblete"),
        "Remove queries with fewer than": Filled(by("Poblete"), lambda made: (made.k, made.K)),
        "Every query that is left": by("Poblete"),
        "share of queries removed": by("Poblete"),
    },
    "mechanisms/pseudonyms.py": {
        "Publish every row as it is": by("Pseudonyms"),
        "Everything a person searched for stands": by("Pseudonyms"),
    },
    "mechanisms/shared.py": {
        "Fake users can lift a private text": some_table(chooses_texts),
        "A user of the log is one person": some_table(lambda plan: not isinstance(plan.selection, AtLeast)),
        "The file of surfaced URLs is public": some_table(
            lambda plan: isinstance(plan.candidates, PublicResults)
        ),
        "Exact counts of several releases": exact,
        "Somebody who adds fake users": exact,
        "Whether one person is in the log": exact,
    },
    "mechanisms/split_sessions.py": {
        "Publish every row; a pause of more": Filled(
            by("SplitSessions"), lambda made: (made.session_minutes,)
        ),
        "One session can name a person": by("SplitSessions"),
    },
    "mechanisms/zealous.py": {
        "The log has at most as many users": by(
            "Zealous", where=lambda made: made.setting == "probabilistic"
        ),
        "The δ of the probabilistic setting": by(
            "Zealous", where=lambda made: made.setting == "probabilistic"
        ),
        "Noise of scale d/ε is enough": by("Zealous"),
        "The raw filter k' looks at the data": by("Zealous"),
    },
    "artifacts/public_lists.py": {
        "The pool is public and was made": lambda label: (
            by("AClick", "ClosedDomain")(label) or by("Crowd", where=pool_told)(label)
        ),
        "The file of topics was made": lambda label: (
            by("ASession", where=lambda made: made.features is not None)(label)
            or by("Ladder", where=lambda made: made.topics not in (None, TOPIC_WORDS))(label)
        ),
        "The list of words is public": by("Ladder"),
    },
    "plan/table.py": {
        "probability to take part": some_table(lambda plan: isinstance(plan.selection, SampledThreshold))
    },
}
