"""`crowdlog score` as people call it."""

import json
import subprocess
import sys

import pyarrow as pa
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli, main
from crowdlog.log.importer import import_log
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.folder import write_folder
from crowdlog.release.promise import Promise
from tests.support.hand_made import draft


def run(*args):
    """The command in this process: starting Python costs more than the measuring."""
    return CliRunner().invoke(cli, ["score", *map(str, args)])


@pytest.fixture
def files(tmp_path):
    """A store of 40 people and a release of it."""
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user in range(1, 41):
        lines.append(f"{user}\tcanary{user} pie\t2006-03-01 10:00:00\t\t")
        lines.append(f"{user}\tpie\t2006-03-01 10:01:00\t1\thttp://bake.com")
    (tmp_path / "log.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = import_log([tmp_path / "log.tsv"], tmp_path / "store")
    tables = {
        "queries": pa.table({"query": ["pie"], "count": [40]}),
        "clicks": pa.table({"query": ["pie"], "url": ["http://bake.com"], "count": [39]}),
    }
    nothing = Promise(NO_GUARANTEE, ())
    write_folder(tmp_path / "out", draft(tables, store.info.id, "Test()", nothing))
    write_folder(tmp_path / "empty", draft({}, store.info.id, "Test()", nothing))
    write_folder(tmp_path / "foreign", draft(tables, "0" * 64, "Test()", nothing))
    return tmp_path


def test_the_example_of_the_help(files):
    arguments = [
        "score",
        str(files / "out"),
        "--truth",
        str(files / "store"),
        "--on",
        "coverage,adhoc:nDCG@10",
    ]
    answer = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", *arguments], capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    line = "adhoc:RW:per-query:nDCG@10                1.0000  [1.0000, 1.0000]           1"
    assert line in answer.stdout
    assert answer.stdout.index("adhoc:RW:nDCG@10") < answer.stdout.index(line), "per search comes first"
    assert "people it is tested on" in answer.stdout
    assert "canary" not in answer.stdout + answer.stderr


def test_json_has_everything(files):
    answer = run(
        files / "out",
        "--truth",
        files / "store",
        "--on",
        "adhoc:RW:per-query:P@5",
        "--folds",
        "2",
        "--fold",
        "all",
        "--json",
    )
    (entry,) = json.loads(answer.stdout)["items"]
    assert entry["name"] == "adhoc:RW:per-query:P@5"
    assert entry["value"] == pytest.approx(0.2)
    assert entry["evaluated"] == 2
    assert entry["details"]["common"] == 2


def test_held_out_people(files):
    answer = run(files / "out", "--truth", files / "store", "--test", files / "store", "--on", "adhoc:RW:P@5")
    assert answer.exit_code == 0
    assert "people it is tested on" not in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["foreign", "--truth", "store"], "not made from the log given as truth"),
        (["empty", "--truth", "store"], "is empty"),
        (["out", "--truth", "store", "--on", "magic"], "no measure 'magic'"),
        (["out", "--truth", "out"], "not a log store"),
        (["store", "--truth", "store"], "not a release"),
        (["out", "--truth", "store", "--fold", "x"], "--fold must be a number"),
        (["out", "--truth", "store", "--fold", "7"], "0 to 4"),
        (["out", "--truth", "store", "--folds", "1"], "at least 2"),
        (["out", "--truth", "store", "--sample", "-1"], "--sample must be at least 0"),
        (["out", "--truth", "store", "--concept", "shoes"], "A concept must look like"),
        (["out", "--truth", "store", "--concept", "cars=cars.com"], "no site that was clicked"),
        (["out", "--truth", "store", "--site-classes", "none.tsv"], "cannot be read"),
        (["out", "--truth", "store", "--site-classes", "log.tsv"], "line 1 is not a URL, a tab and a class"),
    ],
)
def test_bad_input_gets_one_sentence(files, arguments, sentence, monkeypatch, capsys):
    monkeypatch.chdir(files)
    monkeypatch.setattr(sys, "argv", ["crowdlog", "score", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    error = capsys.readouterr().err
    assert stopped.value.code == 1
    assert sentence in error
    assert error.count("\n") == 1
    assert "canary" not in error


def test_what_spark_does_not_measure_is_refused_before_it_is_started(files, monkeypatch):
    def started(*_arguments):
        pytest.fail("Spark was started")

    monkeypatch.setattr("crowdlog.engine.spark.connection.start", started)
    answer = run(files / "out", "--truth", files / "store", "--on", "suggestion", "--engine", "spark")
    assert "Spark measures coverage alone" in str(answer.exception)
