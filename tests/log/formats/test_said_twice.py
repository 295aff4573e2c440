"""A field that stands twice in a JSON object: of two readers each may take another, so neither is taken."""

from __future__ import annotations

import json

import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from tests.log.formats.shapes import _ga4_rows, _slow, _ubi

ROW = '{"user":"u","query":"q%d","time":"2024-03-01 10:00:0%d","click":{"url":"/x"}}'
COLUMNS = {"user": "user", "query": "query", "time": "time", "url": "click.url"}


@pytest.mark.parametrize(
    "more", ['"click":{}', '"click":null', '"click":{"url":"/x"}', '"user":"w"', '"\\u0075ser":"w"']
)
@pytest.mark.parametrize("shape", ["%s\n", "[%s]", '{"hits":{"hits":[%s]}}', '[{"_source":%s}]'])
def test_a_record_that_says_a_field_twice_is_set_aside(tmp_path, more, shape):
    """Once the first of two was read in silence, and the click of the second was lost."""
    rows = [ROW % (i, i) for i in range(4)]
    rows.append(rows[0].removesuffix("}") + f",{more}}}")
    between = "\n" if shape.endswith("\n") else '},{"_source":' if "_source" in shape else ","
    (tmp_path / "log.json").write_text(shape % between.join(rows))
    info = import_log(tmp_path / "log.json", tmp_path / "store", columns=COLUMNS).info
    assert (info.rows, info.clicks, info.rejected) == (4, 4, {"a field stands twice": 1})


def test_twice_inside_an_object_counts_and_beside_the_roles_does_not(tmp_path):
    rows = [ROW % (i, i) for i in range(4)]
    rows[1] = rows[1].replace('"/x"', '"/x","url":null')
    rows[2] = rows[2].removesuffix("}") + ',"page":1,"page":2}'
    (tmp_path / "log.jsonl").write_text("\n".join(rows))
    info = import_log(tmp_path / "log.jsonl", tmp_path / "store", columns=COLUMNS).info
    assert (info.rows, info.clicks, info.rejected) == (3, 3, {"a field stands twice": 1})


def test_events_of_ubi_that_say_a_field_twice_are_told(tmp_path):
    files = _ubi(tmp_path)
    events = files[1].read_text().splitlines()
    clicks = [i for i, line in enumerate(events) if json.loads(line)["action_name"] == "click"]
    assert '"object": {' in events[clicks[0]]
    events[clicks[0]] = events[clicks[0]].replace('"object": {', '"object": null, "object": {')
    events[clicks[1]] = events[clicks[1]].removesuffix("}") + ', "action_name": "scroll"}'
    files[1].write_text("\n".join([*events, '{"action_name": "click", ']))
    told: list[str] = []
    info = import_log(files, tmp_path / "store", tell=told.append).info
    assert info.clicks == len(clicks) - 2
    assert "3 events cannot be read or say a field twice, and were left out: clicks may be missing." in told


def test_queries_of_ubi_that_say_a_field_twice_are_set_aside(tmp_path):
    files = _ubi(tmp_path)
    queries = files[0].read_text().splitlines()
    queries[0] = queries[0].removesuffix("}") + ', "client_id": "somebody else"}'
    files[0].write_text("\n".join(queries))
    assert import_log(files, tmp_path / "store").info.rejected == {"a field stands twice": 1}


def test_formats_that_are_read_record_by_record_take_no_side_either(tmp_path):
    rows = [json.dumps(row) for row in _ga4_rows()]
    rows[0] = rows[0].removesuffix("}") + ', "user_pseudo_id": "somebody else"}'
    (tmp_path / "events.json").write_text("\n".join(rows))
    assert import_log(tmp_path / "events.json", tmp_path / "store").info.rejected == {"unreadable record": 1}


@pytest.mark.parametrize("as_json", [True, False])
def test_a_slow_query_that_says_a_clause_twice_is_set_aside(tmp_path, as_json):
    """Once the last of two was read in silence."""
    (path,) = _slow(as_json=as_json)(tmp_path)
    first, *others = path.read_text().splitlines()
    name = r"\"query\"" if as_json else '"query"'
    twice = first.replace(f"{name}: {{", f"{name}: null, {name}: {{", 1)
    assert twice != first
    path.write_text("\n".join([twice, *others]))
    info = import_log(path, tmp_path / "store").info
    assert (info.rows, info.rejected) == (len(others), {"a field stands twice": 1})


def test_activities_that_say_a_field_twice_are_told(tmp_path):
    """Once the last of two was read in silence; what is beside the search may say what it wants."""
    rows = [
        f'{{"titleUrl": "https://www.google.com/search?q=query{i}", "time": "2024-03-01T10:00:0{i}Z"}}'
        for i in range(4)
    ]
    rows[0] = rows[0].removesuffix("}") + ', "time": "2024-04-01T10:00:00Z"}'
    rows[1] = rows[1].removesuffix("}") + ', "details": [{"name": "a", "name": "b"}]}'
    (tmp_path / "MyActivity.json").write_text(f"[{','.join(rows)}]")
    told: list[str] = []
    info = import_log(tmp_path / "MyActivity.json", tmp_path / "store", tell=told.append).info
    assert info.rows == 3
    assert told == ["1 activities say a field twice, and were left out: searches may be missing."]


def test_a_search_without_a_time_is_not_lost_in_silence(tmp_path):
    (tmp_path / "MyActivity.json").write_text('[{"titleUrl": "https://www.google.com/search?q=a"}]')
    with pytest.raises(InputError, match="A time of the export is none"):
        import_log(tmp_path / "MyActivity.json", tmp_path / "store")
