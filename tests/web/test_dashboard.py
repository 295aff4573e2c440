"""The dashboard under its own rules: every route for every role, foreign forms, an hour of work."""

from __future__ import annotations

import io
import os
import shutil
import time
from collections import deque
from contextlib import closing
from pathlib import Path

import pytest

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.release.publish import open_ledger
from crowdlog.web.accounts import ROLES
from crowdlog.web.app import ROUTES, make_app
from crowdlog.web.permissions import ALLOWED, OPEN
from crowdlog.web.schedule import run_due
from crowdlog.web.work import follow, start
from crowdlog.web.workspace import ReleaseRequest, Workspace
from tests.log.formats.shapes import _ubi
from tests.support.postgres import Cluster
from tests.web.visitor import PASSWORD, Browser, client, secret, wait

KOROLOVA = "Korolova(epsilon=3, delta=1e-3, d=5)"


def place(path: str, **values: str) -> str:
    known = {"log": "shop", "request": "none", "name": "none", "file": "label.json", "job": "none"} | values
    return path.format(**known)


def test_every_route_asks_for_a_role():
    assert {name for name, *_rest in ROUTES} == set(ALLOWED) | OPEN


# Who may act, as docs/dashboard.md says it in words: written down a second time, so that a slip in the table
# of permissions is seen. The owner may do everything.
ACTS = {
    "approver": {"approve", "refuse", "logout"},
    "engineer": {"import", "discard", "request", "resume", "retry", "stop_schedule", "logout"},
    "reader": {"logout"},
}


def test_who_may_act_is_what_the_page_says():
    acts = {name for name, method, *_rest in ROUTES if method == "POST"} - OPEN
    for role, may in ACTS.items():
        assert {name for name in acts if role in ALLOWED[name]} == may, role
    assert all("owner" in roles for roles in ALLOWED.values())
    assert {name for name, roles in ALLOWED.items() if roles == {"owner"}} == (
        {"budget", "compare", "comparison", "publish_site", "people", "add_person", "remove_person"}
    )


def test_the_application_has_no_route_beside_the_table(desk):
    """What is not in the table is not guarded by it."""
    found = {(route.name, route.path) for route in make_app(desk).routes}
    assert found == {(name, path) for name, _method, path, _handler in ROUTES}


@pytest.mark.parametrize("path", ["/logs/none", "/releases/none", "/requests/none", "/jobs/none"])
def test_what_is_not_there_is_told_without_the_servers_paths(desk, path):
    answer = client(desk, "reader").get(path)
    assert answer.status_code == 400
    assert "There is no" in answer.text
    assert str(desk.folder) not in answer.text


@pytest.fixture
def damaged(desk):
    """A second log, whose ledger is gone."""
    place = desk.folder / "stores" / "harmed"
    shutil.copytree(desk.folder / "stores" / "shop", place)
    (place / "ledger.sqlite").unlink()
    yield place
    shutil.rmtree(place)


def test_an_import_into_the_ledger_of_a_damaged_log_is_told_without_the_servers_paths(desk, damaged):
    (damaged / "store.json").write_text("{")
    engineer = client(desk, "engineer")
    form = {"csrf": secret(engineer), "name": "beside", "ledger": "harmed"}
    sent = engineer.post("/import", data=form, files=[("files", ("a.tsv", b"user\tquery\n"))])
    place = sent.headers["location"]
    (job,) = [job for job in desk.jobs() if job.id == place.rpartition("/")[2]]
    assert (job.state, "stores/harmed is damaged" in job.told) == ("failed", True)
    assert str(desk.folder) not in engineer.get(place).text
    engineer.post(f"{place}/discard", data={"csrf": secret(engineer)})


@pytest.mark.parametrize("harm", ["ledger", "store"])
def test_a_damaged_log_is_told_and_the_others_are_shown(desk, damaged, harm):
    """Once one such log took away the list of logs, the form of imports and the page of alarms."""
    if harm == "store":
        (damaged / "store.json").write_text("{")
    reader, engineer = client(desk, "reader"), client(desk, "engineer")
    for answer in (reader.get("/"), reader.get("/schedule"), engineer.get("/import")):
        assert answer.status_code == 200
        assert str(desk.folder) not in answer.text
    shown = reader.get("/").text
    assert 'href="/logs/shop"' in shown
    for page in (shown, reader.get("/schedule").text, reader.get("/logs/harmed").text):
        assert "stores/harmed" in page
        assert str(desk.folder) not in page
    assert reader.get("/logs/harmed").status_code == 400


