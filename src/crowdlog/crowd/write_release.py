"""The crowd log of a collection as a release: a table for each of its layers, the label, the explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crowdlog.crowd.artifact import TEXTS, OpenedArtifact, decode_texts
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.publication import beside_published, decide_layer, policies_of, together
from crowdlog.privacy.randomness import Randomness
from crowdlog.release.assemble import assemble
from crowdlog.release.folder import Release, write_folder
from crowdlog.release.label import Model
from crowdlog.release.promise import Promise, Protected, Setting

_UNITS = {"users": "artifacts", "impressions": "impressions"}
_NO_GUARANTEE = "No formal guarantee: whoever knows enough about a person can learn more from this release."
DISTRIBUTED = Model(
    "Distributed",
    "People keep their logs; an artifact can be read only when k of them sent it, through mixes that hide "
    "who.",
)


def write_crowd_log(
    manifest: Manifest,
    opened: Sequence[Sequence[OpenedArtifact]],
    out: Path,
    randomness: Randomness,
    *,
    joined: int,
    mixes: Sequence[Mapping[str, Any]],
) -> Release:
    """Apply the policy of each layer to what was opened of it and write the release folder.

    `mixes`: what each mix signed of its batches.
    """
    layers, policies = manifest.layers, policies_of(manifest)
    decisions = [
        decide_layer(policy, manifest, layer, groups, randomness)
        for policy, layer, groups in zip(policies, layers, opened, strict=True)
    ]
    if manifest.inner_artifact:
        decisions[1:] = [beside_published(*decisions)]
    promise = together([decision.promise for decision in decisions])
    names = [plan.name for plan in promise.tables]
    beside = (manifest.secondary, manifest.collection.k)  # alike from as many people as the artifact needs
    tables = {
        name: _table(name, decision.kept, beside) for name, decision in zip(names, decisions, strict=True)
    }
    protected = Protected(tables, _notes(manifest, promise, joined, mixes))
    # A collection is published once and its reports are deleted: there is no ledger to charge.
    draft = assemble(
        policies,
        promise,
        protected,
        randomness,
        source=f"crowd collection {manifest.id}",
        warnings=[] if promise.guarantee.protects else [_NO_GUARANTEE],
        model=DISTRIBUTED,
    )
    return write_folder(out, draft)


def _notes(
    manifest: Manifest, promise: Promise, joined: int, mixes: Sequence[Mapping[str, Any]]
) -> dict[str, Setting]:
    notes: dict[str, Setting] = {
        "collection": manifest.id,
        "k": manifest.collection.k,
        "smallest_crowd": manifest.smallest_crowd,
        "most_of_one_person": f"{manifest.limit} {_UNITS[manifest.count]}",
    }
    if manifest.inner_artifact:
        notes |= {
            "inner_k": manifest.collection.inner_k,
            "most_inside_one_query": manifest.collection.inner_slots,
        }
    # how many joined and how the traffic fell into batches is not covered by a noisy policy's promise
    if not promise.guarantee.protects:
        notes["joined"] = joined
        for number, mix in enumerate(mixes, 1):
            notes[f"mix_{number}"] = (
                f"{mix['owner']}: {mix['passed']} envelopes in {mix['batches']} batches, "
                f"the smallest of {mix['smallest_batch']}; {mix['rejected']} rejected, {mix['refused']} "
                "refused"
            )
    return notes


def _table(name: str, kept: Sequence[tuple[OpenedArtifact, dict[str, int]]], beside: tuple[str, int]) -> Any:
    """Texts and numbers: most frequent first, ties by text.

    `beside`: the column of the text that most senders sent along, and how many of them must have.
    """
    import pyarrow as pa

    texts = TEXTS[name]
    readable = [(group, row, decode_texts(group.artifact, len(texts))) for group, row in kept]
    rows = [(found, row) for _group, row, found in readable if found is not None]
    groups = [group for group, _row, found in readable if found is not None]
    columns: dict[str, Any] = {
        text: pa.array([found[i] for found, _row in rows], pa.string()) for i, text in enumerate(texts)
    }
    numbers = list(kept[0][1]) if kept else ["count"]
    columns |= {number: pa.array([row[number] for _found, row in rows], pa.int64()) for number in numbers}
    column, least = beside
    if column:
        sent = [group.beside if group.beside_people >= least else "" for group in groups]
        columns[column] = pa.array(sent, pa.string())
    return pa.table(columns).sort_by([("count", "descending"), *((text, "ascending") for text in texts)])
