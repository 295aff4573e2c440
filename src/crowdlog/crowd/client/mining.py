"""Mining one's own log: which artifacts a person has, and how often. It depends on her own rows only."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import representation
from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.manifest import Job, Manifest
from crowdlog.engine.log_source import LogSource, open_log
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.privacy.randomness import Randomness

EVERYTHING = Job()
Counted = tuple[int, tuple[str, ...], int]  # user, texts of an artifact, impressions
_PARTIAL = "mining.partial-"


def mine_nested(
    log: LogStore, artifact: Artifact, inner: Artifact | None, job: Job = EVERYTHING
) -> Iterator[tuple[int, list[MinedArtifact]]]:
    """Yield each user of a log with her artifacts, for a nested collection each query with its clicks or
    pairs inside.
    """
    inside: dict[tuple[int, str], list[MinedArtifact]] = defaultdict(list)
    for user, found in mine_each(log, inner, job) if inner else ():
        for item in found:
            inside[user, item.texts[0]].append(item)
    for user, found in mine_each(log, artifact, job):
        yield user, [replace(item, inner=tuple(inside.get((user, item.texts[0]), ()))) for item in found]


def mine_each(
    log: LogStore, artifact: Artifact, job: Job = EVERYTHING
) -> Iterator[tuple[int, list[MinedArtifact]]]:
    """Yield each user of a log with her artifacts of one kind, of the job's part of the log."""
    with open_log(log, artifact.representation) as source:
        if artifact.kind == "triple":
            rows = _named_triples(source, artifact, job)
        elif (
            artifact.kind == "query-visit"
        ):  # visits are the clicks of a history that was read with its trails
            rows = _named_artifacts(source, replace(artifact, kind="click"), job)
        else:
            rows = _named_artifacts(source, artifact, job)
        for user, group in groupby(rows, key=itemgetter(0)):
            yield user, [MinedArtifact(texts, impressions) for _user, texts, impressions in group]


def _named_artifacts(source: LogSource, artifact: Artifact, job: Job) -> list[Counted]:
    counted = _counted(source, source.artifacts(artifact), ["key"], job)
    keys = counted.column("key").unique().to_numpy()
    named = source.texts(artifact, keys)
    columns = [named[name].to_pylist() for name in artifact.columns]
    texts = dict(zip(keys.tolist(), zip(*columns, strict=True), strict=True))
    rows = zip(*(counted.column(name).to_pylist() for name in ("user", "key", "impressions")), strict=True)
    return [(user, texts[key], impressions) for user, key, impressions in rows]


def _named_triples(source: LogSource, artifact: Artifact, job: Job) -> list[Counted]:
    places = ["first", "second", "third"]
    counted = _counted(source, source.triples(artifact.session_minutes), places, job)
    texts = zip(
        *(source.query_texts(counted.column(name).to_numpy()).to_pylist() for name in places), strict=True
    )
    users, impressions = (counted.column(name).to_pylist() for name in ("user", "impressions"))
    return list(zip(users, texts, impressions, strict=True))


def _counted(source: LogSource, mined: Any, keys: list[str], job: Job) -> Any:
    """How often each user has each key, in the job's part of the log, ordered by user and key."""
    events = source.engine.events
    if job.log_from:
        mined = mined.semi_join(events.filter(events.time >= job.log_from), "row")
    if job.log_until:
        mined = mined.semi_join(events.filter(events.time < job.log_until), "row")
    columns = ["user", *keys]
    table = mined.group_by(columns).agg(impressions=mined.count()).to_pyarrow()
    return table.sort_by([(name, "ascending") for name in columns])


def mine_own(
    log: Path, manifest: Manifest, home: Path, randomness: Randomness, notes: Path | None = None
) -> list[MinedArtifact]:
    """Mine a log file or a log store that holds one person's searches. `notes`: what she adds to artifacts,
    where the terms ask for it.
    """
    if notes is not None and manifest.secondary != "note":
        raise InputError("This collection asks for no notes; leave --notes out.")
    found = _mined(log, manifest, home, randomness)
    return found if notes is None else _with_notes(found, read_notes(notes))


def _mined(log: Path, manifest: Manifest, home: Path, randomness: Randomness) -> list[MinedArtifact]:
    if (log / "store.json").exists():
        return _only_person(LogStore.open(log), manifest)
    _sweep(home)  # what a killed run left behind
    try:
        trails = manifest.artifact == "query-visit"
        store = import_log([log], home / f"{_PARTIAL}{randomness.bytes(8).hex()}", trails=trails)
        return _only_person(store, manifest)
    finally:
        _sweep(home)


def _sweep(home: Path) -> None:
    """Remove the store of a log that was being mined, with the file of its rejected rows."""
    for leftover in home.glob(f"{_PARTIAL}*"):
        shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()


def _only_person(log: LogStore, manifest: Manifest) -> list[MinedArtifact]:
    kinds = [Artifact(layer.artifact, manifest.representation) for layer in manifest.layers]
    people = list(mine_nested(log, kinds[0], kinds[1] if len(kinds) > 1 else None, manifest.job))
    if len(people) > 1:
        raise InputError(f"The log holds {len(people)} users; give a log of your own searches only.")
    if not people:
        return []
    found = people[0][1]
    return _with_originals(log, manifest, found) if manifest.secondary == "original" else found


def read_notes(path: Path) -> dict[tuple[str, ...], str]:
    """A person's notes: a line for each artifact, its texts and then the note, separated by tabs."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The notes in {path} cannot be read; they must be a text in UTF-8.") from error
    notes = {}
    for number, line in enumerate(lines, 1):
        *texts, note = line.split("\t")
        if line and not texts:
            raise InputError(f"Line {number} of the notes has no tab; write the artifact, a tab, the note.")
        if line:
            notes[tuple(texts)] = note
    return notes


def _with_notes(found: list[MinedArtifact], notes: dict[tuple[str, ...], str]) -> list[MinedArtifact]:
    """Notes that belong to nothing she has are refused: a wrong spelling would drop one silently."""
    unknown = len(set(notes) - {item.texts for item in found})
    if unknown:
        raise InputError(
            f"{unknown} of {len(notes)} notes belong to no artifact of this log; write artifacts as 'mine' "
            "shows them."
        )
    return [replace(item, beside=notes.get(item.texts, "")) for item in found]


def _with_originals(log: LogStore, manifest: Manifest, found: list[MinedArtifact]) -> list[MinedArtifact]:
    """Each query with the text she wrote most often for it, of equals the first in order."""
    texts: dict[str, Counter[str]] = defaultdict(Counter)
    represented = representation(manifest.representation)
    for _user, written in mine_each(log, Artifact("query"), manifest.job):
        for item in written:
            texts[represented(item.texts[0])][item.texts[0]] += item.impressions

    def usual(name: str) -> str:
        return min(texts[name].items(), key=lambda one: (-one[1], one[0]))[0] if texts[name] else ""

    return [replace(item, beside=usual(item.texts[0])) for item in found]