@pytest.mark.parametrize("named_as", ["absolute", "relative", "link", "here"])
def test_places_are_named_as_seen_from_the_folder(tmp_path, monkeypatch, named_as):
    """Whichever way a sentence spells the folder; words that only end as its name does stay whole."""
    (tmp_path / "disk" / "d").mkdir(parents=True)
    (tmp_path / "d").symlink_to(tmp_path / "disk" / "d")
    monkeypatch.chdir(tmp_path / "d" if named_as == "here" else tmp_path)
    folder = {"absolute": tmp_path / "disk" / "d", "here": Path()}.get(named_as, Path("d"))
    if named_as == "relative":
        folder = Path("disk/../disk/d")
    with closing(Workspace(folder)) as desk:
        for place in (folder, folder.resolve(), folder.absolute()):
            assert desk.told(f"{place}/stores/a cannot be read.") == "stores/a cannot be read."
            assert desk.told(f"See '{place}/b' (file://{place.absolute()}/c).") == "See 'b' (file://c)."
        for whole in ("Name it and/or say so.", "old/x", "a/d/x", "../d/x", "3 queries/day ..."):
            assert desk.told(whole) == whole


def test_a_run_of_the_schedule_that_cannot_begin_is_an_alarm(tmp_path):
    with closing(Workspace(tmp_path / "desk")) as desk:
        desk.accounts.add("reader", "reader", PASSWORD)
        values = ("lost", "FTu(k=20)", 300, "", "ada", 1, "approved", "bob", 1, "", "gone", "daily", 1)
        desk.ask(ReleaseRequest(desk.new_id(), *values))
        (number,) = run_due(desk)
        (job,) = desk.jobs()
        assert (job.id, job.state, job.told) == (number, "failed", "There is no log of this name.")
        assert number in client(desk, "reader").get("/schedule").text


def test_the_page_says_where_the_public_site_lies_and_when_it_was_made(tmp_path):
    with closing(Workspace(tmp_path / "desk")) as desk:
        desk.accounts.add("owner", "owner", PASSWORD)
        (desk.folder / "releases" / "march").mkdir()
        (desk.folder / "releases" / "march" / "label.json").write_text("{}")
        owner = client(desk, "owner")
        assert "It was not made yet." in owner.get("/").text
        (desk.folder / "public").mkdir()
        (desk.folder / "public" / "index.html").touch()
        assert "It was last made on 20" in owner.get("/").text


def test_somebody_who_left_cannot_come_in_again(desk):
    desk.accounts.add("gone", "approver", PASSWORD)
    at = Browser(make_app(desk, limits=False))
    assert at.post("/login", data={"name": "gone", "password": PASSWORD}).status_code == 303
    owner = client(desk, "owner")
    removed = owner.post("/people/remove", data={"csrf": secret(owner), "name": "gone"})
    assert removed.headers["location"] == "/people"
    assert at.get("/").headers["location"] == "/login"
    assert at.post("/login", data={"name": "gone", "password": PASSWORD}).status_code == 403
    for name, words in (("gone", "nobody of this name"), ("owner", "cannot remove yourself")):
        answer = owner.post("/people/remove", data={"csrf": secret(owner), "name": name})
        assert (answer.status_code, words in answer.text) == (400, True)
    assert "owner removed gone" in " ".join(f"{who} {what}" for _time, who, what in desk.audit())


def test_the_schedule_has_the_button_that_resumes(desk, monkeypatch):
    from dataclasses import replace

    from crowdlog.web import logs

    found = logs.shown
    monkeypatch.setattr(logs, "shown", lambda *log: replace(found(*log), unfinished=1))
    shown = client(desk, "engineer").get("/schedule").text
    assert 'action="/logs/shop/resume"' in shown
    assert "1 release of" in shown
    assert "<button>Resume" not in client(desk, "reader").get("/schedule").text


@pytest.mark.parametrize("role", [*ROLES, None])
def test_no_role_can_do_anothers_work(desk, role):
    at = client(desk, role)
    token = secret(at) if role else ""
    for name, method, path, _handler in ROUTES:
        if name in (*OPEN, "logout"):
            continue
        form = {"data": {"csrf": token}} if method == "POST" else {}
        answer = at.request(method, place(path), **form)
        if role in ALLOWED[name]:
            assert answer.status_code in (200, 303, 400), (name, answer.status_code)
            assert answer.headers.get("location") != "/login"
        elif role is None:
            assert (answer.status_code, answer.headers["location"]) == (303, "/login"), name
        else:
            assert answer.status_code == 403, name
        assert "CANARY" not in answer.text


