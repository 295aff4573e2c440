"""Calls an application in this process, without a network.

Inside `with` the application's background tasks run too.
"""

import asyncio
from contextlib import ExitStack

import httpx
from anyio.from_thread import start_blocking_portal


class AppClient:
    def __init__(self, app, *, address: str = "127.0.0.1", headers: dict | None = None) -> None:
        self._app, self._address, self._headers = app, address, headers
        self._portal, self._stack = None, ExitStack()

    def __enter__(self):
        self._portal = self._stack.enter_context(start_blocking_portal())
        self._stack.enter_context(
            self._portal.wrap_async_context_manager(self._app.router.lifespan_context(self._app))
        )
        return self

    def __exit__(self, *exc) -> None:
        self._stack.close()

    def request(self, method: str, path: str, **options) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(
                self._app, raise_app_exceptions=False, client=(self._address, 50000)
            )
            async with httpx.AsyncClient(
                transport=transport, base_url="http://service", headers=self._headers
            ) as client:
                return await client.request(method, path, **options)

        return asyncio.run(ask()) if self._portal is None else self._portal.call(ask)

    def get(self, path: str, **options) -> httpx.Response:
        return self.request("GET", path, **options)

    def post(self, path: str, **options) -> httpx.Response:
        return self.request("POST", path, **options)

    def delete(self, path: str, **options) -> httpx.Response:
        return self.request("DELETE", path, **options)
