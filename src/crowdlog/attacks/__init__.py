"""BREAK: what a release gives away.

One attack per file; each is judged against the log (`truth`) and against chance.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.attacks.attacker import Attacker
    from crowdlog.attacks.result import AttackResult
    from crowdlog.log.store import LogStore
    from crowdlog.release.folder import Release

# name: what it asks. The module and the function have the same name.
ATTACKS: dict[str, str] = {
    "linkage": "Whose record is this?",
    "exposure": "How much of a person's profile is exposed?",
    "category_linkage": "Whose record is this, by interests alone?",
    "category_exposure": "How much of a person's interests is exposed?",
    "homogeneity": "Which sensitive topics do the users behind a record share?",
    "singles": "How much of what only one person typed is shown?",
    "whose_text": "Whose text is this?",
    "power_user": "Which queries belong to one heavy user?",
    "triples": "Which three queries in a row follow from counts of queries and pairs?",
    "completion": "Which other query did somebody ask, of whom one is known?",
    "token_hashes": "Which word does a hash stand for?",
    "injection": "Can fake users get a private text published?",
    "membership": "Is a certain person in the log?",
}


def attack(
    release: Release | Iterable[Release],
    truth: LogStore,
    names: Iterable[str] | None = None,
    *,
    attacker: Attacker | None = None,
    other_log: bool = False,
    note: bool = True,
) -> list[AttackResult]:
    """Attack a release, or several releases of one log together, by these attacks (default: all), and judge
    them by the log, whose ledger notes that it was looked at.

    `note`: False where the look is in the ledger already, as that of a comparison.
    """
    from crowdlog.attacks.attacker import Attacker
    from crowdlog.attacks.attacker_view import AttackerView
    from crowdlog.measure.log_arrays import Impressions
    from crowdlog.release.folder import Release
    from crowdlog.release.publish import note_looks
    from crowdlog.release.same_source import check_source

    releases = [release] if isinstance(release, Release) else list(release)
    chosen = list(ATTACKS) if names is None else list(names)
    for name in chosen:
        if name not in ATTACKS:
            raise InputError(f"There is no attack '{name}'. There are: {', '.join(ATTACKS)}.")
    for each in releases:
        if not other_log:
            check_source(each.label, truth.info.id)
    view, person = AttackerView.of(*releases), attacker or Attacker()
    if note:
        note_looks([truth, person.auxiliary], "attack")
    known = Impressions(truth)
    return [
        getattr(importlib.import_module(f"crowdlog.attacks.{name}"), name)(view, known, person)
        for name in chosen
    ]
