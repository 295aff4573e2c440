"""What a release kept of each topic, where somebody says which query is about what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.artifacts.representations import represent
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.measure.released import shown_queries
from crowdlog.release.folder import Release
from crowdlog.utility.published import Published


def read_topics(path: Path) -> dict[str, str]:
    """The topic of each query.

    Lines of query, tab, topic; further columns are ignored, as is a first line of names.
    """
    lines = read_query_file(path, "file of topics", {"query": "a query", "topic": "a topic"}, more=True)
    return dict(zip(lines["query"].to_pylist(), lines["topic"].to_pylist(), strict=True))


def kept_by_topic(release: Release, log: LogStore, path: Path) -> list[dict[str, Any]]:
    """Of each topic: how many of the log's different queries there are, and how many the release shows.

    Queries are compared as the release writes them. Of the topic 'school/teaching' the first part counts.
    """
    topics = read_topics(path)
    texts = [text for text in map(str, pq.read_table(log.queries())["text"].to_pylist()) if text in topics]
    if not texts:
        raise InputError(f"No query of the log is in the topics {path}: make them for this log.")
    written = pa.array(represent(texts, Published.of(release.label).representation), pa.string())
    published = shown_queries({name: release.table(name) for name in release.tables})
    shown = pc.is_in(written, value_set=published).to_pylist()
    of_topic = [topics[text].split("/")[0] for text in texts]
    there = Counter(of_topic)
    kept = Counter(topic for topic, seen in zip(of_topic, shown, strict=True) if seen)
    return [{"from": topic, "in_log": there[topic], "kept": kept[topic]} for topic in sorted(there) if topic]
