"""Keys of records: none is lost because it comes late, and none is shown that may be somebody's text."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.log.formats.column_names import column_names
from crowdlog.log.importer import import_log

COUNT = 40_000  # more than are taken apart at once
CANARY = "kanarienvogel"


def rows(**late) -> list[dict]:
    """Searches of which only the last hundred have more fields."""
    made = [{"user": f"u{i % 50}", "query": f"q{i % 9}", "time": 1_700_000_000 + i} for i in range(COUNT)]
    for row in made[-100:]:
        row.update(late)
    return made


def as_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def as_array(path, records):
    path.write_text(json.dumps(records))
    return path


@pytest.mark.parametrize("write", [as_lines, as_array])
def test_clicks_that_begin_late_are_read(tmp_path, write):
    """Once a url that first occurred after record 500 was lost with all clicks, without a word."""
    path = write(tmp_path / "log.json", rows(url="/x", rank=3))
    store = import_log(path, tmp_path / "store")
    assert (store.info.rows, store.info.clicks) == (COUNT, 100)
    assert {e["rank"] for e in pq.read_table(store.events()).to_pylist()} == {None, 3}


@pytest.mark.parametrize(
    ("late", "name"), [({"clicked_url": "/x"}, "clicked_url"), ({"click": {"url": "/x"}}, "click.url")]
)
def test_a_late_field_that_looks_like_a_role_is_asked_about(tmp_path, late, name):
    path = as_lines(tmp_path / "log.json", rows(**late))
    columns = f"user=user,query=query,time=time,url={name}"
    with pytest.raises(InputError, match=f"looks like the url.*--columns {columns}"):
        import_log(path, tmp_path / "store", confirm=lambda _guess: True)
    assert not (tmp_path / "store").exists()
    said = dict(part.split("=") for part in columns.split(","))
    assert import_log(path, tmp_path / "store", columns=said).info.clicks == 100
    told: list[str] = []
    without = {role: role for role in ("user", "query", "time")}
    assert import_log(path, tmp_path / "other", columns=without, tell=told.append).info.clicks == 0
    assert told == [f"Not read, though it looks like the url: {name}. --columns says otherwise."]


def test_times_that_begin_late_are_asked_about(tmp_path):
    made = rows()
    for row in made[:-100]:
        del row["time"]
    path = as_lines(tmp_path / "log.json", made)
    with pytest.raises(InputError, match="'time', which looks like the time"):
        import_log(path, tmp_path / "store", confirm=lambda _guess: True)


def test_a_late_field_beside_one_that_plays_its_role_is_told(tmp_path):
    made = [{**row, "url": "/a"} for row in rows()]
    for row in made[-100:]:
        row["clicked_url"] = row.pop("url")
    told: list[str] = []
    path = as_lines(tmp_path / "log.json", made)
    assert import_log(path, tmp_path / "store", tell=told.append).info.clicks == COUNT - 100
    assert told == ["Not read, though it looks like the url: clicked_url. --columns says otherwise."]


def test_a_late_field_in_what_is_no_object_elsewhere_is_found(tmp_path):
    made = rows(click={"url": "/x"})
    made[-200]["click"] = "none"
    with pytest.raises(InputError, match=r"'click\.url', which looks like the url"):
        import_log(as_lines(tmp_path / "log.json", made), tmp_path / "store", confirm=lambda _guess: True)


def test_other_late_fields_are_told_without_their_names(tmp_path):
    told: list[str] = []
    path = as_lines(tmp_path / "log.json", rows(**{CANARY: 1, "pages": {f"{CANARY} two": {"url": 3}}}))
    import_log(path, tmp_path / "store", tell=told.append)
    assert len(told) == 1
    assert "fields that its first 500 have not" in told[0]
    assert CANARY not in told[0]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_each_file_of_a_folder_has_its_own_columns(tmp_path, kind):
    folder = tmp_path / "log"
    folder.mkdir()
    for number, more in enumerate([{}, {"url": "/x"}, {"clicked_url": "/x"}]):
        record = {"user": "u", "query": "q", "time": 1_700_000_000 + number, **more}
        place = folder / f"part-{number}.{kind}"
        if kind == "csv":
            place.write_text(",".join(record) + "\n" + ",".join(map(str, record.values())) + "\n")
        elif kind == "json":
            place.write_text(json.dumps(record) + "\n")
        else:
            pq.write_table(pa.Table.from_pylist([record]), place)
    with pytest.raises(InputError, match="url=clicked_url is right, add --yes"):
        import_log(folder, tmp_path / "store")
    assert import_log(folder, tmp_path / "store", confirm=lambda _guess: True).info.clicks == 2
    told: list[str] = []
    said = {role: role for role in ("user", "query", "time")}
    assert import_log(folder, tmp_path / "other", columns=said, tell=told.append).info.clicks == 0
    assert [sentence.split(": ")[1].split(".")[0] for sentence in told] == ["url", "clicked_url"]


def keyed(i: int, how: str) -> dict:
    """An object keyed by what was typed: many texts, one that many typed, words alone, with things inside."""
    return {
        "texts": {f"{CANARY} number {i}": 3},
        "words": {f"{CANARY}{i}": 3, "steady": 1},
        "common": {CANARY: 3, f"{CANARY} alone": 1},
        "inside": {f"{CANARY}{i}": {"url": "/x", "rank": 1}},
        "misspelt": {f"ulr{CANARY if i else ''}": 1, CANARY: 1} if i % 3 == 0 else {f"x{i}": 1},
    }[how]


HOW = ["texts", "words", "common", "inside", "misspelt"]


@pytest.mark.parametrize("count", [1, 2, 60])
@pytest.mark.parametrize("place", ["nested", "top"])
@pytest.mark.parametrize("how", HOW)
def test_texts_that_are_keys_are_never_shown(tmp_path, how, place, count):
    def record(i: int, names: tuple[str, ...]) -> dict:
        own = dict(zip(names, (f"u{i % 5}", f"q{i}", 1_700_000_000 + i), strict=True))
        return {**own, **(keyed(i, how) if place == "top" else {"counts": keyed(i, how)})}

    shown = []
    for names in (("user", "query", "time"), ("uid", "q", "ts"), ("uid", "nothing", "ts"), ("who", "q", "x")):
        path = as_lines(tmp_path / "log.json", [record(i, names) for i in range(count)])
        shown += column_names(path)
        for more in ([], ["--yes"], ["--columns", f"user={names[0]},query={names[1]},time={names[2]}"]):
            out = tmp_path / f"store{len(shown)}{len(more)}{names[0]}"
            answer = CliRunner().invoke(cli, ["import", str(path), "-o", str(out), "--ledger", "own", *more])
            shown += [answer.output, repr(answer.exception)]

    guesses: list[str] = []
    with pytest.raises(InputError) as caught:
        import_log(path, tmp_path / "asked", confirm=lambda guess: guesses.extend(guess.lines()) or False)
    shown += [*guesses, str(caught.value)]
    assert CANARY not in "\n".join(shown)
    assert "whose names are not shown" in "\n".join(shown)
    assert {"uid", "q", "ts"} <= set(shown)


def test_names_of_programs_are_shown_however_seldom_they_are(tmp_path):
    made = [
        {"visitor": {"id": f"u{i}"}, "q": f"q{i}", "ts": 1_700_000_000 + i, "price": 3} for i in range(60)
    ]
    for row in made[:5]:
        row["click"] = {"url": "/x"}
    path = as_lines(tmp_path / "log.json", made)
    assert column_names(path) == ["visitor.id", "q", "ts", "price", "click.url"]
