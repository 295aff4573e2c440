"""A JSON file that is one object around a list of records."""

from __future__ import annotations

import json

import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log

ROWS = [{"user": f"u{i}", "query": f"q{i}", "time": 1_700_000_000 + i, "url": "/x"} for i in range(3)]
ABOUT = {"user": "exporter", "query": "all", "time": 1_700_000_000}


@pytest.mark.parametrize("columns", [None, {name: name for name in ABOUT}])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("whole", "named"),
    [
        ({"records": ROWS, **ABOUT}, "one of its fields"),
        ({"data": {"items": ROWS}, **ABOUT}, "data.items"),
    ],
)
def test_searches_inside_a_single_record_are_not_lost_in_silence(tmp_path, whole, named, indent, columns):
    """Once the object around them was read as the only row."""
    (tmp_path / "log.json").write_text(json.dumps(whole, indent=indent))
    with pytest.raises(InputError, match=f"single record, and {named} holds a list of 3 others"):
        import_log(tmp_path / "log.json", tmp_path / "store", columns=columns)
    assert not (tmp_path / "store").exists()


def test_a_single_search_with_a_list_of_other_things_is_one(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps({**ABOUT, "results": [{"url": "/x"}, 7], "tags": ["a"]}))
    assert import_log(tmp_path / "log.json", tmp_path / "store").info.rows == 1


@pytest.mark.parametrize("batch", [{"records": ROWS}, {"data": {"items": ROWS}}])
def test_searches_inside_several_records_are_not_lost_in_silence(tmp_path, batch):
    """Pages of an export, one per line: once each was read as one search."""
    (tmp_path / "log.jsonl").write_text(f"{json.dumps({**batch, **ABOUT})}\n" * 2)
    with pytest.raises(InputError, match=r"hold lists of others that look like searches \(6 in"):
        import_log(tmp_path / "log.jsonl", tmp_path / "store")
    assert not (tmp_path / "store").exists()
    named = import_log(tmp_path / "log.jsonl", tmp_path / "store", columns={name: name for name in ABOUT})
    assert named.info.rows == 2


def test_searches_with_suggestions_are_read(tmp_path):
    row = {**ABOUT, "suggestions": [{"query": "all of it", "score": 1}]}
    (tmp_path / "log.jsonl").write_text(f"{json.dumps(row)}\n" * 2)
    assert import_log(tmp_path / "log.jsonl", tmp_path / "store").info.rows == 2
