"""`crowdlog reproduce --figures`: one page with everything, kept results, and errors in one sentence."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.reproduce import figures as running
from crowdlog.reproduce import studies
from crowdlog.reproduce.page import FinishedStudy, page

MORE = Path(__file__).with_name("more_studies")


@pytest.fixture
def made_up(monkeypatch, tmp_path):
    """Only one study exists, here and in workers. The numbers of users it was run with."""
    runs = tmp_path / "runs"
    monkeypatch.setattr(studies, "STUDIES", {"made-up-9.9": "made_up"})
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(MORE)])
    monkeypatch.setenv("PYTHONPATH", f"{MORE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("CROWDLOG_TEST_RUNS", str(runs))
    return lambda: [int(line) for line in runs.read_text(encoding="utf-8").split()]


@pytest.mark.usefixtures("made_up")
def test_the_page_shows_values_and_verdicts():
    study = studies.find("made-up-9.9")
    shown = page([FinishedStudy(study, study.run(None))], 300)
    for words in (
        "Nobody 2000, Figure 9.9",
        "1,730.81",
        "As in the paper:</b> The sun shines.",
        "Ours: it &lt;snows&gt;.",
        "Set up &amp; done.",
        "Undecided:</b> It is warm.",
        "1 of 2 seeds of the noise",
    ):
        assert words in shown
    assert "crowdlog reproduce --figures made-up-9.9 --users 300" in shown
    assert "nothing here is a private release" in shown
    assert "A </script> figure" not in shown
    assert "<script src" not in shown
    assert "stylesheet" not in shown


def test_what_is_done_is_kept_for_its_number_of_users(made_up, tmp_path):
    for users in (100, 100, 200):
        (shown,) = running.figures(users=users, out=tmp_path / "out")
        assert shown.verdicts() == {"holds": 1, "differs": 1, "undecided": 1}
    assert made_up() == [100] * 5 + [200] * 5, "once for each noise"
    assert (tmp_path / "out" / "index.html").exists()
    assert (
        json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))[0]["name"]
        == "made-up-9.9"
    )


@pytest.mark.usefixtures("made_up")
def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written to"):
        running.figures(out=tmp_path / "file")


def test_the_command_prints_a_short_table_or_json(made_up, tmp_path):
    result = CliRunner().invoke(cli, ["reproduce", "--figures", "--users", "100", "-o", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "made-up-9.9" in result.output
    assert "undecided" in result.output
    assert "index.html" in result.output
    again = CliRunner().invoke(
        cli, ["reproduce", "--figures", "--users", "100", "-o", str(tmp_path), "--json"]
    )
    assert json.loads(again.output)["items"][0]["claims"][1]["why"] == "it <snows>"
    assert made_up() == [100] * 5


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "There is no study 'nonsense'. There are: korolova-figure-1"),
        (["--users", "5"], "at least 100 users. Got 5."),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence, tmp_path):
    result = CliRunner().invoke(cli, ["reproduce", "--figures", *arguments, "-o", str(tmp_path / "out")])
    assert isinstance(result.exception, InputError)
    assert sentence in str(result.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_killed_half_way_and_run_again_it_goes_on(tmp_path):
    kept = tmp_path / "work" / "300-users" / "kept"
    command = [
        sys.executable,
        "-m",
        "crowdlog.cli",
        "reproduce",
        "--figures",
        "korolova-figure-2",
        "--users",
        "300",
        "-o",
        str(tmp_path),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while len(list(kept.glob("*.json"))) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    before = {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")}
    assert len(before) >= 3
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    after = {file.name: file.stat().st_mtime_ns for file in kept.glob("*.json")}
    assert len(after) == 8 * 5 + 1, "eight releases with the noise of five seeds, and the study"
    assert before.items() <= after.items(), "what was done is not done again"
    assert (tmp_path / "index.html").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("made_up")
def test_the_page_in_a_browser(tmp_path):
    """All plots are drawn with their axes, no error, and no request but for the file."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    assert chromium, "chromium is not installed"
    running.figures(users=100, out=tmp_path)
    address, complaints, requests = (tmp_path / "index.html").as_uri(), [], []
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
        page.goto(address, timeout=120_000)
        for number in range(3):
            page.wait_for_selector(f"#made-up-9-9-{number} svg", timeout=120_000, state="attached")
            assert "share" in page.text_content(f"#made-up-9-9-{number} svg")
        assert page.locator("#made-up-9-9-3").count() == 0, "nothing to draw, nothing drawn"
        assert "printed" in page.text_content("#made-up-9-9-0 svg")
        browser.close()
    assert complaints == []
    assert requests == [address]
