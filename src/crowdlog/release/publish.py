"""Publishing: charge first, then draw the noise, then record which output will be shown, then show it.

A crash leaves nothing, or a charge that `crowdlog.release.resume` finishes. Proof: proofs/ledger.md.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdlog.errors import CrowdlogError, InputError, note
from crowdlog.files.disk import force_folder_to_disk, force_to_disk
from crowdlog.files.locks import hold
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.randomness import Randomness, SystemRandomness
from crowdlog.release.assemble import assemble
from crowdlog.release.folder import Release, fill_folder, folder_hash
from crowdlog.release.guard_rails import as_drawn, refuse_or_warn, refuse_without_times, warnings_of_others
from crowdlog.release.place import Place, find_place, refuse_existing, reserve
from crowdlog.release.promise import Promise, Protected, Protects
from crowdlog.release.seal import read_key

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.engine.connection import Engine
    from crowdlog.log.store import LogStore

LOCK = "releases.lock"  # in the store: held by every release (shared) and by `resume` (alone)


def publish(
    mechanism: Protects,
    log: LogStore,
    out: str | Path,
    *,
    randomness: Randomness | None = None,
    i_know: bool = False,
    check: bool = True,
    users: int | None = None,
    budget: tuple[float, float] | None = None,
    sign: str | Path | None = None,
    engine: OpenEngine | None = None,
) -> Release:
    """Make one release. `i_know` allows what is not private (no guarantee, a large δ) and marks the label.

    `users`: about how many people are in the log, if that is public: δ is compared with it, not with the log.
    `budget`: ε and δ that all releases may spend together, for a ledger that has no budget yet: a release
    that promises something needs one. `sign`: a file with an Ed25519 key, to sign the label. `check`: read
    every byte of the store first, and refuse if one was changed since the import. `engine`: what counts,
    DuckDB unless given.
    """
    refuse_existing(find_place(out).target)
    if check:
        log.check()
    key = None if sign is None else read_key(sign)
    drawn_by = randomness or SystemRandomness()
    promise = as_drawn(mechanism.promise(), drawn_by, users)
    warnings = refuse_or_warn(mechanism, promise, log, drawn_by, i_know=i_know, users=users)
    mechanism.check_inputs()
    mechanism.check_log(log)
    refuse_without_times(promise, log)
    with (
        holding(log, alone=False),
        open_ledger(log) as ledger,
        reserve(out, advice="Nothing was charged; choose another place.") as place,
        nullcontext() if engine is None else engine(log) as opened,
    ):
        if opened is not None:
            mechanism.check_engine(opened)
        _refuse_exchanged(log, ledger, "Nothing was charged; try again.")
        with _told_if_charged(ledger, log, place):
            charge = ledger.charge(
                promise.guarantee,
                repr(mechanism),
                str(place.target),
                steps=promise.accounting,
                allow_unprotected=i_know,
                budget=budget,
            )
        drawing = Drawing(mechanism, promise, log, drawn_by, warnings, lambda _log: nullcontext(opened), key)
        return finish(drawing, ledger, charge, place)


@dataclass(frozen=True)
class Drawing:
    """All that is needed to draw an output, but for the charge that pays for it."""

    mechanism: Protects
    promise: Promise
    log: LogStore
    randomness: Randomness
    warnings: list[str]
    engine: Callable[[LogStore], AbstractContextManager[Engine | None]] | None = None
    key: Any = None  # to sign the label with

    def draw(self) -> Protected:
        with nullcontext() if self.engine is None else self.engine(self.log) as opened:
            if opened is not None:
                self.mechanism.check_engine(opened)
            return self.mechanism.protect(self.log, self.randomness, engine=opened)


def open_ledger(log: LogStore) -> Ledger:
    """The ledger of the log: in its store, or shared with others. Close it, or use it in a `with`."""
    return Ledger.open(log.ledger(), source=log.info.content_hash, store=log.info.id, head=log.ledger_head())


def known_already(log: LogStore) -> int:
    """How many other stores of the same content share the log's ledger: it was imported before."""
    with open_ledger(log) as ledger:
        same = [store for store, content in ledger.stores().items() if content == log.info.content_hash]
    return len(same) - 1


def note_look(log: LogStore, how: str) -> None:
    """Record, before it is had, a look at the log that no promise covers: later labels tell of it."""
    with open_ledger(log) as ledger:
        ledger.note_look(how)


def note_looks(logs: Iterable[LogStore | None], how: str) -> None:
    """Record a look at each of these logs, once for each."""
    for log in {log.info.id: log for log in logs if log is not None}.values():
        note_look(log, how)


