"""What is asked before an import is finished: are users persons, and were these people imported before?"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.address import local_path
from crowdlog.files.whole import is_partial
from crowdlog.log.people import SAME, in_common
from crowdlog.log.store import LogStore, StoreInfo
from crowdlog.privacy.ledger_place import without_password

_FEW = 20  # rows below which a log is a trial


@dataclass(frozen=True)
class Questions:
    """Asked by the command line. `out`: where the store will be; stores beside it are looked at."""

    out: str | Path
    ask_ledger: bool = True
    ask_users: bool = True

    def ask(self, info: StoreInfo) -> None:
        """Raise InputError with a question, before the store is there."""
        if self.ask_users:
            _ask_about_users(info)
        if self.ask_ledger:
            self._ask_about_people(info)

    def _ask_about_people(self, info: StoreInfo) -> None:
        for other in stores_beside(local_path(self.out).absolute()):
            same = other.info.content_hash == info.content_hash
            if same or in_common(info.people, other.info.people) >= SAME:
                what = "the same log" if same else "a log of many of the same users"
                ledger = shlex.quote(without_password(other.ledger()))
                raise InputError(
                    f"{other.path} holds {what}: what is released of both adds up for each of them. "
                    f"Share one budget with --ledger {ledger}, or say that they are other people with "
                    "--ledger own."
                )


def _ask_about_users(info: StoreInfo) -> None:
    if info.rows < _FEW:
        return
    if info.users == 1:
        what = "All rows have the same user: the promise would protect one person's absence from nothing"
    elif info.users == info.rows:
        what = "Every row has a user of its own: the promise would protect a request, not a person"
    else:
        return
    raise InputError(
        f"{what}. Is the user column right? Name it with --columns user=…; if it is, add --users-are-fine."
    )


def stores_beside(target: Path) -> list[LogStore]:
    """The stores in the folder that is to hold the target; what an import is making, or left when it was
    killed, is none yet.
    """
    found = []
    try:
        folders = sorted(
            path
            for path in target.parent.iterdir()
            if (path / "store.json").is_file() and not is_partial(path)
        )
    except OSError:
        return []
    for folder in folders:
        try:
            found.append(LogStore.open(folder))
        except (InputError, OSError):
            continue  # of another version, damaged, or somebody else's: no store to share a budget with
    return found
