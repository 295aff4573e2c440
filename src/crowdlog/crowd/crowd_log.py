"""The crowd log of a collection as a release: a table for each of its layers, the label, the explanation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crowdlog.crowd.artifact import TEXTS, Counted, texts_of
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.publication import decide, policies_of, together
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.explain import explain, label_page
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import make_label
from crowdlog.release.page import release_page
from crowdlog.release.promise import Promise, Protected, Setting

# A collection is published once and its reports are deleted: there is no ledger to charge.
_NO_CHARGE = 0
_UNITS = {"users": "artifacts", "impressions": "impressions"}
_NO_GUARANTEE = "No formal guarantee: whoever knows enough about a person can learn more from this release."
_MODEL = {
    "model_name": "Distributed",
    "model_name_description": "People keep their logs; an artifact can be read only when k of them sent it, through mixes that hide who.",
    "release_type": "Static",
    "is_interactive": False,
}


def write_crowd_log(
    manifest: Manifest,
    opened: Sequence[Sequence[Counted]],
    out: Path,
    randomness: Randomness,
    *,
    smallest_batch: int,
) -> Release:
    """Apply the policy of each layer to what was opened of it and write the release folder."""
    layers, policies = manifest.layers, policies_of(manifest)
    decisions = [
        decide(policy, manifest, layer, groups, randomness)
        for policy, layer, groups in zip(policies, layers, opened, strict=True)
    ]
    promise = together([decision.promise for decision in decisions])
    names = [plan.name for plan in promise.tables]
    tables = {name: _table(name, decision.kept) for name, decision in zip(names, decisions, strict=True)}
    protected = Protected(tables, _notes(manifest, promise, smallest_batch))
    label = make_label(
        policies[0],
        promise,
        protected,
        source=f"crowd collection {manifest.id}",
        charge=_NO_CHARGE,
        private=randomness.private,
        warnings=[] if promise.guarantee.protects else [_NO_GUARANTEE],
    )
    label["model"] = _MODEL
    if len(policies) > 1:
        label["name"] = f"crowdlog release by {' and '.join(type(policy).__name__ for policy in policies)}"
        label["implementation"]["mechanism"] = label["crowdlog"]["mechanism"] = " and ".join(
            map(repr, policies)
        )
    pages = {
        "label.md": label_page(label),
        "explanation.md": explain(label),
        "index.html": release_page(label, protected.tables),
    }
    return write_folder(out, protected.tables, label, pages)


def _notes(manifest: Manifest, promise: Promise, smallest_batch: int) -> dict[str, Setting]:
    notes: dict[str, Setting] = {
        "collection": manifest.id,
        "k": manifest.collection.k,
        "most_of_one_person": f"{manifest.limit} {_UNITS[manifest.count]}",
    }
    if manifest.inner_artifact:
        notes |= {
            "inner_k": manifest.collection.inner_k,
            "most_inside_one_query": manifest.collection.inner_slots,
        }
    # how the traffic happened to fall into batches is not covered by a noisy policy's promise
    if not promise.guarantee.protects:
        notes["smallest_batch"] = smallest_batch
    return notes


def _table(name: str, kept: Sequence[tuple[Counted, dict[str, int]]]) -> Any:
    """Texts and numbers: most frequent first, ties by text."""
    import pyarrow as pa

    texts = TEXTS[name]
    rows = [
        (found, row) for group, row in kept if (found := texts_of(group.artifact, len(texts))) is not None
    ]
    columns: dict[str, Any] = {
        text: pa.array([found[i] for found, _row in rows], pa.string()) for i, text in enumerate(texts)
    }
    numbers = list(kept[0][1]) if kept else ["count"]
    columns |= {number: pa.array([row[number] for _found, row in rows], pa.int64()) for number in numbers}
    return pa.table(columns).sort_by([("count", "descending"), *((text, "ascending") for text in texts)])
