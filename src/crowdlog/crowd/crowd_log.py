"""The crowd log of a collection as a release: one table, its label, its explanation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import TEXTS, texts_of
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.policy import Decision, decide, policy_of
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.explain import explain, label_page
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import make_label
from crowdlog.release.promise import Protected, Setting

# A collection is published once and its reports are deleted: there is no ledger to charge.
_NO_CHARGE = 0
_NO_GUARANTEE = "No formal guarantee: whoever knows enough about a person can learn more from this release."
_MODEL = {
    "model_name": "Distributed",
    "model_name_description": "People keep their logs; an artifact can be read only when k of them sent it, through mixes that hide who.",
    "release_type": "Static",
    "is_interactive": False,
}


def write_crowd_log(manifest: Manifest, opened: Sequence[Opened], out: Path, randomness: Randomness, *, smallest_batch: int) -> Release:
    """Apply the policy to what was opened and write the release folder."""
    decision = decide(manifest, opened, randomness)
    exact = decision.promise.guarantee.kind == "none"
    notes: dict[str, Setting] = {"collection": manifest.id, "k": manifest.collection.k, "most_artifacts_per_person": manifest.limit}
    if exact:  # how the traffic happened to fall into batches is not covered by a noisy policy's promise
        notes["smallest_batch"] = smallest_batch
    protected = Protected({Artifact(manifest.artifact).table: _table(manifest, decision)}, notes)
    label = make_label(
        policy_of(manifest),
        decision.promise,
        protected,
        source=f"crowd collection {manifest.id}",
        charge=_NO_CHARGE,
        private=randomness.private,
        warnings=[_NO_GUARANTEE] if exact else [],
    )
    label["model"] = _MODEL
    return write_folder(out, _NO_CHARGE, protected.tables, label, {"label.md": label_page(label), "explanation.md": explain(label)})


def _table(manifest: Manifest, decision: Decision) -> Any:
    """Texts and numbers: most frequent first, ties by text."""
    import pyarrow as pa

    names = TEXTS[Artifact(manifest.artifact).table]
    numbers = ("count", "users") if manifest.count == "impressions" else ("count",)
    named = [(texts, row) for group, row in decision.kept if (texts := texts_of(group.artifact, len(names))) is not None]
    columns: dict[str, Any] = {name: pa.array([texts[i] for texts, _row in named], pa.string()) for i, name in enumerate(names)}
    columns |= {name: pa.array([row[name] for _texts, row in named], pa.int64()) for name in numbers}
    return pa.table(columns).sort_by([("count", "descending"), *((name, "ascending") for name in names)])
