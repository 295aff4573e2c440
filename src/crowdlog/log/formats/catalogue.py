"""The formats as a page: each says in its own module what it is."""

from __future__ import annotations

import importlib

from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats.exports import table

_HEAD = """# Formats

Which search logs `crowdlog import` reads. Made by `crowdlog formats --markdown`; do not edit.

```sh
crowdlog import LOG -o STORE                     # recognised from the first lines
crowdlog import LOG -o STORE --yes               # columns guessed by their names, without asking
crowdlog import LOG -o STORE --columns user=cookie,query=q,time=ts,url=clicked
zcat LOG.gz | crowdlog import - -o STORE         # also pipes, https:// and s3:// (gs://, hdfs://) addresses
```

- **Columns.** `user` and `query` are needed; without `time` only mechanisms that need no order can be
  used (`Korolova`, not `Crowd` with pairs); `rank` and `url` make clicks. Fields inside fields are named by
  their path: `client.id`, `hits[0].url`. A column that is named but not there is refused in every format;
  one that looks like a misspelt one (`ulr`) is asked about, and columns that are not read are told.
- **What is shown.** Names of columns and counts, never a value. Where the first line may be a row, not even
  names.
- **Times.** The spelling is found from the first rows and holds for the file; a time without zone is UTC.
  Where day and month could be exchanged, or rows of one user alone would tell them apart for all, nothing
  is guessed: `--time-format '%d/%m/%Y %H:%M'` says it (`s`, `ms`, `us`, `ns` are numbers since 1970).
- **Encodings.** UTF-8; UTF-16, Latin-1 and Windows-1252 are recognised and said; `--encoding` says another.
  Lines end with a newline, with both marks, or with a carriage return alone.
- **Nothing there.** `NULL`, `none`, `-` and their like are no user (such rows are set aside), no address and
  no rank; a rank of `1.0` is 1.
- **JSON.** A record in which a field of a role stands twice is set aside: of two readers each may take
  another. Records around lists of searches are refused: export one record per search.
- **Files.** Plain, `.gz` or `.zst`, many at once, folders as Spark and Hive write them: `_SUCCESS` and empty
  parts are passed over, `day=2024-01-31` in a folder's name is a column.
- **Who is a user?** The promise protects what the user column names. A session id protects a visit, an
  address a household; the import says so.

## Exports

Options are those needed besides `crowdlog import LOG -o STORE`.

"""


def describe() -> dict[str, str]:
    """What each format is, by its name."""
    found = {}
    for name, module in FORMATS.items():
        text = importlib.import_module(f"crowdlog.log.formats.{module}").__doc__ or ""
        found[name] = " ".join(text.split())
    return found


def page() -> str:
    """docs/formats.md."""
    parts = [_HEAD, table(), "\n# By name\n"]
    for name, what in describe().items():
        parts.append(f"\n## {name}\n\n{what}\n\n```sh\ncrowdlog import LOG --format {name} -o STORE\n```\n")
    return "".join(parts)