@pytest.mark.parametrize("token", [None, "", "0" * 64])
def test_an_action_without_the_forms_secret_does_nothing(desk, token):
    at = client(desk, "owner")
    data = {"epsilon": "9", "delta": "1e-3"} | ({} if token is None else {"csrf": token})
    before = LogStore.open(desk.folder / "stores" / "shop")
    assert at.post("/logs/shop/budget", data=data).status_code == 403
    assert at.post("/logout").status_code == 403
    with open_ledger(before) as ledger:
        assert ledger.budget() is None or ledger.budget().epsilon != 9
    good = {"csrf": secret(at), **data}
    good["csrf"] = secret(at)
    foreign = at.post("/logs/shop/budget", data=good, headers={"origin": "http://evil.example"})
    assert foreign.status_code == 403


def test_passwords_and_sessions(desk):
    at = client(desk, None)
    assert at.post("/login", data={"name": "owner", "password": "wrong password"}).status_code == 403
    assert at.post("/login", data={"name": "nobody", "password": PASSWORD}).status_code == 403
    assert at.post("/login").status_code == 403
    owner = client(desk, "owner")
    cookie = owner.cookies["crowdlog"]
    stored = (desk.folder / "dashboard.sqlite").read_bytes() + (
        desk.folder / "dashboard.sqlite-wal"
    ).read_bytes()
    assert cookie.encode() not in stored
    assert PASSWORD.encode() not in stored
    assert b"$argon2id$" in stored
    assert owner.post("/logout", data={"csrf": secret(owner)}).status_code == 303
    owner.cookies["crowdlog"] = cookie
    assert owner.get("/").headers["location"] == "/login"


def test_many_passwords_are_slowed_down(desk):
    at = Browser(make_app(desk, clock=lambda: 0.0))
    answers = [at.post("/login", data={"name": "x", "password": "y"}).status_code for _ in range(12)]
    assert answers[0] == 403
    assert answers[-1] == 429


def test_headers_keep_scripts_and_frames_out(desk):
    headers = client(desk, "reader").get("/").headers
    assert "script-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


@pytest.fixture
def address(request):
    """Where the dashboard keeps its rows: SQLite in its folder, or a PostgreSQL of its own."""
    if request.param == "sqlite":
        yield None
        return
    cluster = Cluster()
    cluster.start()
    try:
        yield cluster.url
    finally:
        cluster.stop()
        cluster.remove()


@pytest.fixture
def empty_desk(address, tmp_path):
    workspace = Workspace(tmp_path / "desk", address)
    with closing(workspace):
        yield workspace


