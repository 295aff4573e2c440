"""What collections of the same people cost them together: ε and δ add up.

Two who can keep count without naming anybody do: the operator of a panel, who asks the same people again, and
each member for herself. Both keep a ledger as the owner of a log does; a collection is charged before
anything is asked of anybody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.ledger import Ledger

OWN_ACCOUNT = "account.sqlite"
OWN_LIMIT = (10.0, 1e-5)  # of a member who has set none: beyond ε = 10 nothing worth the name is promised
_HEAD = ".head"  # the last line that was seen lies beside the ledger


@contextmanager
def open_account(path: Path, name: str, *, begin: bool = False) -> Iterator[Ledger]:
    """The ledger of the people of this name. `begin`: there is none yet; one that is missing is never begun
    by the way, since a misspelt name would have nothing spent.
    """
    source, head = hashlib.sha256(name.encode()).hexdigest(), path.with_name(path.name + _HEAD)
    if not path.exists():
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent} to keep the ledger in.")
        if head.exists():
            raise InputError(
                f"The ledger {path} was deleted, so nobody can tell what was spent. Put its newest copy "
                f"back. If it is lost, remove {head} and set a limit that is lower by what was spent."
            )
        if not begin:
            raise InputError(
                f"There is no ledger {path}. Is its name misspelt? If nothing was asked of these people yet, "
                f"begin it: crowdlog crowd panel {path} --new-ledger --epsilon E --delta D"
            )
    if begin:
        Ledger.create(path, source, name, head)
    with Ledger.open(path, source, name, head) as ledger:
        yield ledger


@contextmanager
def own_account(home: Path) -> Iterator[Ledger]:
    """A member's account of what she took part in."""
    path = home / OWN_ACCOUNT
    with open_account(path, "own account", begin=not path.exists()) as ledger:
        if ledger.budget() is None:
            ledger.set_budget(*OWN_LIMIT)
        yield ledger


def charge(ledger: Ledger, manifest: Manifest, *, allow_unprotected: bool) -> None:
    """Charge a collection, once however often it is asked for; refused where the budget does not hold it."""
    if any(entry.out == manifest.id for entry in ledger.entries()):
        return
    spelled = " and ".join(layer.policy for layer in manifest.layers)
    ledger.charge(guarantee_of(manifest), spelled, manifest.id, allow_unprotected=allow_unprotected)


def guarantee_of(manifest: Manifest) -> Guarantee:
    """What publishing this collection promises each of its members."""
    from crowdlog.crowd.publication import policies_of, promise_of_layer, together

    promises = [
        promise_of_layer(policy, manifest, layer)
        for policy, layer in zip(policies_of(manifest), manifest.layers, strict=True)
    ]
    return together(promises).guarantee
