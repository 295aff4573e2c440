"""Where a ledger lies: a file, a database, and the small file beside it; and whether one is or was there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError
from crowdlog.privacy.journal import Journal, Line, SqliteJournal, is_blank, read_lines
from crowdlog.privacy.ledger_head import HEAD

POSTGRES = ("postgresql://", "postgres://")
LEDGER = "ledger.sqlite"  # of a store


def is_postgres(address: Path | str) -> bool:
    return str(address).startswith(POSTGRES)


def _postgres() -> Any:
    from crowdlog.privacy.journal_postgres import PostgresJournal

    return PostgresJournal


def open_journal(address: Path | str) -> Journal:
    """The journal of the ledger at this address; one that is missing is not made."""
    journal: Journal = (
        _postgres().open(str(address)) if is_postgres(address) else SqliteJournal.open(Path(address))
    )
    return journal


def is_there(address: Path | str) -> bool:
    if is_postgres(address):
        return bool(_postgres().is_there(str(address)))
    return Path(address).exists() or Path(address).is_symlink()


def begin_journal(address: Path | str) -> None:
    """Make an empty ledger where there never was one; what a killed import left is used."""
    check_new(address)
    if not is_postgres(address):
        if not is_there(address) or is_blank(Path(address)):
            SqliteJournal.create(Path(address))
    elif not is_there(address):
        _postgres().create(str(address))


def check_new(address: Path | str) -> None:
    """Raise InputError where a ledger is, or was, that is to be begun."""
    beside = head_beside(address)
    if beside is not None and beside.exists():
        raise InputError(
            f"There is or was a ledger {address}: {beside} tells. If it is there, leave --new-ledger "
            "out; if not, put its newest copy back. If it is lost, begin one of another name, and book "
            "there what the labels of its releases say: crowdlog budget STORE --book EPSILON DELTA"
        )
    if not is_there(address) or (beside is not None and is_blank(Path(address))):
        return
    with closing(open_journal(address)) as journal:
        lines = read_lines(journal)
        if lines and (beside is None or not only_stores(lines)):
            raise InputError(
                f"The ledger {shown(address)} is there already: leave --new-ledger out, or choose "
                "another name."
            )


def only_stores(lines: Sequence[Line]) -> bool:
    """Whether nothing but stores was noted: no budget, no charge, no look. Imports that were killed before
    they wrote the file beside the ledger leave that; going on with it forgets nothing.
    """
    return all(line.content.get("what") == "store" for line in lines)


def head_beside(address: Path | str) -> Path | None:
    """Where all stores of a ledger's file together keep the last line that they saw; a database has none."""
    if is_postgres(address):
        return None
    path = Path(address)
    return path.with_name(HEAD if path.name == LEDGER else f"{path.name}.head")


def shown(address: Path | str) -> str:
    """The address without user and password."""
    return str(_postgres().shown(str(address))) if is_postgres(address) else str(address)


def without_password(address: Path | str) -> str:
    """The address as others may read it and give it again: a password stays out of messages."""
    return str(_postgres().without_password(str(address))) if is_postgres(address) else str(address)