@pytest.mark.slow
@pytest.mark.parametrize("address", ["sqlite", "postgresql"], indirect=True)
def test_a_strangers_hour(address, empty_desk, tmp_path):
    """Import UBI by upload, budget, advice, request, approval by another, release, search, site."""
    desk = empty_desk
    assert (tmp_path / "desk" / "dashboard.sqlite").exists() == (address is None)
    for role in ROLES:
        desk.accounts.add(role, role, PASSWORD)
    engineer, approver, owner, reader = (client(desk, r) for r in ("engineer", "approver", "owner", "reader"))
    files = [("files", (path.name, path.read_bytes())) for path in _ubi(tmp_path)]
    sent = engineer.post("/import", data={"csrf": secret(engineer), "name": "library"}, files=files)
    told = wait(desk, sent.headers["location"].rpartition("/")[2])
    assert "120 events are no clicks" in told
    assert list((desk.folder / "inbox").iterdir()) == []
    data = {"csrf": secret(owner), "epsilon": "30", "delta": "0.5", "rule": "sum"}
    assert owner.post("/logs/library/budget", data=data).status_code == 303
    advice = engineer.get("/logs/library/new?people=30&rhythm=once&audience=public&purpose=queries").text
    assert "as synthetic logs share them" in advice
    ask = {"csrf": secret(engineer), "mechanism": "Korolova(epsilon=9, delta=1e-2, d=4)", "out": "march",
           "people": "30", "rhythm": "monthly", "why": "a test"}  # fmt: skip
    number = engineer.post("/logs/library/new", data=ask).headers["location"].rpartition("/")[2]
    shown = approver.get(f"/requests/{number}").text
    assert "What the label will say" in shown
    assert "It fits the budget." in shown
    assert (
        owner.post("/logs/library/new", data=ask | {"csrf": secret(owner)}).status_code == 400
    )  # the name is taken
    yes = {"csrf": secret(approver), "answer": "fine"}
    started = approver.post(f"/requests/{number}/approve", data=yes)
    assert approver.post(f"/requests/{number}/approve", data=yes).status_code == 400
    wait(desk, started.headers["location"].rpartition("/")[2])
    page = reader.get("/releases/march?words=shoe").text
    assert "Korolova" in page
    assert reader.get("/releases/march/files/label.json").json()["crowdlog"]
    assert reader.get("/releases/march/files/..%2f..%2fdashboard.sqlite").status_code in (400, 404)
    site = owner.post("/site", data={"csrf": secret(owner), "title": "Readers"})
    assert site.status_code == 303
    assert (desk.folder / "public" / "index.html").exists()
    later = int(time.time()) + 40 * 86400
    (again,) = run_due(desk, later)
    assert run_due(desk, later) == []
    wait(desk, again)
    with open_ledger(desk.store("library")) as ledger:
        assert len(ledger.entries()) == 2
    trail = " ".join(what for _time, _who, what in desk.audit())
    assert "approved the release march of library" in trail


def test_a_job_shows_how_far_it_is(desk):
    number = desk.begin_job("import", "shop", "engineer", "")
    at = client(desk, "engineer")
    assert "Starting" in at.get(f"/jobs/{number}").text
    lines = ['{"event": "begin", "stage": "Reading"}\n', "no JSON\n", "[]\n"]
    lines.append('{"event": "progress", "stage": "Reading", "done": 30, "total": 40}\n')
    told: deque[str] = deque()
    follow(desk, number, io.StringIO("".join(lines)), told)
    shown = at.get(f"/jobs/{number}")
    assert "Reading: 75 %" in shown.text
    assert 'value="0.75"' in shown.text
    assert shown.headers["refresh"] == "5", "the page looks again by itself"
    assert list(told) == lines
    desk.end_job(number, "done", "")
    assert "refresh" not in at.get(f"/jobs/{number}").headers


def test_closing_stops_what_runs(tmp_path):
    """A thread that outlived the workspace would write to a closed database."""
    os.mkfifo(tmp_path / "pipe.tsv")  # an import that waits for rows that never come
    workspace = Workspace(tmp_path / "desk")
    ended: list[bool] = []
    words = ["import", str(tmp_path / "pipe.tsv"), str(tmp_path / "store"), "--yes"]
    number = start(workspace, "import", "shop", "engineer", words, then=ended.append)
    (process, thread) = workspace.running[number]
    workspace.close()
    assert process.poll() is not None
    assert not thread.is_alive()
    assert ended == [False]
    with closing(Workspace(tmp_path / "desk")) as again:
        (job,) = again.jobs()
        assert job.state == "interrupted"


def test_the_budget_form_shows_the_budget_that_holds(desk):
    owner = client(desk, "owner")
    data = {"csrf": secret(owner), "epsilon": "7.5", "delta": "1e-4", "rule": "sum"}
    assert owner.post("/logs/shop/budget", data=data).status_code == 303
    page = owner.get("/logs/shop").text
    assert 'value="7.5"' in page
    assert 'value="0.0001"' in page
    assert '<option value="sum" selected>' in page


def test_nobody_approves_what_she_asked_for(desk):
    owner, approver = client(desk, "owner"), client(desk, "approver")
    ask = {"csrf": secret(owner), "mechanism": KOROLOVA, "out": "mine", "people": "300", "rhythm": "once"}
    number = owner.post("/logs/shop/new", data=ask).headers["location"].rpartition("/")[2]
    own = owner.post(f"/requests/{number}/approve", data={"csrf": secret(owner)})
    assert own.status_code == 400
    assert "somebody else must approve" in own.text
    empty = approver.post(f"/requests/{number}/refuse", data={"csrf": secret(approver)})
    assert empty.status_code == 400
    no = approver.post(f"/requests/{number}/refuse", data={"csrf": secret(approver), "answer": "too soon"})
    assert no.status_code == 303
    assert "too soon" in owner.get(f"/requests/{number}").text


