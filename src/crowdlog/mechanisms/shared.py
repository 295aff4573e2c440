"""Parameters and sentences that several mechanisms share."""

from __future__ import annotations

from typing import Any

from crowdlog.artifacts.kinds import ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.mechanisms.parameters import DELTA, EPSILON, REPRESENTATION, RESULTS, parameter, weight

INJECTION = (
    "Fake users can lift a private text over the threshold: who knows it and makes enough accounts "
    "gets it published (Korolova et al. 2009, §8)."
)
HONEST_USERS = "A user of the log is one person. A person with several accounts is protected per account."
PUBLIC_RESULTS = "The file of surfaced URLs is public and was made without this log."
# Known attacks on exact counts, with where they are described.
WEAKNESSES = (
    "Exact counts of several releases can be combined to infer what none of them shows (Feild 2013, "
    "§3.4.2.1, examples 2 and 3).",
    "Somebody who adds fake users can lift a private query over the bar (Korolova 2009, §8).",
    "Whether one person is in the log can change what is published.",
)
SAMPLER_SHARE = 0.999  # of δ for thresholds; a thousandth pays for the sampler's distance from ideal noise


def epsilon() -> Any:
    return parameter("privacy loss of one user, all steps together", above=0, role=EPSILON)


def delta(**limits: Any) -> Any:
    return parameter(
        "probability that the promise may fail", role=DELTA, **{"above": 0, "below": 1, **limits}
    )


def artifact() -> Any:
    kinds = "; ".join(f"{name}: {what}" for name, what in ARTIFACTS.items())
    return parameter(f"what is counted: {kinds}", default="query", choices=tuple(ARTIFACTS))


def representation() -> Any:
    return parameter(
        "how queries are written before they are counted: original, light (no www., .com, punctuation), "
        "heavy (also no stop words, stemmed, sorted), "
        "spelling (light, typing errors corrected) or template (also cities left open: bars in ⟨city⟩)",
        default="original",
        choices=REPRESENTATIONS,
        role=REPRESENTATION,
    )


def keep() -> Any:
    return parameter(
        "which d artifacts of a user are kept: her first ones, or a random choice",
        default="first",
        choices=("first", "random"),
    )


def clean() -> Any:
    return parameter("set negative counts to 0: costs no privacy", default=True)


def surfaced() -> Any:
    return parameter(
        "for urls='public': a file of lines query TAB url, what the engine shows to anyone",
        default=None,
        role=RESULTS,
    )


def weight_select() -> Any:
    return parameter(
        "share of ε for choosing queries, relative to the other weights",
        default=3.0,
        above=0,
        role=weight("keys"),
    )


def weight_counts() -> Any:
    return parameter("share of ε for the counts of queries", default=1.0, above=0, role=weight("counts"))


def weight_clicks() -> Any:
    return parameter(
        "share of ε for clicks; 0 publishes no clicks", default=2.0, least=0, role=weight("clicks")
    )
