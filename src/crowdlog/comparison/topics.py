"""What a release kept of each topic, where somebody says which query is about what."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.artifacts.representations import represent
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.utility.published import Published


def read_topics(path: Path) -> dict[str, str]:
    """Lines of query, tab, topic; further columns are ignored, as is a first line that names the columns. Errors never quote a line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"The topics {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The topics {path} cannot be read: it is not UTF-8 text.") from None
    rows = [line.split("\t") for line in lines]
    bad = next((number for number, row in enumerate(rows, 1) if len(row) < 2), None)
    if bad is not None:
        raise InputError(f"Line {bad} of the topics {path} must be a query, a tab and a topic.")
    if not rows:
        raise InputError(f"The topics {path} are empty.")
    return {row[0]: row[1] for row in rows[rows[0][:2] == ["query", "topic"] :]}


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
