"""Sentences of labels, explanations and pages that are the same whatever mechanism made a release."""

from __future__ import annotations

import math
from functools import cache

from crowdlog.mechanisms import MECHANISMS, parse
from crowdlog.plan import bounds
from crowdlog.plan.candidates import OfTheLog
from crowdlog.plan.selections import AtLeast, SampledThreshold
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.release.label import Label
from tests.mechanisms.test_every_mechanism import EXAMPLES
from tests.release.told.truths import (
    True_,
    always,
    bounded,
    dp,
    kind,
    seeded,
    shows,
    some_table,
    thresholded,
    unsafe,
)


@cache
def first_without_a_promise() -> int:
    """The first charge without one: each mechanism is released in the order of their list."""
    promises = (parse(EXAMPLES[name][0]).promise() for name in MECHANISMS)
    return next(number for number, promise in enumerate(promises, 1) if not promise.guarantee.protects)


def after_one_without_a_promise(label: Label) -> bool:
    return label.source != "part" and label.charge > first_without_a_promise()


# Where a sentence comes from: the sentence as it begins in the source, and of which labels it is true.
OF_RELEASES: dict[str, dict[str, True_]] = {
    "release/guard_rails.py": {
        "Its noise comes from a fixed seed": seeded,
        "This mechanism is known to be unsafe": lambda label: unsafe(label) and not seeded(label),
        "No formal guarantee: whoever": lambda label: (
            label.promise.guarantee.family == "none" and not unsafe(label) and not seeded(label)
        ),
        "A release without differential privacy was charged for the same people: what": lambda label: (
            after_one_without_a_promise(label) and dp(label)
        ),
        "A release without differential privacy was charged for the same people: both": lambda label: (
            after_one_without_a_promise(label) and not dp(label)
        ),
        "This store is a part of another one": lambda label: label.source == "part",
        "Whether the log has fewer than 1/δ users": lambda label: (
            dp(label) and label.promise.guarantee.delta > 0
        ),
        "Only {}, no differential privacy": lambda label: label.promise.guarantee.k is not None,
        "{}: whoever knows enough about a person": lambda label: (
            label.promise.guarantee.family != "dp" and not unsafe(label) and not seeded(label)
        ),
        "ε = {} is above {}: the promise": lambda label: 10 < label.promise.guarantee.epsilon < math.inf,
        "δ = {} is not below one over": lambda label: dp(label) and label.promise.guarantee.delta >= 1 / 400,
    },
    "release/explain.py": {
        "The owner looked at the log itself before": lambda label: bool(label.looks),
        "Looks at the log before this release": lambda label: bool(label.looks),
        "how often something was done": lambda label: label.promise.counts == "impressions",
        "how many people did it": lambda label: label.promise.counts == "users",
        "It holds {}. A count says {}": lambda label: bool(label.promise.counts),
        "It holds {}: names alone.": some_table(lambda plan: plan.names_only),
        ": ε = {}, δ = {}": dp,
        " This spends {}": dp,
        "one user: Neighbouring logs differ": dp,
        "nobody in particular: what is shown": kind("k-anonymity of queries"),
        "nobody in particular: several people asked": kind("semantic k-anonymity of queries"),
        "nobody in particular: a history": kind("k-anonymity of users"),
        "# What this release is": always,
        "\n## What it means for you": always,
        "\n## What is not promised": lambda label: bool(label.promise.unprotected),
        "Not covered by the promise": lambda label: bool(label.promise.unprotected),
        "Where we differ from the paper": lambda label: bool(label.promise.errata),
        "What was counted on the way": lambda label: bool(label.notes),
        "\n## What was spent": dp,
        "\n## What was done": lambda label: not dp(label),
        "\n## What this means for one person": always,
    },
    "release/meaning.py": {
        "{} can be at most {} % sure": kind("pure DP", "probabilistic DP"),
        " With a probability of at most 1 in {} this promise may fail": kind("probabilistic DP"),
        "{}, and guesses after seeing this release": kind("approximate DP"),
        "Somebody who thinks it as likely as not": dp,
        " 100 % is hardly a limit": lambda label: dp(label) and label.promise.guarantee.epsilon > 9.21,
        "{}. What all of these have in common": kind("k-anonymity of queries"),
        "{}. A published text may be one person's own": kind("semantic k-anonymity of queries"),
        "{}. A search in it may be one person's": kind("k-anonymity of users"),
        "There is no mathematical promise": lambda label: label.promise.guarantee.family == "none",
    },
    "release/page.py": {
        "What the crowd searched for": shows("queries"),
        "{}: the first {} of {}, without counts": some_table(lambda plan: plan.names_only),
        "Words it searched with": shows("words"),
        "Words one after the other": shows("word_pairs"),
        "Sites it went to": shows("sites"),
        "Sites it chose for a query": shows("query_sites"),
        "Sites it chose for a word": shows("word_sites"),
        "What it searched next": shows("pairs"),
        "What it searched in one session": shows("sessions"),
        "How many words it searched with": shows("lengths"),
        "How much a person searched": shows("activity"),
        "Which part of the searches is released": shows("shares"),
        "How often released queries are repeated": shows("repeats"),
        "What it was about": lambda label: shows("topics")(label) or shows("topic_hours")(label),
        "What it was about, by hour": shows("topic_hours"),
        "reformulations (what was asked next)": lambda label: "pairs" in label.tables,
        "sites clicked for a query": lambda label: "query_sites" in label.tables,
        "sites clicked for a word": lambda label: "word_sites" in label.tables,
        "privacy loss of one person, δ": dp,
    },
    "release/label.py": {
        "The owner of the log runs the mechanism": always,
        "No differential privacy is promised": lambda label: not dp(label),
        "Neighbouring logs differ in all rows": dp,
        "crowdlog release by": always,
        "search logs: rows of (user": always,
        "sum over the steps below": dp,
        "nothing to add up": lambda label: not dp(label),
    },
    "release/promise.py": {
        "clicked sites of queries": lambda label: "query_sites" in label.tables,
        "clicked sites of words": lambda label: "word_sites" in label.tables,
        " of shown queries": some_table(
            lambda plan: (
                thresholded(plan) and not isinstance(plan.candidates, OfTheLog) and plan.name != "queries"
            )
        ),
        "Drop {} of fewer than {}": some_table(
            lambda plan: thresholded(plan) and plan.selection.at_least > 1
        ),
        "Show {} whose {} plus noise": some_table(thresholded),
        ", with that noisy number.": some_table(lambda plan: thresholded(plan) and plan.reuses_noise),
        "Publish {} of at least {} {}, with exact": lambda label: (
            some_table(lambda plan: isinstance(plan.selection, AtLeast))(label)
            and not kind("semantic k-anonymity of queries")(label)
        ),
        ", if at least {}": some_table(
            lambda plan: (
                plan.least is not None and isinstance(plan.noise, DiscreteLaplace) and not plan.reuses_noise
            )
        ),
        "Whether a person takes part": some_table(lambda plan: isinstance(plan.selection, SampledThreshold)),
        "Publish {} with fresh noise": some_table(
            lambda plan: isinstance(plan.noise, DiscreteLaplace) and not plan.reuses_noise
        ),
    },
    "plan/bounds.py": {
        "the first {} of each person": bounded(bounds.FirstOccurrences),
        "{} of each person, chosen by lot": bounded(bounds.RandomOccurrences),
        "the first {} different ones": bounded(bounds.FirstKeys),
        "{} different ones of each person, chosen": bounded(bounds.RandomKeys),
        "at most {} different ones of each person": some_table(
            lambda plan: isinstance(plan.bound, bounds.SquaredBudget) and not plan.names_only
        ),
        "the first {} queries of the first": bounded(bounds.SessionCut),
        "each person once, divided among the values": bounded(bounds.DividedPerson),
    },
    "release/assemble.py": {"NOT PRIVATE: the noise came": seeded},
    "privacy/guarantee.py": {
        "Everything that is published was done by": kind("k-anonymity of queries"),
        "At least {k} people stand behind": kind("semantic k-anonymity of queries"),
        "Every history that is published": kind("k-anonymity of users"),
    },
}
