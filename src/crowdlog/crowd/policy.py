"""The last step of a collection: a mechanism decides which opened artifacts are published, and the crowd log is written with its label.

FTu publishes every opened artifact that enough people sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import TEXTS, impressions_of, texts_of
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.explain import explain, label_page
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import make_label
from crowdlog.release.promise import Promise, Protected, Setting

if TYPE_CHECKING:
    from crowdlog.mechanisms.frequency import FTu

_COLLUSION = "The randomness server and the aggregation server together can test guesses of artifacts below the threshold (docs/threat-model.md)."
_SIBYLS = "Whoever holds k − 1 invitations can find out whether one more person has an artifact that he guessed."
_SIZES = "The aggregation server sees how many people share each artifact it cannot read."
# A collection is published once and its reports are deleted: there is no ledger to charge.
_NO_CHARGE = 0
_MODEL = {
    "model_name": "Distributed",
    "model_name_description": "People keep their logs; an artifact can be read only when k of them sent it, through mixes that hide who.",
    "release_type": "Static",
    "is_interactive": False,
}


def policy_of(manifest: Manifest) -> FTu:
    """Return the mechanism a collection is published with; it must fit what the collection can open."""
    # The mechanisms bring the counting engine, which a server needs only when it creates or publishes.
    from crowdlog.mechanisms import parse
    from crowdlog.mechanisms.frequency import FTu

    policy = parse(manifest.policy)
    if not isinstance(policy, FTu):
        raise InputError(f"A collection is published with FTu; got {type(policy).__name__}.")
    if policy.k < manifest.collection.k or (policy.artifact, policy.representation) != (manifest.artifact, manifest.representation):
        raise InputError(
            f"The policy must be of the collection's own artifact and representation with k of at least {manifest.collection.k}: "
            f"FTu(k={manifest.collection.k}, artifact={manifest.artifact!r}, representation={manifest.representation!r})."
        )
    return policy


def write_crowd_log(manifest: Manifest, opened: Sequence[Opened], out: Path, randomness: Randomness, *, smallest_batch: int) -> Release:
    """Apply the policy to what was opened and write the release folder."""
    policy = policy_of(manifest)
    kept = [group for group in opened if group.people >= policy.k]
    table = _table(manifest, kept)
    promise = _promise(policy.promise(), manifest)
    notes: dict[str, Setting] = {
        "collection": manifest.id,
        "k": manifest.collection.k,
        "most_artifacts_per_person": manifest.limit,
        "smallest_batch": smallest_batch,
    }
    protected = Protected({Artifact(manifest.artifact).table: table}, notes)
    source = f"crowd collection {manifest.id}"
    label = make_label(policy, promise, protected, source=source, charge=_NO_CHARGE, private=randomness.private, warnings=[])
    label["model"] = _MODEL
    return write_folder(out, _NO_CHARGE, protected.tables, label, {"label.md": label_page(label), "explanation.md": explain(label)})


def _promise(promise: Promise, manifest: Manifest) -> Promise:
    """The mechanism's own promise, and what collecting adds to it."""
    return replace(promise, counts=manifest.count, unprotected=(*promise.unprotected, _COLLUSION, _SIBYLS, _SIZES))


def _table(manifest: Manifest, kept: Sequence[Opened]) -> Any:
    """Texts, count, and (beside impressions) users: most frequent first, ties by text."""
    import pyarrow as pa

    names = TEXTS[Artifact(manifest.artifact).table]
    named = [(texts, group) for group in kept if (texts := texts_of(group.artifact, len(names))) is not None]
    columns: dict[str, Any] = {name: pa.array([texts[i] for texts, _group in named], pa.string()) for i, name in enumerate(names)}
    users = pa.array([group.people for _texts, group in named], pa.int64())
    if manifest.count == "users":
        table = pa.table({**columns, "count": users})
    else:
        table = pa.table({**columns, "count": pa.array([impressions_of(group) for _texts, group in named], pa.int64()), "users": users})
    return table.sort_by([("count", "descending"), *((name, "ascending") for name in names)])
