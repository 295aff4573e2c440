"""Is this a release of that log? Whoever measures a release against its log asks here first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.release.folder import Release


def check_source(release: Release, truth: LogStore) -> None:
    """Raise InputError unless the label names this log as its source."""
    source: Any = release.label.get("crowdlog", {}).get("source")
    if source != truth.info.id:
        raise InputError(
            f"{release.path} was not made from the log {truth.path}: its label names the log {str(source)[:12]}, this is {truth.info.id[:12]}. "
            "Give the log it was made from, or add --other-log to measure it against another log on purpose."
        )
