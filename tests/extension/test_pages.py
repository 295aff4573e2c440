"""Every page, wide and narrow, light and dark: it opens, is labelled, and nothing sticks out."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.extension.browsers import ROOT, Chromium, built, chromium
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.test_developer import choose_file, lab_study

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

AXE = ROOT / "extension/node_modules/axe-core/axe.min.js"
PAGES = sorted(path.name for path in (ROOT / "extension/src/pages").glob("*.html"))

# What a screen reader needs: one heading, a name for every control, a language, alternative texts.
NAMELESS = """
const labelled = (one) => one.closest('label')?.textContent.trim() || one.textContent.trim();
const named = (one) => one.getAttribute('aria-label') || labelled(one);
const all = [...document.querySelectorAll('button, input, select, textarea, a')];
const controls = all.filter((one) => !named(one));
const pictures = [...document.querySelectorAll('img:not([alt]), svg:not([aria-label])')];
return [...controls, ...pictures].map((one) => one.outerHTML.slice(0, 80));
"""


def searches() -> str:
    now = int(time.time())
    texts = [
        "blue shoes",
        "blue shoes size 42",
        "shoe shops near me",
        "train times",
        "train times tomorrow",
        "cake recipe",
    ]
    rows = [
        {
            "user": "1",
            "query": text,
            "time": now - 3600 * 9 * n - 60 * m,
            "rank": 1,
            "url": f"https://{text.split()[0]}.example/{n}",
        }
        for n in range(5)
        for m, text in enumerate(texts)
    ]
    return "\n".join(map(json.dumps, rows))


def serious_faults(browser: Chromium) -> list[Any]:
    """What axe, a checker of accessibility, finds in the open page, contrast included."""
    browser.tab.evaluate(AXE.read_text() + "; undefined")
    found = browser.run("return (await axe.run()).violations.map(v => [v.impact, v.id, v.nodes[0].html])")
    return [fault for fault in found if fault[0] in ("serious", "critical")]


def unsigned_study(browser: Chromium) -> None:
    """Developer mode with a lab study in it, and some lines in its log."""
    browser.page("developer.html")
    browser.press("Turn developer mode on")
    choose_file(browser, "#unsigned", json.dumps(lab_study()))
    browser.wait("!!document.querySelector('[data-study=lab] button.main')")
    browser.click("[data-study=lab] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=lab] a')")
    browser.page("study.html#lab")
    browser.press("Begin with the first task")
    browser.wait("!!document.querySelector('.labtask')")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_pages(dark: bool, extension: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path) -> None:
    keep = os.environ.get("CROWDLOG_SCREENSHOTS")  # a folder to look at them
    with chromium(extension, tmp_path / "p", proxy.port, playwright=playwright, dark=dark) as browser:
        browser.page("welcome.html")
        browser.press("Start logging")
        browser.wait("document.querySelectorAll('[role=status]').length === 1")
        browser.page("simulator.html")
        browser.run(f"document.querySelector('#rows').value = {json.dumps(searches())}")
        browser.press("Replay")
        browser.wait("document.querySelector('#state').dataset.done === '60'")
        browser.page("studies.html")
        for study in ("coverage", "web-search-behavior", "post-query"):
            browser.wait(f"!!document.querySelector('[data-study={study}] button')")
            browser.run(f"document.querySelector('[data-study={study}] button').click()")
            browser.wait("!!document.querySelector('dialog button')")
            browser.run("document.querySelector('dialog button').click()")
            browser.wait(f"!!document.querySelector('[data-study={study}] a')")
        unsigned_study(browser)
        browser.search("blue shoes")
        for page in [
            *PAGES,
            *(f"study.html#{study}" for study in ("web-search-behavior", "coverage", "lab")),
        ]:
            name = page.replace(".html", "").replace("#", "-")
            browser.tab.goto("about:blank")
            for width in (1100, 360):
                browser.tab.set_viewport_size({"width": width, "height": 900})
                browser.page(page)
                browser.wait("document.body.childElementCount > 1")
                time.sleep(0.4)
                assert browser.run(NAMELESS) == [], page
                assert (
                    page == "popup.html" or browser.run("return document.querySelectorAll('h1').length") == 1
                )
                assert browser.run("return document.documentElement.lang") != ""
                assert serious_faults(browser) == [], page
                assert browser.run("return document.documentElement.scrollWidth") <= width, page
                assert browser.run("return document.querySelector('#problems')?.textContent ?? ''") == ""
                if keep:
                    path = Path(keep) / f"{name}-{width}{'-dark' if dark else ''}.png"
                    browser.tab.screenshot(path=path, full_page=True)


def test_a_build_is_repeatable(tmp_path: Path) -> None:
    for browser in ("chromium", "firefox"):
        zips = [(built(tmp_path / name) / f"crowdlog-{browser}.zip").read_bytes() for name in ("one", "two")]
        assert zips[0] == zips[1]


def test_manifest_asks_for_no_host_at_installation() -> None:
    manifest = json.loads((ROOT / "extension/manifest.json").read_text())
    assert "host_permissions" not in manifest
    named = (ROOT / "extension/STORE.md").read_text()
    assert all(f"`{name}`" in named for name in manifest["permissions"])


def test_kinds_of_data_are_explained() -> None:
    """Nothing is sent for the extension to work; what may be sent is told, and asked for by the code."""
    manifest = json.loads((ROOT / "extension/manifest.json").read_text())
    told = manifest["browser_specific_settings"]["gecko"]["data_collection_permissions"]
    assert told["required"] == ["none"]
    named = (ROOT / "extension/STORE.md").read_text()
    asked = (
        (ROOT / "extension/src/store/consents.ts").read_text().split("CONSENTS = ")[1].split(" as const")[0]
    )
    assert all(f"`{kind}`" in named for kind in told["optional"])
    assert json.loads(asked) == told["optional"]
