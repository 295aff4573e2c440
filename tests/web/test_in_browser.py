"""A stranger's hour in a real browser, and a server that is killed in the middle of a release."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.routing import compile_path

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.release.folder import Release
from crowdlog.release.publish import open_ledger
from crowdlog.web.app import ROUTES
from tests.web.server import PASSWORD, Server, add_people

DOWNLOADS = {"file"}  # no page
AXE = Path(__file__).parents[2] / "extension" / "node_modules" / "axe-core" / "axe.min.js"
# Where to keep pictures of every screen; they are looked at by people.
PICTURES = os.environ.get("CROWDLOG_PICTURES")
SIZES = {"desktop": (1400, 900), "phone": (390, 844)}
SEEN: set[str] = set()  # the paths of the pages that were looked at
SEARCHED = ("opening hours", "renew a book", "crime novels", "street map", "reading room")


def ubi_export(folder: Path) -> list[Path]:
    """Queries and events of 600 people, as UBI's two indices give them; one search is nobody else's."""
    asked, clicked = [], []
    for person in range(600):
        for n, query in enumerate(SEARCHED[: 2 + person % 4]):
            own = {"query_id": f"q{person}-{n}", "client_id": f"c{person}"}
            own["timestamp"] = f"2024-03-{1 + person % 28:02d}T10:{n:02d}:00Z"
            asked.append(own | {"user_query": query})
            link = {"object": {"object_id": f"/{query.replace(' ', '-')}"}, "position": {"ordinal": 1}}
            clicked.append(own | {"action_name": "click", "event_attributes": link})
    asked.append(asked[0] | {"query_id": "alone", "user_query": "CANARY secret"})
    made = []
    for name, rows in (("ubi_queries", asked), ("ubi_events", clicked)):
        path = folder / f"{name}.ndjson"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        made.append(path)
    return made


class Person:
    """Somebody with a browser of her own."""

    def __init__(self, browser, address: str, role: str, tmp_path: Path) -> None:
        self.page = browser.new_page()
        self.complaints: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.address = address
        self.folder = Path(PICTURES) if PICTURES else tmp_path / "pictures"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.page.goto(f"{address}/login")
        if role == "owner":
            self.look("0-login")
        self.page.fill("#name", role)
        self.page.fill("#password", PASSWORD)
        self.page.click("main button")
        self.page.wait_for_url(f"{address}/", timeout=120_000)
        self.page.set_default_timeout(120_000)

    def _hear(self, message) -> None:
        """What the page's own rules for scripts forbid is told here."""
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def look(self, name: str) -> None:
        """A picture at both sizes; nothing is wider than the screen; nothing was forbidden; axe finds no
        serious fault. It is brought in by the driver: pages allow no script but their own.
        """
        SEEN.add(urlsplit(self.page.url).path)
        assert self.complaints == [], name
        self.page.evaluate(AXE.read_text(encoding="utf-8") + "; undefined")
        for size, (width, height) in SIZES.items():
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.screenshot(path=self.folder / f"{name}-{size}.png", full_page=True)
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (name, size, wide)
            found = self.page.evaluate(
                "axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes[0].html]))"
            )
            assert [each for each in found if each[0] in ("serious", "critical")] == [], (name, size)

    def work_done(self, state: str = "done") -> None:
        """Wait for the work of the page that is open. A page that is on its way has no title."""
        for _ in range(600):
            title = self.page.title()
            if title and "running" not in title:
                break
            time.sleep(0.3)
            self.page.reload()
        assert state in self.page.title(), self.page.text_content("main")


