"""`crowdlog compare` as people call it."""

import json

from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log


def test_json_and_the_report(tmp_path):
    log = make_log(tmp_path, crowd_rows(20, ["weather boston", "used cars"]))
    arguments = [
        "compare",
        str(log.path),
        "FTu(k=2)",
        "-o",
        str(tmp_path / "r.html"),
        "--on",
        "coverage",
        "--with",
        "none",
        "--seeds",
        "1",
        "--json",
    ]
    answer = CliRunner().invoke(cli, arguments)
    assert answer.exit_code == 0, answer.output
    assert {"coverage:queries:distinct", "coverage:queries:impressions"} <= {
        point["name"] for point in json.loads(answer.stdout)["items"]
    }
    again = CliRunner().invoke(cli, arguments[:-1])
    assert "do not publish it" in again.output
    reports = [tmp_path / name for name in ("r.html", "r.json", "r.parquet", "r.cache")]
    assert [file.stat().st_mode & 0o077 for file in reports] == [0, 0, 0, 0]  # the owner's alone
    assert not any(file.stat().st_mode & 0o077 for file in reports[-1].iterdir())
    with open_ledger(log) as ledger:
        assert [look.how for look in ledger.looks()] == ["compare", "compare"]


def test_the_report_is_a_page(tmp_path):
    answer = CliRunner().invoke(cli, ["compare", str(tmp_path), "FTu(k=2)", "-o", "report.pdf"])
    assert isinstance(answer.exception, InputError)
    assert "must be an .html file" in str(answer.exception)
