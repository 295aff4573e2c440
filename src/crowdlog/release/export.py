"""A release in other formats: TSV, Parquet, and the query–click graph as GraphML."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import quoteattr

import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.files.whole import new_folder
from crowdlog.release.folder import LABEL, Release

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
FORMATS = ("tsv", "parquet", "graphml")


def export(release: Release, out: str | Path, format: str) -> list[Path]:  # noqa: A002 - the option's name
    """Write all tables of the release to the folder `out` (GraphML: one file). The label goes along."""
    target = Path(out)
    writers: dict[str, Callable[[Release, Path], list[Path]]] = {
        "tsv": _tsv,
        "parquet": _parquet,
        "graphml": _graphml,
    }
    try:
        with new_folder(target) as folder:
            written = writers[format](release, folder)
            shutil.copy(release.path / LABEL, folder)
    except OSError as error:
        raise InputError(f"The export could not be written to {target}: {error.strerror}.") from None
    return [target / path.name for path in written]


def _tables(release: Release) -> list[tuple[str, pa.Table]]:
    return [(name, table) for name in release.tables if (table := release.table(name)) is not None]


def _tsv(release: Release, folder: Path) -> list[Path]:
    written = []
    for name, table in _tables(release):
        path = folder / f"{name}.tsv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter="\t", lineterminator="\n")
            writer.writerow(table.column_names)
            for batch in table.to_batches(max_chunksize=65_536):
                columns = [
                    [_defused(" | ".join(v) if isinstance(v, list) else v) for v in column.to_pylist()]
                    for column in batch.columns
                ]
                writer.writerows(zip(*columns, strict=True))
        written.append(path)
    return written


def _defused(value: Any) -> Any:
    """A spreadsheet runs what begins like a formula: an apostrophe makes it a text. Numbers stay."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _parquet(release: Release, folder: Path) -> list[Path]:
    written = []
    for name, _table in _tables(release):
        written.append(Path(shutil.copy(release.path / f"{name}.parquet", folder)))
    return written


def _graphml(release: Release, folder: Path) -> list[Path]:
    """Queries and URLs are nodes; clicks and reformulations are edges with their counts."""
    if release.clicks() is None and release.pairs() is None:
        raise InputError(
            "This release has neither clicks nor query pairs, so it is no graph. Export it as tsv or parquet."
        )
    path = folder / "graph.graphml"
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n<graphml '
            'xmlns="http://graphml.graphdrawing.org/xmlns">\n'
            '<key id="text" for="node" attr.name="text" attr.type="string"/>\n<key id="kind" for="node" '
            'attr.name="kind" attr.type="string"/>\n'
            '<key id="searched" for="node" attr.name="count" attr.type="long"/>\n<key id="count" for="edge" '
            'attr.name="count" attr.type="long"/>\n'
            '<graph edgedefault="directed">\n'
        )
        _Graph(file).write(release)
        file.write("</graph>\n</graphml>\n")
    return [path]


class _Graph:
    """Writes nodes once each, then edges."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file
        self.nodes: dict[tuple[str, str], str] = {}

    def write(self, release: Release) -> None:
        for query, count in _columns(release.queries(), "query", "count"):
            self._node("query", query, count)
        edges = [
            ("url", _columns(release.clicks(), "query", "url", "count")),
            ("query", _columns(release.pairs(), "query", "next_query", "count")),
        ]
        for kind, rows in edges:
            for source, target, _count in rows:
                self._node("query", source, None)
                self._node(kind, target, None)
        for kind, rows in edges:
            for source, target, count in rows:
                ends = f'source="{self.nodes["query", source]}" target="{self.nodes[kind, target]}"'
                self.file.write(f'<edge {ends}><data key="count">{count}</data></edge>\n')

    def _node(self, kind: str, text: str, count: int | None) -> None:
        if (kind, text) in self.nodes:
            return
        name = self.nodes[kind, text] = f"n{len(self.nodes)}"
        shown = quoteattr(_printable(text))[1:-1]
        data = f'<data key="kind">{kind}</data><data key="text">{shown}</data>'
        self.file.write(
            f'<node id="{name}">{data}'
            + (f'<data key="searched">{count}</data>' if count is not None else "")
            + "</node>\n"
        )


def _printable(text: str) -> str:
    """XML cannot hold control characters at all."""
    return "".join(c if c >= " " and c not in "\ufffe\uffff" else "\ufffd" for c in text)


def _columns(table: pa.Table | None, *names: str) -> list[Any]:
    """These columns as rows; none when there is no table."""
    return [] if table is None else list(zip(*(table[name].to_pylist() for name in names), strict=True))