@pytest.mark.slow
def test_a_strangers_hour_in_a_browser(tmp_path):
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed"
    assert AXE.exists(), "run: cd extension && npm ci"
    desk = tmp_path / "desk"
    add_people(desk)
    files = ubi_export(tmp_path)
    with Server(desk) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        engineer, owner, approver = (
            Person(browser, server.address, role, tmp_path) for role in ("engineer", "owner", "approver")
        )
        engineer.look("1-logs-empty")
        (desk / "inbox" / "odd.csv").write_text("a,b\nCANARY,2\n")
        engineer.page.goto(f"{server.address}/import")
        engineer.page.click("summary")
        engineer.look("2-import")
        engineer.page.fill("#name", "odd")
        engineer.page.check("input[name=waiting]")
        engineer.page.click("main form button")
        engineer.work_done("failed")
        engineer.look("2b-not-recognised")
        engineer.page.goto(f"{server.address}/logs/nothing")
        assert engineer.page.is_visible("text=Back to the logs")
        engineer.complaints.clear()  # the browser tells of the answer 400
        engineer.look("2c-error")
        engineer.page.goto(f"{server.address}/import")
        engineer.page.fill("#name", "library")
        engineer.page.set_input_files("#files", [str(path) for path in files])
        engineer.page.click("main button")
        engineer.work_done()
        engineer.look("3-imported")
        owner.page.goto(f"{server.address}/logs/library")
        owner.page.fill("#epsilon", "30")
        owner.page.fill("#delta", "0.5")
        owner.page.select_option("#rule", "sum")
        owner.page.click("text=Set the budget")
        owner.look("4-log-with-budget")
        engineer.page.goto(f"{server.address}/logs/library/new")
        engineer.page.fill("#people", "600")
        engineer.page.select_option("#purpose", "queries")
        engineer.page.click("text=Advise me")
        engineer.look("5-wizard")
        engineer.page.fill("#out", "march")
        engineer.page.click("text=Request the release")
        engineer.look("6-request")
        approver.page.goto(f"{server.address}/requests")
        approver.look("7-requests")
        approver.page.click("text=march")
        approver.look("8-approval")
        approver.page.click("text=Approve: charge the budget and publish")
        approver.work_done()
        approver.page.goto(f"{server.address}/releases/march")
        approver.page.fill("#words", "crime")
        approver.page.click("form[role=search] button")
        approver.page.wait_for_selector("[aria-label='Found queries'] th:has-text('crime novels')")
        approver.look("9-release")
        owner.page.goto(f"{server.address}/logs/library")
        owner.page.fill("#mechanisms", "Korolova(epsilon=3, delta=1e-4, d=5)\nFTu(k=20)")
        owner.page.click("text=Look and compare")
        owner.work_done()
        owner.page.click("text=See the comparison")
        for chart in ("frontier", "attacks", "frequency", "words"):
            owner.page.wait_for_selector(f"#{chart} svg .mark-symbol path, #{chart} svg .mark-rect path")
        owner.page.select_option("#frontier select", "coverage:queries:distinct")
        owner.look("9b-comparison")
        owner.page.goto(f"{server.address}/logs/library")
        assert owner.page.is_visible("text=Looks at the log that no promise covers")
        owner.look("9c-log-after-a-look")
        owner.page.goto(server.address)
        owner.page.fill("#title", "What readers search for")
        owner.page.click("text=Make the public site")
        owner.look("10-logs")
        for number, place in enumerate(("schedule", "people", "audit"), 11):
            owner.page.goto(f"{server.address}/{place}")
            owner.look(f"{number}-{place}")
        owner.page.goto((desk / "public" / "index.html").as_uri())
        owner.look("14-site")
        owner.page.goto((desk / "public" / "search.html").as_uri())
        owner.page.fill("#words", "reading")
        assert owner.page.is_visible("td:has-text('reading room'), th:has-text('reading room')")
        owner.look("15-site-search")
        for number, path in enumerate(sorted((desk / "public").rglob("*.html")), 16):
            owner.page.goto(path.as_uri())
            owner.look(f"{number}-site-{path.stem}")
        browser.close()
    for name, method, path, _handler in ROUTES:
        seen = any(compile_path(path)[0].match(each) for each in SEEN)
        assert seen or method != "GET" or name in DOWNLOADS, f"nobody looked at the page {name}"
    assert server.said == ""
    for path in (desk / "public").rglob("*"):
        assert path.is_dir() or b"CANARY" not in path.read_bytes(), path


def act(browser: LoggedIn, place: str, **fields: str) -> httpx.Response:
    secret = re.search(r'name="csrf" value="([0-9a-f]+)"', browser.get("/").text)[1]
    return browser.post(place, data={"csrf": secret, **fields})


class LoggedIn:
    """Somebody without a browser; each request has a connection of its own, so that none is left open."""

    def __init__(self, address: str, role: str) -> None:
        self._address = address
        self._cookies: dict[str, str] = {}
        assert self.post("/login", data={"name": role, "password": PASSWORD}).status_code == 303

    def _ask(self, method: str, place: str, **options) -> httpx.Response:
        with httpx.Client(base_url=self._address, cookies=self._cookies, timeout=120) as connection:
            answer = connection.request(method, place, **options)
            self._cookies = dict(connection.cookies)
            return answer

    def get(self, place: str) -> httpx.Response:
        return self._ask("GET", place)

    def post(self, place: str, **options) -> httpx.Response:
        return self._ask("POST", place, **options)


@pytest.mark.slow
def test_a_server_killed_during_a_release_is_resumed_with_one_charge(tmp_path):
    desk = tmp_path / "desk"
    add_people(desk)
    synthesize(tmp_path / "log.tsv", users=3000, seed=2)
    import_log(tmp_path / "log.tsv", desk / "stores" / "shop")
    store = LogStore.open(desk / "stores" / "shop")
    with Server(desk) as server:
        engineer, owner, approver = (LoggedIn(server.address, r) for r in ("engineer", "owner", "approver"))
        assert act(owner, "/logs/shop/budget", epsilon="5", delta="1e-4", rule="sum").status_code == 303
        wish = {"mechanism": "Crowd(epsilon=2, delta=1e-6)", "out": "one", "people": "3000", "rhythm": "once"}
        asked = act(engineer, "/logs/shop/new", **wish)
        approved = act(approver, f"{asked.headers['location']}/approve")
        assert approved.status_code == 303
        for _ in range(3000):
            with open_ledger(store) as ledger:
                if ledger.entries():
                    break
            time.sleep(0.02)
    with open_ledger(store) as ledger:
        (charge,) = ledger.entries()
    assert charge.state == "charged", "the server was killed too late to test anything"
    assert not (desk / "releases" / "one").exists()
    time.sleep(1)  # what the server had started ended with it
    with Server(desk) as server:
        engineer = LoggedIn(server.address, "engineer")
        assert "interrupted" in engineer.get(approved.headers["location"]).text
        assert "Resume" in engineer.get("/logs/shop").text
        number = act(engineer, "/logs/shop/resume").headers["location"]
        for _ in range(600):
            page = engineer.get(number).text
            if "running" not in page.split("</title>")[0]:
                break
            time.sleep(0.3)
        assert "done" in page.split("</title>")[0], page
        Release.open(desk / "releases" / "one").check()
    with open_ledger(store) as ledger:
        (charge,) = ledger.entries()
    assert charge.state == "published"
