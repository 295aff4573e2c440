"""Imports by the form: what cannot be read at once is asked about, and goes on without being sent again."""

from __future__ import annotations

import json
import re
import shutil
import time
from contextlib import closing

import pytest

from crowdlog.log.importer import import_log
from crowdlog.web import imports
from crowdlog.web.imports import TriedImport, sweep_sent
from crowdlog.web.work import start
from crowdlog.web.workspace import Workspace
from tests.log.formats.shapes import _ubi, searches
from tests.support.postgres import running_cluster
from tests.web.visitor import client, secret


def table(user: str, query: str, moment: str, *, rows=None, times="%Y-%m-%d %H:%M:%S", split=",") -> bytes:
    lines = [split.join((user, query, moment))] if user else []
    lines += [split.join((row.user, row.query, row.time.strftime(times))) for row in rows or searches()]
    return "\n".join(lines).encode()


def kept(desk) -> set[str]:
    """What was sent and is still there."""
    return {place.name for place in (desk.folder / "inbox").glob("sent-*")}


def ended(desk, place: str):
    number = place.rpartition("/")[2]
    for _ in range(6000):
        (job,) = [job for job in desk.jobs() if job.id == number]
        if job.state != "running" and number not in desk.running:
            return job
        time.sleep(0.1)
    raise AssertionError("the import did not end")


def send(desk, at, name: str, data: bytes, **said: str):
    form = {"csrf": secret(at), "name": name, **said}
    answer = at.post("/import", data=form, files=[("files", ("export.csv", data))])
    assert answer.status_code == 303
    return ended(desk, answer.headers["location"])


def again(desk, at, job, **said: str):
    """The form of the job's page, filled in further and sent without a file."""
    page = at.get(f"/jobs/{job.id}").text
    assert 'name="again"' in page
    name = re.search(r'id="name"[^>]*value="([^"]*)"', page)[1]
    form = {"csrf": secret(at), "again": job.id, "name": name, **said}
    answer = at.post("/import", data=form)
    assert answer.status_code == 303
    return ended(desk, answer.headers["location"])


DEAD_ENDS = {
    "unknown columns": (table("wer", "was", "wann"), {"user": "wer", "query": "was", "time": "wann"}),
    "no header": (table("", "", ""), {"user": "1", "query": "2", "time": "3"}),
    "one column unknown": (table("leser", "query", "time"), {"user": "leser"}),
    "misspelt": (
        table("user", "query", "time"),
        {"user": "user", "query": "query"},
    ),
    "odd times": (
        table("user", "query", "time", times="%Hh%M %d~%m~%Y"),
        {"time-format": "%Hh%M %d~%m~%Y"},
    ),
    "wrong format": (table("user", "query", "time"), {"format": "csv"}),
}
FIRST = {"wrong format": {"format": "parquet"}, "misspelt": {"user": "usr", "query": "qury"}}


@pytest.mark.slow
@pytest.mark.parametrize("case", DEAD_ENDS)
def test_an_import_that_fails_goes_on_with_what_was_sent(desk, case):
    data, said = DEAD_ENDS[case]
    at = client(desk, "engineer")
    name = case.replace(" ", "-")
    before = kept(desk)
    job = send(desk, at, name, data, ledger="-own-", **FIRST.get(case, {}))
    assert job.state == "failed", job.told
    job = again(desk, at, job, ledger="-own-", **said)
    assert job.state == "done", job.told
    assert desk.store(name).info.rows == 120
    assert kept(desk) == before, "removed once it is imported"


@pytest.mark.slow
def test_columns_that_are_guessed_are_shown_before_they_are_taken(desk):
    """Once a table of other names was read as its names looked, and nobody was told how."""
    at = client(desk, "engineer")
    job = send(desk, at, "guessed", table("session_id", "keywords", "ts"), ledger="-own-")
    assert job.state == "failed"
    assert "user=session_id,query=keywords,time=ts" in job.told
    assert 'placeholder="session_id"' in at.get(f"/jobs/{job.id}").text
    job = again(desk, at, job, ledger="-own-")
    assert job.state == "done", job.told
    assert desk.store("guessed").info.users == 30


@pytest.mark.slow
def test_questions_about_users_and_about_the_same_people_are_answered_in_the_form(desk):
    at = client(desk, "engineer")
    each = table(
        "user",
        "query",
        "time",
        rows=[s.__class__(f"r{n}", s.query, s.time) for n, s in enumerate(searches())],
    )
    job = send(desk, at, "requests", each)
    assert "Every row has a user of its own" in job.told
    job = again(desk, at, job, **{"users-are-fine": "yes"})
    assert job.state == "done", job.told
    job = send(desk, at, "requests-again", each, **{"users-are-fine": "yes"})
    assert "the same log" in job.told
    job = again(desk, at, job, **{"users-are-fine": "yes", "ledger": "requests"})
    assert job.state == "done", job.told
    assert desk.store("requests-again").ledger() == desk.store("requests").ledger()


def test_a_name_that_is_taken_does_not_cost_the_upload(desk):
    at = client(desk, "engineer")
    for wrong in ("shop", "no/name", ""):
        before = kept(desk)
        job = send(desk, at, wrong, table("user", "query", "time"), ledger="-own-")
        assert job.state == "failed"
        assert len(kept(desk) - before) == 1
        assert at.post(f"/jobs/{job.id}/discard", data={"csrf": secret(at)}).status_code == 303
        assert kept(desk) == before
        assert "What was sent is deleted" in at.get(f"/jobs/{job.id}").text


