"""What a release kept of each topic, where somebody says which query is about what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.artifacts.representations import represent
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.utility.published import Published


def read_topics(path: Path) -> dict[str, str]:
    """The topic of each query. Lines of query, tab, topic; further columns are ignored, as is a first line of names."""
    columns = {"query": "a query", "topic": "a topic"}
    lines = read_query_file(path, "file of topics", columns, more=True)
    return dict(zip(lines["query"].to_pylist(), lines["topic"].to_pylist(), strict=True))


def kept_by_topic(release: Release, log: LogStore, path: Path) -> list[dict[str, Any]]:
    """Of each topic: how many of the log's different queries there are, and how many the release shows, as it writes them.

    Of 'school/teaching' the first part.
    """
    import pyarrow.parquet as pq

    topics = read_topics(path)
    texts = pq.read_table(log.queries())["text"].combine_chunks()
    of_topic = [topics.get(text, "").split("/")[0] for text in map(str, texts.to_pylist())]
    written = represent(map(str, texts.to_pylist()), Published.of(release.label).representation)
    shown = pc.is_in(pa.array(written, pa.string()), value_set=published_queries(release)).to_pylist()
    there, kept = Counter(of_topic), Counter(topic for topic, seen in zip(of_topic, shown, strict=True) if seen)
    if set(there) <= {""}:
        raise InputError(f"No query of the log is in the topics {path}: make them for this log.")
    return [{"from": topic, "in_log": there[topic], "kept": kept[topic]} for topic in sorted(there) if topic]


def published_queries(release: Release) -> Any:
    """Every query text that some table of the release shows."""
    found: list[Any] = [pa.array([], pa.string())]
    for name in release.tables:
        table: Any = release.table(name)
        found += [table[column].combine_chunks().cast(pa.string()) for column in ("query", "next_query") if column in table.column_names]
        if "sequence" in table.column_names:
            found.append(table["sequence"].combine_chunks().flatten().cast(pa.string()))
    return pa.concat_arrays(found).unique()
