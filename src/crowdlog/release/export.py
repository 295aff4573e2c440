"""A release in other formats: TSV, Parquet, and the graph of what it joins as GraphML."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import quoteattr

import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.files.spreadsheet import defused
from crowdlog.files.whole import new_folder
from crowdlog.release.folder import LABEL, Release

FORMATS = ("tsv", "parquet", "graphml")
# Tables of a graph: what its nodes are; what its edges join, by which columns.
_NODES = {"queries": "query", "words": "word", "sites": "site"}
_EDGES = {
    "clicks": (("query", "query"), ("url", "url")),
    "query_sites": (("query", "query"), ("site", "site")),
    "word_sites": (("word", "word"), ("site", "site")),
    "pairs": (("query", "query"), ("query", "next_query")),
    "word_pairs": (("word", "word"), ("word", "next_word")),
}


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
        write_delimited(table, path, "\t")
        written.append(path)
    return written


def write_delimited(table: pa.Table, path: Path, delimiter: str) -> None:
    """A table as text that a spreadsheet can open: nothing in it is run as a formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(table.column_names)
        for batch in table.to_batches(max_chunksize=65_536):
            columns = [[_cell(value) for value in column.to_pylist()] for column in batch.columns]
            writer.writerows(zip(*columns, strict=True))


def _cell(value: Any) -> Any:
    """A value as a cell: texts are no formulas, lists are texts, numbers stay."""
    shown = " | ".join(value) if isinstance(value, list) else value
    return defused(shown) if isinstance(shown, str) else shown


def _parquet(release: Release, folder: Path) -> list[Path]:
    written = []
    for name, _table in _tables(release):
        written.append(Path(shutil.copy(release.path / f"{name}.parquet", folder)))
    return written


def _graphml(release: Release, folder: Path) -> list[Path]:
    """Queries, words, sites and URLs are nodes; what joins two of them is an edge with its count."""
    if not any(name in release.tables for name in _EDGES):
        raise InputError(
            "This release has neither clicks nor pairs, so it is no graph. Export it as tsv or parquet."
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
        for name, kind in _NODES.items():
            for text, count in _columns(release.table(name), kind, "count"):
                self._node(kind, text, count)
        edges = [
            (source[0], target[0], _columns(release.table(name), source[1], target[1], "count"))
            for name, (source, target) in _EDGES.items()
        ]
        for kind, other, rows in edges:
            for source, target, _count in rows:
                self._node(kind, source, None)
                self._node(other, target, None)
        for kind, other, rows in edges:
            for source, target, count in rows:
                ends = f'source="{self.nodes[kind, source]}" target="{self.nodes[other, target]}"'
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
