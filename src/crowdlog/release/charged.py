"""Is this folder the very output of its charge? Whoever has the log and its ledger can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.errors import InputError
from crowdlog.release.folder import Release, folder_hash
from crowdlog.release.publish import open_ledger

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore


def check_charge(release: Release, log: LogStore) -> None:
    """Raise InputError unless the log's ledger has this very folder as the output of its charge."""
    if release.label.source != log.info.id:
        raise InputError(f"{release.path} was not made from {log.path}. Give the store it was made from.")
    with open_ledger(log) as ledger:
        entries = {entry.id: entry for entry in ledger.entries()}
        known = ledger.has_line(release.label.ledger_head)
    entry = entries.get(release.label.charge)
    if entry is None or not known:
        raise InputError(
            f"The ledger of {log.path} does not know the charge of {release.path}: "
            "it is older than this release. Put the newest ledger back."
        )
    if entry.folder_hash != folder_hash(release.path):
        raise InputError(
            f"{release.path} is not as it was published: a file of it was changed, added or removed."
        )
