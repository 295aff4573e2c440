"""The report as people see it."""

import json
import shutil

import pyarrow.parquet as pq
import pytest

from crowdlog.comparison.page import _inline, report_page
from crowdlog.errors import InputError
from tests.comparison.conftest import MECHANISMS


def test_everything_is_inside_and_nothing_is_told(comparison):
    page = report_page(comparison)
    assert "For the owner of the log only" in page
    assert "canary" not in page
    assert all(name in page for name in ("Mechanisms compared", "no better than a guess", "crowdlog compare", "crowdlog release"))
    assert "<script src" not in page
    assert "stylesheet" not in page


def test_data_cannot_end_the_script():
    assert "</script" not in _inline({"mechanism": "</script><!--"}).lower()
    assert "<!--" not in _inline({"mechanism": "</script><!--"})


def test_results_lie_beside_the_page(comparison, tmp_path):
    path = comparison.plot(tmp_path / "new" / "report.html")
    assert sorted(file.name for file in path.parent.iterdir()) == ["report.html", "report.json", "report.parquet"]
    assert pq.read_table(path.with_suffix(".parquet")).num_rows == len(comparison.rows)
    assert [entry["mechanism"] for entry in json.loads(path.with_suffix(".json").read_text())["mechanisms"]] == list(MECHANISMS)


def test_a_report_that_cannot_be_written(comparison, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        comparison.plot(tmp_path / "file" / "report.html")


@pytest.mark.slow
def test_the_page_in_a_browser(comparison, tmp_path):
    """All charts are drawn, another measure can be chosen, no error, and no request but for the file."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed"
    path = comparison.plot(tmp_path / "report.html")
    complaints, requests = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        page = browser.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri(), timeout=120_000)
        for chart in ("frontier", "attacks", "frequency", "words", "topics", "exposure"):
            page.wait_for_selector(f"#{chart} svg", timeout=120_000, state="attached")
        assert "ε promised to one person" in page.text_content("#frontier svg")
        assert "success of the attack" in page.text_content("#attacks svg")
        assert "100%" in page.text_content("#frequency svg")
        assert "nature" in page.text_content("#topics svg")
        page.select_option("#frontier select", "coverage:queries:distinct", timeout=120_000)
        assert page.input_value("#frontier select") == "coverage:queries:distinct"
        assert page.locator("#frontier svg .mark-symbol path").count() >= len(MECHANISMS)
        browser.close()
    assert complaints == []
    assert requests == [path.as_uri()]
