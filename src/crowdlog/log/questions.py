"""What is asked before an import is finished: are users persons, and were these people imported before?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.address import local_path
from crowdlog.files.whole import is_partial
from crowdlog.log.people import SAME, in_common
from crowdlog.log.store import INFO, LogStore, StoreInfo, import_again, read_info
from crowdlog.privacy.ledger_head import HEAD
from crowdlog.privacy.ledger_place import without_password

_FEW = 20  # rows below which a log is a trial
_NEARLY = 0.95  # users a row from which on they are taken for requests: a few ids may repeat by chance


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
        found: dict[str, str] = {}  # by ledger: the store, and what it holds
        for folder, other in _stores_in(local_path(self.out).absolute().parent):
            if other is None:
                raise InputError(
                    f"{folder} is a store that is damaged or of another version: nobody can tell whether it "
                    f"holds the same people. {import_again(folder)} If they are other people, say "
                    "--ledger own."
                )
            same = other.info.content_hash == info.content_hash
            if same or in_common(info.people, other.info.people) >= SAME:
                what = "the same log" if same else "a log of many of the same users"
                found[shlex.quote(without_password(other.ledger()))] = f"{other.path} holds {what}"
        if found:
            raise InputError(_share(found))


def _share(found: Mapping[str, str]) -> str:
    """`found`: by ledger, the sentence on its store. Of several ledgers one may be empty and others spent."""
    ledgers = " or ".join(f"--ledger {ledger}" for ledger in found)
    if len(found) == 1:
        return (
            f"{' '.join(found.values())}: what is released of both adds up for each of them. "
            f"Share one budget with {ledgers}, or say that they are other people with --ledger own."
        )
    return (
        f"{'; '.join(found.values())}: what is released of all adds up for each of them, and they have "
        "ledgers of their own. Share the one of which most is spent ('crowdlog budget' tells): "
        f"{ledgers}. Or say that they are other people with --ledger own."
    )


def _ask_about_users(info: StoreInfo) -> None:
    if info.rows < _FEW:
        return
    if info.users == 1:
        what = "All rows have the same user: the promise would protect one person's absence from nothing"
    elif info.users >= _NEARLY * info.rows:
        every = "Every" if info.users == info.rows else "Nearly every"
        what = f"{every} row has a user of its own: the promise would protect a request, not a person"
    else:
        return
    raise InputError(
        f"{what}. Is the user column right? Name it with --columns user=…; if it is, add --users-are-fine."
    )


def stores_beside(target: Path) -> list[LogStore]:
    """The stores in the folder that is to hold the target, with whole tables or not: their ledgers count
    either way. What an import is making, or left when it was killed, is none yet.
    """
    return [store for _folder, store in _stores_in(target.parent) if store is not None]


def _stores_in(parent: Path) -> Iterator[tuple[Path, LogStore | None]]:
    """Every store in a folder; None where it cannot say any more what it held."""
    try:
        folders = sorted(parent.iterdir())
    except OSError:
        return
    for folder in folders:
        try:
            if is_partial(folder) or not (folder / INFO).is_file():
                continue
            yield folder, LogStore(folder, read_info(folder))
        except InputError:
            if (folder / HEAD).exists():  # else it is no store of ours
                yield folder, None
        except OSError:
            continue  # somebody else's
