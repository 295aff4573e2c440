"""Publishing a collection: open the groups of k people and what is inside them, apply the policy, write the
crowd log, delete every report.

The work is done in the background and is safe to repeat: until the crowd log has its final name nothing of it
was seen, and once it has, only the deletion remains.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from crowdlog.crowd.artifact import OpenedArtifact, opened_artifact
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.credential import IssuerKey
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.crowd.crypto.opening import largest_per_artifact, open_group
from crowdlog.crowd.crypto.report import Report, check_report
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.background import Pulse
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.identity import Identity
from crowdlog.crowd.write_release import write_crowd_log
from crowdlog.errors import CrowdlogError
from crowdlog.privacy.randomness import Randomness

LOGGER = logging.getLogger(__name__)
_RETRY_SECONDS = 2.0
_AFTER_FAILURE_SECONDS = 10.0  # opening groups again costs time


class Publisher:
    """Publishes collections one after the other, off the request path."""

    def __init__(
        self, store: CollectionStore, identity: Identity, folder: Path, randomness: Randomness
    ) -> None:
        self.pulse = Pulse("publishing", folder)
        self._store = store
        self._identity = identity
        self._randomness = randomness
        self._wake = asyncio.Event()
        self._releases = folder / "releases"
        self._releases.mkdir(exist_ok=True)

    def folder_of(self, collection_id: str) -> Path:
        return self._releases / collection_id

    def wake(self) -> None:
        self._wake.set()

    async def work(self) -> None:
        """Publish whatever is to be published, until cancelled."""
        while True:
            with self.pulse.heard():
                await run_in_threadpool(self._try_all)
            self.pulse.beat()
            pause = _AFTER_FAILURE_SECONDS if self.pulse.failing else _RETRY_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), pause)
            self._wake.clear()

    def _try_all(self) -> None:
        """Publish all that wait.

        What a full disk, a lost database or an error of ours stops is tried again later, and does not keep
        the others waiting.
        """
        try:
            waiting = self._store.in_phase("publishing")
        except CrowdlogError:
            return
        for collection_id in waiting:
            with self.pulse.heard():
                try:
                    self.publish(collection_id)
                except (CrowdlogError, OSError) as error:
                    LOGGER.warning(
                        "A crowd log is not published yet: %s",
                        error if isinstance(error, CrowdlogError) else error.strerror,
                    )
                    raise

    def publish(self, collection_id: str) -> None:
        """Publish one collection whose uploads have ended, unless another worker is about it."""
        with self._store.claim(collection_id) as mine:
            phase, manifest = self._store.find(collection_id)
            if not mine or phase != "publishing":
                return
            if not self.folder_of(collection_id).exists():
                self._open_and_write(collection_id, manifest)
            self._identity.destroy_issuer(manifest.collection.report_issuer)
            self._store.finish(collection_id)

    def _open_and_write(self, collection_id: str, manifest: Manifest) -> None:
        levels = range(manifest.collection.levels)
        opened = [self._opened(collection_id, manifest, level) for level in levels]
        joined = self._store.counts(collection_id)["joined"]
        statistics = self._store.statistics(collection_id)
        write_crowd_log(
            manifest, opened, self.folder_of(collection_id), self._randomness, joined=joined, mixes=statistics
        )

    def _opened(self, collection_id: str, manifest: Manifest, level: int) -> list[OpenedArtifact]:
        """Open the groups of a level, one in memory at a time; what is inside them is checked and stored for
        the next level.
        """
        collection = manifest.collection
        issuer = self._identity.issuer(collection.report_issuer)
        readable = []
        for group in self._store.groups(collection_id, collection.bar(level), level):
            opened = open_group([Report.parse(report) for report in group], collection)
            if opened is None:
                continue
            readable.append(
                opened_artifact(opened, manifest.limit, manifest.count, text=bool(manifest.secondary))
            )
            inside = [report for report in opened.inner if _good(report, collection, issuer)]
            if inside:
                self._store.keep_inner(collection_id, inside)
        return largest_per_artifact(readable)


def _good(report: Report, collection: Collection, issuer: IssuerKey) -> bool:
    """Whether a report that was inside another is one of level 1 with a credential of its own."""
    try:
        check_report(report, collection, issuer, level=1)
    except ReportError:
        return False
    return True
