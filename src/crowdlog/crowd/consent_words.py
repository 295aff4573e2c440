"""What volunteers are told of a collection in plain words: made from its terms, and from nothing else.

An operator writes who she is, why she asks and whom to ask. What is published, when, and what is not
guaranteed follow from the terms, so every party and every client makes these words again and refuses others.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crowdlog.crowd.manifest import Job

_HOUR = 3600
NOT_GUARANTEED = (
    "A count of people is not differential privacy unless the policy says so. Whoever runs the randomness "
    "server and the aggregation server together could test guesses while the key exists. Whoever runs all "
    "mixes and the aggregation server could see which address sent which report."
)


def published(artifact: str, k: int, inner_artifact: str, inner_k: int, policy: str) -> str:
    """What becomes public."""
    nested = f", and each {inner_artifact} inside one that {inner_k} people sent" if inner_k else ""
    return (
        f"Each {artifact} that at least {k} people sent{nested}, as the policy {policy} allows, when the "
        "uploads have ended. Nothing else can be read, and all reports are deleted."
    )


def dates(job: Job, mining_until: int, upload_seconds: int) -> str:
    """What happens when."""
    begins = f"Mining begins on {date(job.mining_from)}. " if job.mining_from else ""
    again = (
        f" The same is asked again every {job.repeat_seconds / 86_400:g} days, in a collection "
        "of its own to which you are invited anew."
        if job.repeat_seconds
        else ""
    )
    return (
        f"{begins}Joining and mining end on {date(mining_until)} at the latest. Reports are sent in the "
        f"{upload_seconds / _HOUR:g} hours after that. Then the operator looks at what will be "
        f"published, and makes it public.{again}"
    )


def date(seconds: int) -> str:
    """A moment as people write it."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))