def test_a_name_that_another_import_takes_meanwhile_does_not_cost_the_upload(desk, monkeypatch):
    """Once the other one's store was taken for the proof that this file was imported, and it was deleted."""

    def start_second(*words, **more):
        shutil.copytree(desk.folder / "stores" / "shop", desk.folder / "stores" / "twice")
        return start(*words, **more)

    monkeypatch.setattr(imports, "start", start_second)
    at = client(desk, "engineer")
    before = kept(desk)
    job = send(desk, at, "twice", table("user", "query", "time"), ledger="-own-")
    assert (job.state, "exists already" in job.told) == ("failed", True)
    assert len(kept(desk) - before) == 1
    shutil.rmtree(desk.folder / "stores" / "twice")


def test_the_form_shows_names_of_columns_and_never_a_row(desk):
    at = client(desk, "engineer")
    job = send(desk, at, "rows", b"u1,CANARY secret,2024-99-01\nu2,CANARY other,2024-99-01\n" * 20)
    page = at.get(f"/jobs/{job.id}").text
    assert "CANARY" not in page
    assert 'value="3"></option>' in page
    job = send(desk, at, "names", b"visitor_no;searched words;date\n1;CANARY a;x\n" * 20)
    page = at.get(f"/jobs/{job.id}").text
    assert "CANARY" not in page


def test_without_a_file_the_form_says_so_and_keeps_what_was_typed(desk):
    at = client(desk, "engineer")
    answer = at.post("/import", data={"csrf": secret(at), "name": "typed", "encoding": "utf-16"})
    assert answer.status_code == 400
    assert "Choose a file to send" in answer.text
    assert 'value="typed"' in answer.text
    assert 'value="utf-16"' in answer.text


@pytest.mark.slow
def test_a_pair_of_files_is_not_taken_apart_by_another_try(desk, tmp_path):
    """UBI's queries and events: no column is said unless somebody says it, so that they are joined again."""
    at = client(desk, "engineer")
    paths = _ubi(tmp_path)
    files = [("files", (path.name, path.read_bytes())) for path in paths]
    first = at.post("/import", data={"csrf": secret(at), "name": "shop"}, files=files)
    job = ended(desk, first.headers["location"])
    job = again(desk, at, job, name="joined", ledger="-own-")
    assert job.state == "done", job.told
    alone = import_log(paths, tmp_path / "alone")
    assert desk.store("joined").info.clicks == alone.info.clicks > 0


def test_what_was_being_sent_when_the_server_was_killed_is_removed_at_the_next_start(tmp_path):
    """No import knows it, so nobody would ever see it or remove it."""
    with closing(Workspace(tmp_path / "desk")) as workspace:
        inbox = workspace.folder / "inbox"
        for name in ("sent-half.csv", "sent-kept.csv", "mine.csv"):
            (inbox / name).write_text("CANARY")
        number = workspace.begin_job("import", "log", "ada", TriedImport(("sent-kept.csv",), {}).as_text())
        workspace.end_job(number, "failed", "why")
        half = workspace.folder / "stores" / "log.partial-0123abcd"
        half.mkdir()
        (half / "queries").write_text("CANARY")
        sweep_sent(workspace)
        assert not half.exists()
        assert sorted(path.name for path in inbox.iterdir()) == ["mine.csv", "sent-kept.csv"]


def test_texts_that_are_keys_of_a_file_are_on_no_page(desk, caplog):
    """An object keyed by query: its keys are what people typed, not columns."""
    at = client(desk, "engineer")
    typed = [f"kanarienvogel{i}" for i in range(30)]
    records = [{"leser": f"u{i % 7}", "counts": {word: 3, f"{word} too": 1}} for i, word in enumerate(typed)]
    data = "\n".join(map(json.dumps, records)).encode()
    job = send(desk, at, "keyed", data)
    assert job.state == "failed"
    page = at.get(f"/jobs/{job.id}").text
    assert "leser" in page
    assert "whose names are not shown" in page
    seen = page + job.told + caplog.text + repr(desk.audit())
    assert "kanarienvogel" not in seen


@pytest.mark.slow
@pytest.mark.xdist_group("postgres")
def test_the_password_of_a_ledger_is_on_no_command_line(desk, tmp_path):
    """Everybody on the machine can read those."""
    at = client(desk, "engineer")
    (tmp_path / "first.csv").write_bytes(table("user", "query", "time"))
    first, second = desk.folder / "stores" / "first", desk.folder / "stores" / "second"
    with running_cluster() as postgres:
        ledger = postgres.url.replace("postgres@", "postgres:hushhush@")
        import_log(tmp_path / "first.csv", first, ledger=ledger, new_ledger=True)
        form = {"csrf": secret(at), "name": "second", "ledger": "first"}
        answer = at.post("/import", data=form, files=[("files", ("b.csv", table("user", "query", "time")))])
        number = answer.headers["location"].rpartition("/")[2]
        process, _thread = desk.running[number]
        assert "hushhush" not in " ".join(process.args)
        job = ended(desk, answer.headers["location"])
        assert job.state == "done", job.told
        assert str(desk.store("second").ledger()) == ledger
    for store in (first, second):  # their ledger is gone with its database
        shutil.rmtree(store)
