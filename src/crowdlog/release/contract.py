"""What the tables of a release look like: whoever reads one may rely on its columns, whoever wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from crowdlog.artifacts.breakdowns import BREAKDOWNS

if TYPE_CHECKING:
    import pyarrow as pa

# The columns of every table a release may hold. `count` may be followed by further columns; `url` by the
# `cluster` of a record, where users of a cluster have the same.
CONTRACT: Mapping[str, tuple[str, ...]] = {
    "queries": ("query", "count"),
    "clicks": ("query", "url", "count"),
    "pairs": ("query", "next_query", "count"),
    "sessions": ("sequence", "count"),
    "words": ("word", "count"),
    "word_pairs": ("word", "next_word", "count"),
    "sites": ("site", "count"),
    "query_sites": ("query", "site", "count"),
    "word_sites": ("word", "site", "count"),
    "triples": ("query", "next_query", "third_query", "count"),  # of collections only, like visits
    "visits": ("query", "url", "count"),
    **{table: (*columns, "count") for table, columns in BREAKDOWNS.values()},
    "events": ("user", "query", "time", "rank", "url"),  # unsafe mechanisms only: one row per source row
}
_WHOLE_NUMBERS = {"count", "user", "time", "rank"}
_MAY_LACK = {"time", "rank", "url"}  # of rows: a search without a click, a log without times


def check_tables(tables: Mapping[str, pa.Table]) -> None:
    """Every table has the columns of its contract, in order. A mechanism that breaks it is our fault."""
    for name, table in tables.items():
        if not keeps_contract(name, table):
            raise TypeError(f"table {name} has the columns {table.schema}, expected {CONTRACT[name]}")


def keeps_contract(name: str, table: pa.Table) -> bool:
    """Whether its columns are those of the contract, of their kinds, and full where they must be."""
    wanted, names = CONTRACT[name], table.column_names
    if tuple(names[: len(wanted)]) != wanted or len(set(names)) < len(names):
        return False
    lack = _MAY_LACK if name == "events" else set[str]()
    return all(
        _is_of_its_kind(column, table.schema.field(column).type, in_contract=column in wanted)
        and (column in lack or not table[column].null_count)
        for column in names
    ) and _is_valid(table)


def _is_of_its_kind(column: str, kind: pa.DataType, *, in_contract: bool) -> bool:
    from pyarrow import types

    is_text, is_whole = types.is_string(kind) or types.is_large_string(kind), types.is_integer(kind)
    if not in_contract:
        return is_text or is_whole or types.is_floating(kind)
    if column == "sequence":
        return types.is_list(kind) and types.is_string(kind.value_type)
    return is_whole if column in _WHOLE_NUMBERS else is_text


def _is_valid(table: pa.Table) -> bool:
    """Whether its texts are UTF-8 and its lists are lists."""
    import pyarrow as pa

    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
