"""One build of the extension and one Playwright for all tests; a proxy and a profile for each."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.extension.browsers import Chromium, Firefox, built, chromium, firefox, granting_chromium
from tests.extension.recording_proxy import RecordingProxy


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("extension"))


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as a store gets it: no optional host is granted."""
    return built(tmp_path_factory.mktemp("stock"), grant=False)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        yield driver


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[RecordingProxy]:
    with RecordingProxy(tmp_path).running() as running:
        yield running


Start = Callable[[str], Chromium | Firefox]


@pytest.fixture
def start(extension: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path) -> Iterator[Start]:
    """Start a browser by name with a fresh profile."""
    with ExitStack() as stack:
        profiles = iter(range(100))

        def starting(name: str) -> Chromium | Firefox:
            profile = tmp_path / f"profile{next(profiles)}"
            browser: AbstractContextManager[Chromium | Firefox] = (
                chromium(extension, profile, proxy.port, playwright=playwright)
                if name == "chromium"
                else firefox(extension, profile, proxy.port)
            )
            return stack.enter_context(browser)

        yield starting


@pytest.fixture
def start_stock(stock: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path) -> Iterator[Start]:
    """Start a browser by name with what a store gets; the browser grants what it is asked for."""
    with ExitStack() as stack:

        def starting(name: str) -> Chromium | Firefox:
            browser: AbstractContextManager[Chromium | Firefox] = (
                granting_chromium(stock, tmp_path / "profile", proxy.port, playwright=playwright)
                if name == "chromium"
                else firefox(stock, tmp_path / "profile", proxy.port)
            )
            return stack.enter_context(browser)

        yield starting
