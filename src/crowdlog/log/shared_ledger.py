"""The ledger that a new store is to share with others: looked at before a row of the log is read."""

from __future__ import annotations

from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.address import local_path
from crowdlog.log.questions import stores_beside
from crowdlog.log.store import LogStore
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_place import check_new, is_postgres, without_password


def shared_ledger(ledger: str | Path | None, out: str | Path, *, new: bool) -> str | None:
    """Its address as a store keeps it: absolute, so that it is found from everywhere. None: the store's own.

    InputError where it is missing, or older than a store beside `out`, or it itself, knows; and where it is
    to be begun (`new`) although it is there, or was.
    """
    if ledger is None:
        if new:
            raise InputError("--new-ledger begins the ledger that --ledger names: say which.")
        return None
    address = str(ledger) if is_postgres(ledger) else str(Path(ledger).absolute())
    if not is_postgres(address) and not Path(address).parent.is_dir():
        raise InputError(
            f"There is no folder {Path(address).parent} for the ledger. Make it, or choose another place."
        )
    for store in stores_beside(local_path(out).absolute()):
        if _known_as(store.ledger()) == _known_as(address):
            _compare(store, new=new)
    (check_new if new else Ledger.check)(address)
    return address


def _known_as(address: str | Path) -> str:
    """A ledger is the same whichever password opens it."""
    return without_password(address) if is_postgres(address) else str(Path(address).absolute())


def _compare(store: LogStore, *, new: bool) -> None:
    """With what a store that shares it saw of it."""
    if new:
        raise InputError(
            f"{store.path} has its budget in this ledger: leave --new-ledger out. If the ledger is lost, "
            "begin one of another name, and book there what the labels of its releases say: "
            "crowdlog budget STORE --book EPSILON DELTA"
        )
    info = store.info
    Ledger.open(store.ledger(), source=info.content_hash, store=info.id, head=store.ledger_head()).close()
