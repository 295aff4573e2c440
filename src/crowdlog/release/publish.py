"""Publishing: charge first, then draw the noise, then show. A crash leaves nothing, or a charged release that `resume` finishes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.ledger import Entry, Ledger
from crowdlog.privacy.randomness import Randomness, SystemRandomness
from crowdlog.release.explain import explain, label_page
from crowdlog.release.folder import Release, partial_folder, write_folder
from crowdlog.release.label import make_label
from crowdlog.release.page import release_page
from crowdlog.release.promise import Promise, Protects

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore


def publish(
    mechanism: Protects,
    log: LogStore,
    out: str | Path,
    *,
    randomness: Randomness | None = None,
    i_know: bool = False,
) -> Release:
    """Make one release. `i_know` allows what is not private (no guarantee, a large δ) and marks the label."""
    target = Path(out).absolute()
    if target.exists():
        raise InputError(f"{target} exists already. Choose another name: a published release is never overwritten.")
    promise = mechanism.promise()
    warnings = _refuse_or_warn(mechanism, promise, log, i_know=i_know)
    mechanism.check_inputs()
    with open_ledger(log) as ledger:
        charge = ledger.charge(promise.guarantee, repr(mechanism), str(target), steps=promise.accounting, allow_unprotected=i_know)
        return _finish(mechanism, promise, log, target, charge, ledger, randomness or SystemRandomness(), warnings)


def resume(log: LogStore, parse: Callable[[str], Protects], *, randomness: Randomness | None = None) -> list[Release]:
    """Finish every charged but unpublished release of this log, at no further charge and with noise drawn afresh."""
    with open_ledger(log) as ledger:
        return [_resume(entry, log, ledger, parse, randomness or SystemRandomness()) for entry in ledger.unpublished()]


def _resume(entry: Entry, log: LogStore, ledger: Ledger, parse: Callable[[str], Protects], randomness: Randomness) -> Release:
    target = Path(entry.out)
    if target.exists():  # renamed, then killed before the ledger heard of it
        release = Release.open(target)
        own = release.label.get("crowdlog", {})
        if (own.get("source"), own.get("charge")) != (log.info.id, entry.id):
            raise InputError(f"{target} exists but is not the release that was charged for it. Move it away and run 'crowdlog resume' again.")
        ledger.publish(entry.id)
        return release
    mechanism = parse(entry.mechanism)
    promise = mechanism.promise()
    warnings = _refuse_or_warn(mechanism, promise, log, i_know=True)
    return _finish(mechanism, promise, log, target, entry.id, ledger, randomness, warnings)


def open_ledger(log: LogStore) -> Ledger:
    """The ledger that lies in the log's store. Close it, or use it in a `with`."""
    return Ledger.open(log.ledger(), source=log.info.content_hash)


def _finish(
    mechanism: Protects, promise: Promise, log: LogStore, target: Path, charge: int, ledger: Ledger, randomness: Randomness, warnings: list[str]
) -> Release:
    partial = partial_folder(target, charge)
    shutil.rmtree(partial, ignore_errors=True)  # what a killed run drew is destroyed unread
    protected = mechanism.protect(log, randomness)
    label = make_label(mechanism, promise, protected, source=log.info.id, charge=charge, private=randomness.private, warnings=warnings)
    release = write_folder(
        target,
        charge,
        protected.tables,
        label,
        {"label.md": label_page(label), "explanation.md": explain(label), "index.html": release_page(label, protected.tables)},
    )
    ledger.publish(charge)
    return release


def _refuse_or_warn(mechanism: Protects, promise: Promise, log: LogStore, *, i_know: bool) -> list[str]:
    """What makes a release doubtful: refused, or said in its label when the owner insists."""
    guarantee, users = promise.guarantee, max(log.info.users, 1)
    warnings = []
    if getattr(mechanism, "unsafe", False):
        warnings.append("This mechanism is known to be unsafe. It exists to be attacked and compared.")
    elif guarantee.kind == "none":
        warnings.append("No formal guarantee: whoever knows enough about a person can learn more from this release.")
    if guarantee.delta * users >= 1:
        # The number of users is not published: the sentence must not tell it.
        warnings.append(
            f"δ = {guarantee.delta:g} is not below one over the number of users: a release that gives a person away outright may satisfy it."
        )
    if warnings and not i_know:
        raise PrivacyRefusal(f"{warnings[0]} Add --i-know to release all the same; the label will say so.")
    return warnings
