"""The report as people see it."""

import json
import re
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from crowdlog.comparison.page import report_page
from crowdlog.comparison.rows import attack_verdict
from crowdlog.comparison.summary_table import answers, attacker_table, opening, shown_table, task_table
from crowdlog.comparison.tables import judged
from crowdlog.errors import InputError
from crowdlog.experiments.seeded_release import SeededRun
from tests.comparison.conftest import MECHANISMS

# The names written along the dashed lines of the frontier.
NAMED = (
    "[...document.querySelectorAll('#frontier svg .mark-text.role-mark text')].map(text => text.textContent)"
)

PAPER = 718  # what is left of the width of A4, in CSS pixels
# Words under an axis that do not fit into their drawing.
CUT_OFF = """[...document.querySelectorAll('#frontier svg, #attacks svg')].flatMap(drawing => {
    const all = drawing.getBoundingClientRect()
    return [...drawing.querySelectorAll('.role-axis-title text')].filter(text => {
        const box = text.getBoundingClientRect()
        return box.left < all.left || box.right > all.right
    })
})"""


def test_everything_is_inside_and_nothing_is_told(comparison):
    page = report_page(comparison)
    assert "For the owner of the log only" in page
    assert "canary" not in page
    assert all(
        name in page
        for name in ("Mechanisms compared", "no better than a guess", "crowdlog compare", "crowdlog release")
    )
    assert "<script src" not in page
    assert "stylesheet" not in page


def test_title_and_logo_can_be_set_and_measures_have_names(comparison, tmp_path):
    page = report_page(comparison, "Our <own> title", "image/png;base64,AAAA")
    assert "<h1>Our &lt;own&gt; title</h1>" in page
    assert '<img class="logo" src="data:image/png;base64,AAAA" alt="">' in page
    assert "searches covered" in page
    logo = tmp_path / "logo.svg"
    logo.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    written = comparison.plot(tmp_path / "report.html", title="Ours", logo=logo).read_text(encoding="utf-8")
    assert "<h1>Ours</h1>" in written
    assert "data:image/svg+xml;base64," in written


def test_what_an_owner_sees_first(comparison):
    """What each release shows, which tasks it supports, what an attacker gets: promises first in each."""
    assert [table.caption for table in opening(comparison)] == [
        "What each release shows",
        "Which tasks each release supports",
        "What an attacker gets",
    ]
    table = shown_table(comparison)
    assert [row[0].text for row in table.rows] == [MECHANISMS[1], MECHANISMS[2], MECHANISMS[0]]
    covered, rows = table.columns.index("searches covered"), table.columns.index("rows published")
    assert table.numeric[covered]
    assert "75.0%" in [row[covered].text for row in table.rows]
    assert [row[rows].text for row in table.rows] == ["3 queries", "0 queries", "3 queries"]
    assert table.rows[-1][1].text == "k-anonymity of queries, k = 5"
    assert len(attacker_table(comparison).columns) == 4


def test_the_log_itself_is_the_first_line_of_the_tasks(comparison):
    table = task_table(comparison)
    assert table.rows[0][0].text == "the log itself, on held-out people"
    assert re.search(r": the measure of the others; answers [\d.]+%$", table.rows[0][2].text)
    assert all(row[2].text == "✗ no: nothing is published that it needs" for row in table.rows[1:])
    assert answers(comparison) == ["Ad-hoc search: supported by no release that promises anything."]


def point(**changes):
    return {"broken": False, "low": 0.5, "chance": 0.5, "admitted": 0.88, "value": 0.6} | changes


@pytest.mark.parametrize(
    ("changes", "verdict_", "words"),
    [
        ({"low": 0.45}, "guess", "no better than a guess"),
        ({"low": 0.55}, "admitted", "better than a guess, within the promise"),
        ({"low": 0.55, "admitted": None}, "admitted", "better than a guess, as the label says"),
        ({"low": 0.9, "broken": True}, "broken", "more than the promise admits"),
        ({"low": 0.9, "broken": True, "admitted": None}, "broken", "better than a guess"),
        ({"low": 0.9, "broken": True, "admitted": 0.5}, "broken", "better than a guess"),
    ],
)
def test_an_attack_is_judged_in_true_words(changes, verdict_, words):
    assert attack_verdict(point(**changes)) == verdict_
    assert judged(point(**changes)).text.lstrip("▲△ ") == words


def test_failures_are_listed(comparison):
    page = report_page(
        replace(
            comparison,
            failures={
                SeededRun("FTu(k=9)", 2): InputError("The trial of FTu(k=9) with seed 2 was <stopped>.")
            },
        )
    )
    assert "Some trials failed" in page
    assert "was &lt;stopped&gt;." in page


def test_results_lie_beside_the_page(comparison, tmp_path):
    path = comparison.plot(tmp_path / "new" / "report.html")
    assert sorted(file.name for file in path.parent.iterdir()) == [
        "report.html",
        "report.json",
        "report.parquet",
    ]
    assert pq.read_table(path.with_suffix(".parquet")).num_rows == len(comparison.rows)
    assert [
        entry["mechanism"] for entry in json.loads(path.with_suffix(".json").read_text())["mechanisms"]
    ] == list(MECHANISMS)


def test_a_report_that_cannot_be_written(comparison, tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "report.html").mkdir(parents=True)
    for folder in ("file", "folder"):
        with pytest.raises(InputError, match="cannot be written"):
            comparison.plot(tmp_path / folder / "report.html")
    assert list(tmp_path.rglob("*.partial*")) == []


@pytest.mark.slow
def test_the_page_in_a_browser(comparison, tmp_path):
    """All charts are drawn, another measure can be chosen, no error, and no request but for the file."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed"
    path = comparison.plot(tmp_path / "report.html")
    complaints, requests = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page()
        page.on(
            "console",
            lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri(), timeout=120_000)
        for chart in ("frontier", "attacks", "frequency", "words", "topics", "exposure"):
            page.wait_for_selector(f"#{chart} svg", timeout=120_000, state="attached")
        assert "ε promised to one person" in page.text_content("#frontier svg")
        assert "success of the attack" in page.text_content("#attacks svg")
        assert "100" in page.text_content("#frequency svg")
        assert "nature" in page.text_content("#topics svg")
        page.select_option("#frontier select", "coverage:queries:distinct", timeout=120_000)
        assert page.input_value("#frontier select") == "coverage:queries:distinct"
        assert page.locator("#frontier svg .mark-symbol path").count() >= len(MECHANISMS)
        page.check("#frontier input[name=logarithmic]", timeout=120_000)
        page.wait_for_function(f"{NAMED}.includes('FTu(k=5)')", timeout=120_000)
        page.uncheck("#frontier input[name=unpromised]", timeout=120_000)
        page.wait_for_function(f"!{NAMED}.includes('FTu(k=5)')", timeout=120_000)
        for width in (1200, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (
                "the page itself is never wider than the window"
            )
            page.wait_for_function(f"!{CUT_OFF}.length", timeout=120_000)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": PAPER, "height": 1000})
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER, "print would be made smaller"
        browser.close()
    assert complaints == []
    assert requests == [path.as_uri()]
