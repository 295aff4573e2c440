"""Is this a release of that log? Whoever measures a release against its log asks here first."""

from __future__ import annotations

from crowdlog.errors import InputError
from crowdlog.release.label import Label


def check_source(label: Label, store_id: str) -> None:
    """Raise InputError unless the label names this log as its source."""
    if label.source != store_id:
        raise InputError(
            "This release was not made from the log given as truth: its label names the source "
            f"{label.source[:16]}, the log is {store_id[:16]}. "
            "Give the store it was made from, or add --other-log to measure it against another log on "
            "purpose."
        )
