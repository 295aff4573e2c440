import json

import pytest
from click.testing import CliRunner

from crowdlog.cli.attack import command
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from tests.support.logs import crowd_rows, make_log

ROWS = [
    *crowd_rows(20, ["weather boston", "used cars"]),
    *((f"u{i}", f"canary {i}", 5000, None) for i in range(20)),
]


def run(*args):
    return CliRunner().invoke(command, [str(arg) for arg in args], catch_exceptions=False)


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, ROWS)


def test_the_table_names_what_is_broken_and_never_shows_a_query(log, tmp_path):
    release = parse("Pseudonyms()").release(log, tmp_path / "out", i_know=True)
    answer = run(release.path, "--truth", log.path, "--seed", 1)
    assert answer.exit_code == 0
    linkage = next(line for line in answer.output.splitlines() if line.startswith("linkage"))
    assert "100.00%" in linkage
    assert "BROKEN" in linkage
    assert "canary" not in answer.output


def test_several_releases_are_attacked_together_and_printed_as_json(log, tmp_path):
    names = ("FTu(k=5)", "FTu(k=5, artifact='pair')")
    paths = [parse(name).release(log, tmp_path / f"out{i}", i_know=True).path for i, name in enumerate(names)]
    (result,) = json.loads(run(*paths, "--truth", log.path, "--with", "completion", "--json").output)["items"]
    # everybody asked both: nothing is given away
    assert (result["name"], result["success"], result["chance"]) == ("completion", 1, 1)
    assert result["broken"] is False
    assert "canary" not in json.dumps(result)


def test_two_tables_of_the_same_kind_are_not_mixed(log, tmp_path):
    paths = [parse("FTu(k=5)").release(log, tmp_path / name, i_know=True).path for name in ("one", "two")]
    with pytest.raises(InputError, match="Two of the releases have a table of queries"):
        run(*paths, "--truth", log.path)


def test_a_missing_file_of_secrets_gets_one_sentence(log, tmp_path):
    release = parse("FTu(k=5)").release(log, tmp_path / "out", i_know=True)
    with pytest.raises(InputError, match=r"The file of secrets .* cannot be read: No such file or directory"):
        run(release.path, "--truth", log.path, "--with", "singles", "--secrets", tmp_path / "none")
