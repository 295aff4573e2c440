"""Somebody who uses the dashboard, without a window."""

from __future__ import annotations

import asyncio
import re
import time

import httpx

from crowdlog.web.app import make_app
from crowdlog.web.workspace import Workspace

PASSWORD = "long enough, and more"


class Browser:
    """A browser without windows: keeps cookies, follows nothing, and sees faults as answers."""

    def __init__(self, app) -> None:
        self._app = app
        self.cookies: dict[str, str] = {}

    def request(self, method: str, place: str, **options) -> httpx.Response:
        return asyncio.run(self._request(method, place, options))

    async def _request(self, method: str, place: str, options) -> httpx.Response:
        transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://desk.example", cookies=self.cookies
        ) as browser:
            answer = await browser.request(method, place, **options)
            self.cookies = dict(browser.cookies)
            return answer

    def get(self, place: str, **options) -> httpx.Response:
        return self.request("GET", place, **options)

    def post(self, place: str, **options) -> httpx.Response:
        return self.request("POST", place, **options)


def client(workspace: Workspace, role: str | None) -> Browser:
    made = Browser(make_app(workspace, limits=False))
    if role is not None:
        answer = made.post("/login", data={"name": role, "password": PASSWORD})
        assert answer.status_code == 303
    return made


def secret(at: Browser) -> str:
    """What every form of this person brings along."""
    return re.search(r'name="csrf" value="([0-9a-f]+)"', at.get("/").text)[1]


def wait(workspace: Workspace, number: str) -> str:
    for _ in range(1200):
        (job,) = [job for job in workspace.jobs() if job.id == number]
        if job.state != "running":
            assert job.state == "done", job.told
            return job.told
        time.sleep(0.1)
    raise AssertionError("the work did not end")
