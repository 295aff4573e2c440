"""Finishing what a crash left: each charge on its own, never a second output once one may have been seen."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.files.disk import force_folder_to_disk, force_to_disk
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_book import Entry
from crowdlog.privacy.randomness import Randomness, SystemRandomness
from crowdlog.release.folder import Release, folder_hash
from crowdlog.release.guard_rails import as_drawn, refuse_or_warn
from crowdlog.release.place import Place, find_place, is_in_partial, is_taken, refuse_inside, reserve, sweep
from crowdlog.release.promise import Promise, Protects
from crowdlog.release.publish import Drawing, finish, give_final_name, holding, open_ledger
from crowdlog.release.seal import read_key

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.log.store import LogStore


class Unfinished(InputError):  # noqa: N818 - what is finished is finished
    """Some charges could not be finished. `finished` are those that could; `ours`: by a fault of ours."""

    def __init__(self, finished: list[Release], failures: Sequence[str], *, ours: bool) -> None:
        super().__init__("\n".join(failures))
        self.finished = finished
        self.exit_code = CrowdlogError.exit_code if ours else InputError.exit_code


def resume(
    log: LogStore,
    parse: Callable[[str], Protects],
    *,
    charge: int | None = None,
    to: str | Path | None = None,
    randomness: Randomness | None = None,
    users: int | None = None,
    sign: str | Path | None = None,
    engine: OpenEngine | None = None,
) -> list[Release]:
    """Finish the unfinished releases of this log (or one of them) at no further charge.

    A release that was charged and not yet made is drawn afresh. One that was made is shown as it is.
    `to`: make it there instead, or: there lies what was made. `users`, `sign`: as for a release; a label that
    was written already keeps what it has. Raises Unfinished when all others are done.
    """
    finished, failures, cause = list[Release](), list[str](), None
    key = None if sign is None else read_key(sign)
    with holding(log, alone=True), open_ledger(log) as ledger:
        resumption = _Resumption(log, ledger, parse, randomness or SystemRandomness(), engine, users, key)
        for entry in _chosen(ledger, charge, to):
            try:
                finished.append(resumption.finish(entry, None if to is None else find_place(to).target))
            except CrowdlogError as error:
                failures.append(f"Charge {entry.id}: {error}")
            except Exception as error:
                # Only its type is told: its text could quote a query. The other charges are finished.
                failures.append(f"Charge {entry.id}: an error of ours ({type(error).__name__}).")
                cause = error
        for parent in {Path(entry.out).parent for entry in ledger.entries()}:
            sweep(parent)
    if failures:
        raise Unfinished(finished, failures, ours=cause is not None) from cause
    return finished


def give_up(log: LogStore, charge: int) -> Entry:
    """End a charge for good: it stays spent, and nothing is ever shown for it. Returns it as it was."""
    with holding(log, alone=True), open_ledger(log) as ledger:
        (entry,) = _chosen(ledger, charge, None)
        if entry.state == "publishing" and _lies_at(Path(entry.out), entry):
            raise InputError(f"Charge {charge} lies complete at {entry.out}: run 'crowdlog resume'.")
        ledger.lose(entry)
        _destroy(log, entry)
        return entry


def _chosen(ledger: Ledger, charge: int | None, to: str | Path | None) -> list[Entry]:
    entries = ledger.unpublished()
    numbers = ", ".join(str(entry.id) for entry in entries) or "none"
    if charge is not None:
        entries = [entry for entry in entries if entry.id == charge]
        if not entries:
            raise InputError(f"There is no unfinished charge {charge}. Unfinished: {numbers}.")
    if to is not None and len(entries) != 1:
        raise InputError(f"Say with --charge which release should go to {to}. Unfinished: {numbers}.")
    return entries


@dataclass(frozen=True)
class _Resumption:
    log: LogStore
    ledger: Ledger
    parse: Callable[[str], Protects]
    randomness: Randomness
    engine: OpenEngine | None = None
    users: int | None = None
    key: Any = None

    def finish(self, entry: Entry, to: Path | None) -> Release:
        if to is not None:
            refuse_inside(to)
            self.ledger.refuse_taken(str(to), but_for=entry.id)
        if entry.state == "charged":
            return self._draw(entry, to)
        found = self._visible(entry, to)
        return found if found is not None else self._show(entry, to)

    def _draw(self, entry: Entry, to: Path | None) -> Release:
        """Nothing was shown for this charge: draw its output now, provided it is what was paid for."""
        mechanism = self.parse(entry.mechanism)
        promise = as_drawn(mechanism.promise(), self.randomness, self.users)
        _compare(entry, promise)
        mechanism.check_inputs()
        warnings = refuse_or_warn(
            mechanism, promise, self.log, self.randomness, i_know=True, users=self.users
        )
        drawing = Drawing(mechanism, promise, self.log, self.randomness, warnings, self.engine, self.key)
        _refuse_other(entry, to)
        with reserve(to or entry.out, advice=f"Mend that, or {_elsewhere(entry)}") as place:
            if str(place.target) != entry.out:
                _destroy(self.log, entry)
                self.ledger.move(entry, str(place.target))
            return finish(drawing, self.ledger, entry.id, place)

    def _visible(self, entry: Entry, to: Path | None) -> Release | None:
        """The output where it was to be, or where the owner moved it: only the ledger has to be told."""
        for place in (to, Path(entry.out)):
            if place is not None and _lies_at(place, entry):
                force_to_disk(place.parent)
                if place == to:
                    self.ledger.move(entry, str(place))
                self.ledger.publish(entry.id)
                _destroy(self.log, entry)
                return Release.open(place)
        return None

    def _show(self, entry: Entry, to: Path | None) -> Release:
        """The output was made and not shown: show that very one. Never draw again: it may have been seen."""
        staged = self._staged(entry, to)
        _refuse_other(entry, to)
        with reserve(to or entry.out, advice=f"Mend that, or {_elsewhere(entry)}") as place:
            own = place.staged(self.log.info.id, entry.id)
            if str(place.target) != entry.out:
                self._move(entry, staged, place)
            release = give_final_name(self.ledger, entry.id, own, place.target)
        if str(place.target) != entry.out:
            _destroy(self.log, entry)
        return release

    def _move(self, entry: Entry, staged: Path, place: Place) -> None:
        """First the copy, then the ledger: it always names a place that has the output."""
        own = place.staged(self.log.info.id, entry.id)
        if staged == own:  # the owner moved the folder around it
            self.ledger.move(entry, str(place.target))
            return
        try:
            _copy(staged, own, entry)
            self.ledger.move(entry, str(place.target))
        except BaseException:
            shutil.rmtree(own, ignore_errors=True)
            raise

    def _staged(self, entry: Entry, to: Path | None) -> Path:
        """Where the output lies that was made for this charge and not shown."""
        for place in (to, Path(entry.out)):
            staged = None if place is None else find_place(place).staged(self.log.info.id, entry.id)
            if staged is not None and folder_hash(staged) == entry.folder_hash:
                return staged
        where = entry.out if to is None else f"{to} or {entry.out}"
        raise InputError(
            f"Its output was made and may have been seen, but does not lie unchanged at {where}. "
            "It is never drawn a second time. If it was moved, say where it is: "
            f"crowdlog resume {self.log.path} --charge {entry.id} --to PLACE. "
            "If it is gone, make a new release, at a new charge, and close this one: "
            f"crowdlog resume {self.log.path} --charge {entry.id} --give-up."
        )


def _lies_at(place: Path, entry: Entry) -> bool:
    """Whether the output lies there to be seen: in a partial folder, or behind a link to it, it does not."""
    return not is_in_partial(place) and folder_hash(place) == entry.folder_hash


def _compare(entry: Entry, promise: Promise) -> None:
    """The promise must be the one that was charged: another crowdlog may read the same words differently."""
    steps = tuple(json.loads(json.dumps([dict(step) for step in promise.accounting])))
    if (promise.guarantee, steps) != (entry.guarantee, entry.steps):
        charged, now = entry.guarantee, promise.guarantee
        if charged == NO_GUARANTEE:  # and this mechanism promises something
            raise InputError(
                "It was charged for noise from a seed, which the ledger does not keep: nobody can draw that "
                "release again. Nothing was drawn. Close it "
                f"(crowdlog resume STORE --charge {entry.id} --give-up) and release anew."
            )
        raise InputError(
            f"It was charged with ε = {charged.epsilon:g}, δ = {charged.delta:g}, but this crowdlog promises "
            f"ε = {now.epsilon:g}, δ = {now.delta:g} for the same words, or draws its noise in other steps. "
            "Nothing was drawn. Use the version that made the charge, or close it "
            f"(crowdlog resume STORE --charge {entry.id} --give-up) and release anew."
        )


def _refuse_other(entry: Entry, to: Path | None) -> None:
    """Refuse where something else already exists at the path of the release: it is not overwritten."""
    if to is None and is_taken(Path(entry.out)):
        advice = f"Move it away, or {_elsewhere(entry)}"
        raise InputError(f"{entry.out} exists but is not the release that was charged for it. {advice}")


def _elsewhere(entry: Entry) -> str:
    return f"choose another place: crowdlog resume STORE --charge {entry.id} --to PLACE"


def _copy(staged: Path, own: Path, entry: Entry) -> None:
    """Copied, not moved: the place may be on another disk, the old one stays until the ledger names it."""
    shutil.rmtree(own, ignore_errors=True)
    try:
        own.mkdir()
        for file in staged.iterdir():
            shutil.copyfile(file, own / file.name)
        force_folder_to_disk(own)
    except OSError as error:
        advice = f"Make room, or {_elsewhere(entry)}"
        raise InputError(f"It could not be copied to {own}: {error.strerror}. {advice}") from None
    if folder_hash(own) != entry.folder_hash:
        raise InputError(f"It could not be copied unchanged to {own}. Try again, or {_elsewhere(entry)}")


def _destroy(log: LogStore, entry: Entry) -> None:
    """Remove, unread, what lies at the charge's former place and was never shown there."""
    staged = find_place(entry.out).staged(log.info.id, entry.id)
    shutil.rmtree(staged, ignore_errors=True)
    with suppress(OSError):  # not there, or it holds the release of another store
        staged.parent.rmdir()
