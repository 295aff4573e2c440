"""A release described for catalogues of data sets: Croissant metadata (1.0) and a dataset card."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from crowdlog.number_format import rounded_up
from crowdlog.release.folder import Release
from crowdlog.release.meaning import meaning_for_one_person

# The vocabulary of the format, as its specification prescribes it.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_TYPES = {"int": "sc:Integer", "float": "sc:Float", "double": "sc:Float", "bool": "sc:Boolean"}


def croissant(release: Release, files: dict[str, Path], name: str, creator: str, licence: str) -> str:
    """JSON-LD that tells the files of a release and their columns. `files`: table → its Parquet file."""
    label = release.label
    told = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": f"{label.description}. {meaning_for_one_person(label.promise.guarantee)}",
        "creator": {"@type": "sc:Organization", "name": creator},
        "datePublished": label.date,
        "version": "1.0.0",
        "license": licence,
        "url": "index.html",
        "citeAs": f"{creator}: {name}, {label.date}.",
        "distribution": [_file(table, path) for table, path in files.items()],
        "recordSet": [_records(release, table) for table in files],
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _file(table: str, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": f"{table}.parquet",
        "name": f"{table}.parquet",
        "contentUrl": path.name,
        "encodingFormat": "application/x-parquet",
        "sha256": digest,
    }


def _records(release: Release, table: str) -> dict[str, Any]:
    schema = release.table(table)
    if schema is None:
        raise KeyError(table)
    return {
        "@type": "cr:RecordSet",
        "@id": table,
        "name": table,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{table}/{column.name}",
                "name": column.name,
                "dataType": _type(str(column.type)),
                "repeated": str(column.type).startswith(("list", "large_list")),
                "source": {
                    "fileObject": {"@id": f"{table}.parquet"},
                    "extract": {"column": column.name},
                },
            }
            for column in schema.schema
        ],
    }


def _type(kind: str) -> str:
    return next((name for start, name in _TYPES.items() if kind.startswith(start)), "sc:Text")


def dataset_card(release: Release, name: str, creator: str, licence: str) -> str:
    """README.md as hubs of data sets show it."""
    label = release.label
    guarantee = label.promise.guarantee
    rows = "\n".join(f"| {table} | {count:,} |" for table, count in label.tables.items())
    uncovered = "\n".join(f"- {line}" for line in label.promise.unprotected)
    front = {"license": licence, "pretty_name": name, "tags": ["search-logs", "differential-privacy"]}
    head = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in front.items())
    return f"""---
{head}
---
# {name}

Published by {creator} on {label.date} with `{" and ".join(label.mechanisms)}`.

{meaning_for_one_person(guarantee)}

ε = {rounded_up(guarantee.epsilon)}, δ = {rounded_up(guarantee.delta)} ({guarantee.kind}).

| table | rows |
|---|---|
{rows}

## Not covered by the promise

{uncovered}

The whole label: label.json, in words: label.md.
"""
