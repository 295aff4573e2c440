import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli.synth import command


def test_the_example_of_the_help_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(
        command, ["log.tsv", "--users", "1000", "--seed", "7", "--secrets", "secrets.tsv"]
    )
    assert answer.exit_code == 0
    assert "1,000 users" in answer.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.tsv", "secrets.tsv"]


def test_json_tells_what_was_written(tmp_path: Path):
    answer = CliRunner().invoke(
        command,
        [str(tmp_path / "log.tsv"), "--rows", "500", "--labels", str(tmp_path / "labels.tsv"), "--json"],
    )
    report = json.loads(answer.output)
    assert report["rows"] == 500
    assert report["distinct"] == (tmp_path / "labels.tsv").read_bytes().count(b"\n") - 1
