"""What several tests begin with: logging turned on, and a log replayed by the extension's own simulator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any


def started(browser: Any, pages: bool = False) -> Any:
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    if pages:
        browser.press("Log pages too")
        browser.wait("document.querySelectorAll('[role=status]').length === 2")
    return browser


def replayed(browser: Any, rows: Sequence[dict[str, Any]], events: int) -> None:
    """Rows with `query`, `time` and perhaps `rank` and `url`; `events`: how many they become."""
    browser.page("simulator.html")
    text = "\n".join(json.dumps({"user": "1", **row}) for row in rows)
    browser.run(f"document.querySelector('#rows').value = {json.dumps(text)}")
    browser.press("Replay")
    browser.wait(f"document.querySelector('#state').dataset.done === '{events}'")


# A page's downloads end up here, as text, and no file is written.
SAVE_BLOBS = """
window.saved = '';
URL.createObjectURL = (blob) => { blob.text().then((text) => (window.saved = text)); return 'data:,'; };
HTMLAnchorElement.prototype.click = () => undefined;
"""
