"""Mining one's own log: which artifacts a person has, and how often. It depends on her own rows only."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.artifact import TEXTS, MinedArtifact
from crowdlog.crowd.manifest import Manifest
from crowdlog.engine.log_source import open_log
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.privacy.randomness import Randomness

_PARTIAL = "mining.partial-"


def mine_nested(
    log: LogStore, artifact: Artifact, inner: Artifact | None
) -> Iterator[tuple[int, list[MinedArtifact]]]:
    """Yield each user of a log with her artifacts, for a nested collection each query with its clicks or
    pairs inside.
    """
    inside: dict[tuple[int, str], list[MinedArtifact]] = defaultdict(list)
    for user, found in mine_each(log, inner) if inner else ():
        for item in found:
            inside[user, item.texts[0]].append(item)
    for user, found in mine_each(log, artifact):
        yield user, [replace(item, inner=tuple(inside.get((user, item.texts[0]), ()))) for item in found]


def mine_each(log: LogStore, artifact: Artifact) -> Iterator[tuple[int, list[MinedArtifact]]]:
    """Yield each user of a log with her artifacts of one kind."""
    with open_log(log, artifact.representation) as source:
        mined = source.artifacts(artifact)
        counted = (
            mined.group_by(["user", "key"])
            .agg(impressions=mined.count())
            .to_pyarrow()
            .sort_by([("user", "ascending"), ("key", "ascending")])
        )
        keys = counted.column("key").unique().to_numpy()
        named = source.texts(artifact, keys)
        columns = [named[name].to_pylist() for name in TEXTS[artifact.table]]
        texts = dict(zip(keys.tolist(), zip(*columns, strict=True), strict=True))
        rows = zip(
            *(counted.column(name).to_pylist() for name in ("user", "key", "impressions")), strict=True
        )
        for user, group in groupby(rows, key=itemgetter(0)):
            yield user, [MinedArtifact(texts[key], impressions) for _user, key, impressions in group]


def mine_own(log: Path, manifest: Manifest, home: Path, randomness: Randomness) -> list[MinedArtifact]:
    """Mine a log file or a log store that holds one person's searches."""
    if (log / "store.json").exists():
        return _only_person(LogStore.open(log), manifest)
    _sweep(home)  # what a killed run left behind
    try:
        return _only_person(import_log([log], home / f"{_PARTIAL}{randomness.bytes(8).hex()}"), manifest)
    finally:
        _sweep(home)


def _sweep(home: Path) -> None:
    """Remove the store of a log that was being mined, with the file of its rejected rows."""
    for leftover in home.glob(f"{_PARTIAL}*"):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def _only_person(log: LogStore, manifest: Manifest) -> list[MinedArtifact]:
    kinds = [Artifact(layer.artifact, manifest.representation) for layer in manifest.layers]
    people = list(mine_nested(log, kinds[0], kinds[1] if len(kinds) > 1 else None))
    if len(people) > 1:
        raise InputError(f"The log holds {len(people)} users; give a log of your own searches only.")
    return people[0][1] if people else []
