"""`crowdlog split` as people call it."""

import json

from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore


def test_the_example_of_the_help(tmp_path, monkeypatch):
    lines = [f"{user}\tcanary{user}\t2006-03-01 10:00:00\t\t" for user in range(1, 31)]
    (tmp_path / "log.tsv").write_text(
        "\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *lines]) + "\n", encoding="utf-8"
    )
    import_log(tmp_path / "log.tsv", tmp_path / "STORE")
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(cli, ["split", "STORE", "-o", "PARTS"])
    assert answer.exit_code == 0
    assert "for measuring" in answer.output
    assert "canary" not in answer.output
    assert LogStore.open("PARTS/rest").info.users + LogStore.open("PARTS/test").info.users == 30
    figures = json.loads(CliRunner().invoke(cli, ["split", "STORE", "-o", "AGAIN", "--json"]).output)
    assert sum(part["rows"] for part in figures["items"]) == 30
