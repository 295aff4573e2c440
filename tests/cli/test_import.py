"""`crowdlog import` and `crowdlog show` as people call them."""

import json
import subprocess
import sys

import pytest

LOG = (
    "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
    "7\tCANARYgood\t2006-03-01 10:00:00\t1\thttp://CANARYurl.example\n"
    "7\tCANARYbad\tnever\t\t\n"
    "7\t-\t2006-03-01 10:00:00\t\t\n"
)


def run(*args: str, cwd) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", *args], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "log.tsv").write_text(LOG)
    return tmp_path


def test_counts_are_shown_and_no_text(folder):
    for args in (("import", "log.tsv", "-o", "store"), ("show", "store")):
        answer = run(*args, cwd=folder)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert "CANARY" not in answer.stdout
        assert "unreadable time: 1" in answer.stdout
    assert "CANARYbad" in (folder / "store.rejects.tsv").read_text()


def test_showing_figures_is_a_look_at_the_log(folder):
    for args in (("import", "log.tsv", "-o", "store"), ("show", "store"), ("show", "store", "--json")):
        assert run(*args, cwd=folder).returncode == 0
    looks = json.loads(run("budget", "store", "--json", cwd=folder).stdout)["looks"]
    assert [look["how"] for look in looks] == ["show", "show"]


def test_json(folder):
    answer = json.loads(run("import", "log.tsv", "-o", "store", "--json", cwd=folder).stdout)
    assert (answer["rows"], answer["scrubbed"], answer["rejected"]) == (1, 1, {"unreadable time": 1})
    figures = json.loads(run("show", "store", "--json", cwd=folder).stdout)
    assert figures["queries_per_user"]["median"] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("import", "log.tsv", "-o", "log.tsv"), "log.tsv exists already"),
        (("import", "log.tsv", "-o", "s", "--strict"), "Line 3 of log.tsv cannot be read: unreadable time"),
        (("import", "none.tsv", "-o", "s"), "There is no file or folder none.tsv"),
        (("import", "log.tsv", "-o", "s", "--columns", "user"), "--columns is written user="),
        (("import", "log.tsv", "-o", "s", "--memory", "lots"), "'lots' is not a size of memory"),
        (("show", "none"), "There is no log store none"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_1(folder, args, message):
    answer = run(*args, cwd=folder)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"crowdlog: {message}")
    assert answer.stderr.count("\n") == 1
    assert "CANARY" not in answer.stdout + answer.stderr
    assert [p.name for p in folder.iterdir()] == ["log.tsv"]


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (("2024-03-01 10:00:00", "2024-03-05 10:00:00"), "of 2024-03-01 to 2024-03-05 (UTC).\n"),
        (("45352.4", "45356.4"), "of 1970-01-01 to 1970-01-01 (UTC). Is that right? --time-format says"),
    ],
    ids=["days", "a workbook's numbers of days"],
)
def test_the_days_of_a_log_are_told(tmp_path, times, told):
    """Once times in a unit that is not known were read as of 1970 without a word."""
    rows = "".join(f"u{n},q,{moment}\n" for n, moment in enumerate(times))
    (tmp_path / "log.csv").write_text("user,query,time\n" + rows)
    answer = run("import", "log.csv", "-o", "store", "--ledger", "own", cwd=tmp_path)
    assert f"Its searches are {told}" in answer.stdout
