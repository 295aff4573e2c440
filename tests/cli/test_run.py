"""A pipeline from an export to verified tables, in real processes: once, again, stopped, refused."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.release.publish import open_ledger

DOCS = Path(__file__).parents[2] / "docs"
PIPELINE = """
[import]
logs = ["*.tsv"]
store = "stores/{month}"

[budget]
epsilon = 6
delta = 1e-2

[release]
mechanism = "Korolova(epsilon=5, delta=1e-3, d=10)"
out = "releases/{month}"

[verify]

[export]
format = "parquet"
out = "tables/{month}"
"""


@pytest.fixture
def folder(tmp_path):
    synthesize(tmp_path / "log.tsv", users=300, seed=3)
    (tmp_path / "pipeline.toml").write_text(PIPELINE)
    return tmp_path


def run(folder, *words):
    done = [sys.executable, "-m", "crowdlog.cli", *words]
    return subprocess.run(done, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.slow
def test_a_pipeline_runs_once_and_is_not_charged_again(folder):
    words = ("--log-format", "json", "run", "pipeline.toml", "--date", "2026-11-17", "--json")
    first = run(folder, *words)
    assert first.returncode == 0, first.stderr
    done = json.loads(first.stdout)
    assert done["json_version"] == 1
    names = [step["step"] for step in done["steps"]]
    assert names == ["import", "budget", "resume", "release", "verify", "export"]
    assert (folder / "releases/2026-11/label.json").exists()
    assert done["steps"][0]["result"]["rows"] > 0
    assert done["steps"][3]["result"]["crowdlog"]
    told = [json.loads(line) for line in first.stderr.splitlines()]  # all of it is JSON
    assert {"Reading", "Sorting and writing"} <= {line.get("stage") for line in told}
    again = json.loads(run(folder, *words).stdout)
    states = {step["step"]: step["state"] for step in again["steps"]}
    assert (states["import"], states["release"], states["export"]) == ("there already",) * 3
    with open_ledger(LogStore.open(folder / "stores/2026-11")) as ledger:
        assert len(ledger.entries()) == 1


def test_the_commands_alone_are_json_too(folder):
    told = run(folder, "run", "pipeline.toml", "--dry-run", "--json")
    commands = json.loads(told.stdout)["commands"]
    assert [words[:2] for words in commands] == [
        ["crowdlog", step] for step in ("import", "budget", "resume", "release", "verify", "export")
    ]
    assert told.stderr == ""


@pytest.mark.slow
def test_errors_are_json_with_the_exit_code_of_the_step(folder, monkeypatch):
    text = PIPELINE.replace("epsilon=5", "epsilon=9")
    (folder / "pipeline.toml").write_text(text)
    answer = run(folder, "--quiet", "run", "pipeline.toml", "--json")
    *_notes, error = map(json.loads, answer.stderr.splitlines())
    assert answer.stdout == ""
    assert (answer.returncode, error["error"]["kind"], error["json_version"]) == (2, "privacy", 1)
    spec = importlib.util.spec_from_file_location("dag", DOCS / "examples" / "airflow_dag.py")
    dag = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dag)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.chdir(folder)
    with pytest.raises(dag.RefusedError, match="budget"):
        dag.publish("2026-11-17")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[import", "is no TOML file"),
        ("[import]\nlogs = 'x'\n", "needs logs, store"),
        ("[improt]\n", "has the section [improt]"),
    ],
)
def test_a_wrong_file_gets_a_sentence(folder, text, message):
    (folder / "pipeline.toml").write_text(text)
    answer = run(folder, "run", "pipeline.toml")
    assert answer.returncode == 1
    assert message in answer.stderr


def test_quiet_prints_nothing_and_typos_are_answered(folder):
    answer = run(folder, "--quiet", "import", "log.tsv", "-o", "store")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert "Did you mean 'release'?" in run(folder, "relase").stderr


def test_the_page_shows_a_pipeline_that_can_be_read(folder):
    page = (DOCS / "pipelines.md").read_text(encoding="utf-8")
    (folder / "pipeline.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    answer = run(folder, "run", "pipeline.toml", "--dry-run", "--date", "2026-10-31")
    commands = answer.stdout.splitlines()
    assert commands[0].startswith("crowdlog import ")
    assert "--ledger people.sqlite" in commands[0]
    assert commands[1] == "crowdlog budget stores/2026-10 --epsilon 3 --delta 1e-06 --gaussian"
    assert commands[-1].startswith("crowdlog site releases --title ")


@pytest.mark.slow
def test_the_pages_pipeline_runs_from_nothing_again_and_a_month_later(folder):
    """In a folder with exports and nothing else, started from elsewhere. One ledger, two charges."""
    page = (DOCS / "pipelines.md").read_text(encoding="utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    (folder / "pipeline.toml").write_text(text)
    rows = [line.split("\t") for line in (folder / "log.tsv").read_text().splitlines()[1:]]
    for month in ("2026-10", "2026-11"):
        (folder / "exports" / month).mkdir(parents=True)
        told = ({"user_id": row[0], "query": row[1], "time": row[2]} for row in rows)
        lines = "".join(json.dumps(each) + "\n" for each in told)
        (folder / "exports" / month / "searches.jsonl").write_text(lines)
    (folder / "elsewhere").mkdir()
    for day in ("2026-10-31", "2026-10-31", "2026-11-30"):
        done = run(folder / "elsewhere", "run", "../pipeline.toml", "--date", day)
        assert done.returncode == 0, done.stderr
    with open_ledger(LogStore.open(folder / "stores/2026-11")) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["published", "published"]
    assert (folder / "people.sqlite").exists()
    assert (folder / "public" / "index.html").exists()
    (folder / "people.sqlite").unlink()
    (folder / "stores" / "2026-10").rename(folder / "elsewhere" / "moved")
    lost = run(folder, "run", "pipeline.toml", "--date", "2026-10-31")
    assert lost.returncode in (1, 2), "a ledger that is lost is not begun again"


def test_when_a_ledger_begins_is_said_by_a_date(folder):
    text = PIPELINE.replace("[budget]", 'ledger = "people.sqlite"\nnew-ledger = "2026-10"\n\n[budget]')
    (folder / "pipeline.toml").write_text(text)
    for day, begins in (("2026-10-01", True), ("2026-11-01", False)):
        told = run(folder, "run", "pipeline.toml", "--dry-run", "--date", day)
        assert ("--new-ledger" in told.stdout) == begins
    (folder / "people.sqlite").touch()
    assert (
        "--new-ledger" not in run(folder, "run", "pipeline.toml", "--dry-run", "--date", "2026-10-02").stdout
    )
    (folder / "pipeline.toml").write_text(text.replace('"2026-10"', '"soon"'))
    answer = run(folder, "run", "pipeline.toml", "--dry-run")
    assert (answer.returncode, "the year, month or day" in answer.stderr) == (1, True)


@pytest.mark.slow
def test_a_store_goes_on_with_its_ledger(folder):
    """The rows of both, one budget; the old store is as it was."""
    rows = (folder / "log.tsv").read_text().splitlines(keepends=True)
    (folder / "one.tsv").write_text("".join(rows[: len(rows) // 2]))
    (folder / "two.tsv").write_text("".join([rows[0], *rows[len(rows) // 2 :]]))
    for words in (
        ("import", "log.tsv", "-o", "whole"),
        ("import", "one.tsv", "-o", "old", "--ledger", "own"),
        ("import", "two.tsv", "--append", "old", "-o", "new"),
    ):
        assert run(folder, *words).returncode == 0
    whole, old, new = (LogStore.open(folder / name) for name in ("whole", "old", "new"))
    assert (new.info.rows, new.info.users, new.info.clicks) == (
        whole.info.rows,
        whole.info.users,
        whole.info.clicks,
    )
    assert new.info.content_hash == whole.info.content_hash
    assert Path(new.ledger()) == Path(old.ledger())
    old.check()