@pytest.mark.parametrize("harm", ["ledger", "store", "folder"])
def test_a_request_whose_log_is_gone_can_be_refused(desk, damaged, harm):
    owner, approver = client(desk, "owner"), client(desk, "approver")
    ask = {"csrf": secret(owner), "mechanism": KOROLOVA, "out": f"left-{harm}", "people": "300"}
    asked = owner.post("/logs/shop/new", data=ask | {"rhythm": "once"})
    number = asked.headers["location"].rpartition("/")[2]
    with desk.database.transaction() as t:
        t.run("UPDATE requests SET log = 'harmed' WHERE id = ?", (number,))
    if harm == "store":
        (damaged / "store.json").write_text("{")
    if harm == "folder":
        (damaged / "store.json").unlink()
    shown = approver.get(f"/requests/{number}")
    assert shown.status_code == 200
    assert str(desk.folder) not in shown.text
    assert ("<button>Approve" in shown.text, "<button>Refuse" in shown.text) == (False, True)
    form = {"csrf": secret(approver), "answer": "its log is gone"}
    assert approver.post(f"/requests/{number}/approve", data=form).status_code == 400
    assert approver.post(f"/requests/{number}/refuse", data=form).status_code == 303
    page = owner.get(f"/requests/{number}").text
    assert "its log is gone" in page
    assert "<button>" not in page.partition("<main")[2]


NONSENSE = [
    "",
    "\0",
    "../../etc/passwd",
    "é" * 600,
    "1e999",
    "-1",
    "nan",
    "<script>alert(1)</script>",
    "Crowd(",
    "{{7*7}}",
]


@pytest.mark.parametrize("role", ROLES)
def test_nonsense_is_answered_and_never_a_fault(desk, role):
    """Each field of each form and address, with what people and programs send by mistake or on purpose."""
    at = client(desk, role)
    token = secret(at)
    fields = "name role epsilon delta mechanism mechanisms out people rhythm answer waiting columns".split()
    fields += ["format", "title", "ledger"]
    for i, text in enumerate(NONSENSE):
        for name, method, path, _handler in ROUTES:
            if name in (*OPEN, "logout", "publish_site", "resume"):
                continue
            log = ["shop", "none", "..", "%00"][i % 4]
            there = place(path, log=log, name="x" * 70, request="%2e%2e", job="é")
            if method == "GET":
                query = {"people": text, "rhythm": text, "mechanism": text, "words": text}
                answer = at.get(there, params=query if i % 2 else None)
            else:
                answer = at.post(there, data={"csrf": token, **dict.fromkeys(fields, text)})
            assert answer.status_code < 500, (name, text[:20])
            assert "<script>alert" not in answer.text


def test_the_wizard_asks_for_a_public_number_of_people_and_never_takes_the_logs(desk, tmp_path):
    """The number stands in the release, and the label says that it was not read from the log."""
    engineer = client(desk, "engineer")
    synthesize(tmp_path / "log.tsv", users=60, seed=1)
    import_log(tmp_path / "log.tsv", desk.folder / "stores" / "new-log")
    empty = engineer.get("/logs/new-log/new").text
    assert "Ladder(" not in empty
    assert 'name="people" inputmode="numeric" pattern="[0-9]+" required value=""' in empty
    assert "people=12345" in engineer.get("/logs/new-log/new?people=12345").text
    ask = {
        "csrf": secret(engineer),
        "mechanism": KOROLOVA,
        "out": "asked",
        "people": "4321",
        "rhythm": "once",
    }
    assert engineer.post("/logs/new-log/new", data=ask).status_code == 303
    assert "people=4321" in engineer.get("/logs/new-log/new").text  # said before, by somebody


@pytest.mark.parametrize("role", [None, "reader"])
def test_the_body_of_who_may_not_send_it_is_not_read(desk, role, monkeypatch):
    """It could be as large as the disk on which the ledger lies."""
    at = client(desk, role)

    async def read(*_given, **_options):
        raise AssertionError("the body was read")

    monkeypatch.setattr("starlette.requests.Request._get_form", read)
    answer = at.post("/import", files={"files": ("log.tsv", b"x" * 100_000)})
    assert answer.status_code == (303 if role is None else 403)
    assert at.post("/login", data={"name": "x" * 20_000, "password": "y"}).status_code == 413