@contextmanager
def holding(log: LogStore, *, alone: bool) -> Iterator[None]:
    """Releases of one store may run side by side; `resume` runs alone. A killed run holds nothing."""
    try:
        handle = hold(log.path / LOCK, shared=not alone, mode=0o600)
    except BlockingIOError:
        who = "A release or another resume" if alone else "A resume"
        raise InputError(f"{who} of {log.path} is running just now. Wait for it; nothing was done.") from None
    except OSError as error:
        raise InputError(
            f"The store {log.path} cannot be locked: {error.strerror}. Nothing was charged."
        ) from None
    try:
        yield
    finally:
        os.close(handle)


def finish(drawing: Drawing, ledger: Ledger, charge: int, place: Place) -> Release:
    """Draw, write, record the hash of what was written, show. The charge is in the state 'charged' before."""
    staged = place.staged(drawing.log.info.id, charge)
    with _told_of(charge, drawing.log):
        try:
            shutil.rmtree(staged, ignore_errors=True)  # what a killed run drew is destroyed unread
            digest = _draw(drawing, ledger, charge, staged, place.target)
            # The last look: all was read from the log before it, and the open ledger is that log's own.
            _refuse_exchanged(
                drawing.log,
                ledger,
                f"Nothing was published. Charge {charge} is in the ledger that lay there before: run "
                "'crowdlog resume' on that store, wherever it is now. If it is deleted, so is the charge.",
            )
        except BaseException:
            shutil.rmtree(staged, ignore_errors=True)
            raise
        # From here on this is the only output there will ever be for this charge: it is not removed.
        ledger.publishing(charge, digest)
    with _told_of(charge, drawing.log, "the release was made, and may be there"):
        return give_final_name(ledger, charge, staged, place.target)


def give_final_name(ledger: Ledger, charge: int, staged: Path, target: Path) -> Release:
    """Give the staged folder its final name. The charge is 'publishing', with this folder's hash."""
    label = Release.open(staged).label  # read before: once it is shown, the owner may move it at any moment
    try:
        staged.rename(target)
    except OSError as error:
        raise InputError(
            f"The release of charge {charge} is made but could not be named {target}: {error.strerror}. "
            f"Clear that place, or choose another one: crowdlog resume STORE --charge {charge} --to PLACE"
        ) from None
    try:
        force_to_disk(target.parent)
        force_to_disk(staged.parent)
        ledger.publish(charge)
    except (OSError, InputError) as error:
        raise InputError(
            f"{target} is charged and published, but the ledger could not be told ({error}). "
            "Leave it where it is and run 'crowdlog resume': that draws nothing new."
        ) from None
    return Release(target, label)


def _draw(drawing: Drawing, ledger: Ledger, charge: int, staged: Path, target: Path) -> str:
    """Write one output to the staged folder and return its hash."""
    protected = drawing.draw()
    draft = assemble(
        [drawing.mechanism],
        drawing.promise,
        protected,
        drawing.randomness,
        source=drawing.log.info.id,
        charge=charge,
        warnings=[*drawing.warnings, *warnings_of_others(charge, drawing.promise, ledger.entries())],
        ledger_head=ledger.head,
        looks=[look.told() for look in ledger.looks()],
    )
    try:
        staged.mkdir()  # and nothing around it: that folder keeps others out, and must not come back as any
        fill_folder(staged, draft, drawing.key)
        force_folder_to_disk(staged)
        force_to_disk(target.parent)
    except OSError as error:
        raise InputError(
            f"The release could not be written to {target}: {error.strerror}. It is charged. "
            "Make room, then run 'crowdlog resume'; or choose another place: "
            f"crowdlog resume STORE --charge {charge} --to PLACE"
        ) from None
    digest = folder_hash(staged)
    if digest is None:
        raise InputError(
            f"What was written for {target} cannot be read. It is charged: run 'crowdlog resume'."
        )
    return digest


def _refuse_exchanged(log: LogStore, ledger: Ledger, then: str) -> None:
    """The path must hold the store and the ledger that were opened: a copy has charges of its own."""
    if not log.path.exists():
        raise InputError(f"The store {log.path} was moved or deleted during this release. {then}")
    if not (log.is_still_there() and ledger.is_still_there()):
        raise InputError(f"The store {log.path} or its ledger was replaced during this release. {then}")


@contextmanager
def _told_if_charged(ledger: Ledger, log: LogStore, place: Place) -> Iterator[None]:
    """Stopped while the charge is made: once its line is written it is made, though nobody has its number."""
    try:
        yield
    except CrowdlogError:
        raise
    except BaseException:
        made = [entry.id for entry in ledger.unpublished() if entry.out == str(place.target)]
        with _told_of(made[-1], log) if made else nullcontext():
            raise


@contextmanager
def _told_of(charge: int, log: LogStore, how: str = "nothing was published") -> Iterator[None]:
    """An unforeseen error takes along what the owner must know: her budget was charged."""
    try:
        yield
    except CrowdlogError:
        raise
    except BaseException as error:  # Ctrl-C and signals, too
        note(error, f"{how}, and charge {charge} is made: run 'crowdlog resume {log.path}'.")
        raise
