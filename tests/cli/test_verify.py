import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from crowdlog.cli.verify import command
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from tests.artifacts.semantic.logs import make_log, typed


def run(*args):
    return CliRunner().invoke(command, [str(arg) for arg in args], catch_exceptions=False)


@pytest.mark.parametrize(
    "spelling",
    [
        "KAnonymity(k=3)",
        "SemanticKAnonymity(k=5, theta=0.9, min_users=3)",
        "SemanticKAnonymity(k=3, theta=0.6)",
    ],
)
def test_accepts_our_releases_and_rejects_one_query_too_many(tmp_path, spelling):
    log = make_log(tmp_path)
    release = parse(spelling).release(log, tmp_path / "out", i_know=True)
    assert "all" in run(release.path, "--truth", log.path).output
    assert json.loads(run(release.path, "--truth", log.path, "--json").output)["holds"] is True
    queries = release.queries()
    extra = pa.table([["my very secret street 4711"], [1], [1]], schema=queries.schema)
    pq.write_table(pa.concat_tables([queries, extra]), release.path / "queries.parquet")
    with pytest.raises(InputError, match="do not trust it") as caught:
        run(release.path, "--truth", log.path)
    assert "secret" not in str(caught.value)


def test_every_release_can_be_checked_with_and_without_its_log(tmp_path):
    log = make_log(tmp_path)
    release = parse("FTa(k=3)").release(log, tmp_path / "out", i_know=True)
    assert "is as it was written" in run(release.path).output
    assert "is as it was written" in run(release.path, "--truth", log.path).output
    with pytest.raises(InputError, match="not signed with the key"):
        run(release.path, "--key", "00" * 32)


def test_empty_records_of_histories_are_told(tmp_path):
    rows = [*typed(), *((f"x{i}", "quux") for i in range(3))]
    log = make_log(tmp_path, rows)
    spelling = "Mdav(k=3, distance='equality', word_users=4)"
    release = parse(spelling).release(log, tmp_path / "out", i_know=True)
    found = json.loads(run(release.path, "--truth", log.path, "--json").output)
    empty = found["users"] - found["records"]
    assert empty >= 3
    assert f"The record of {empty} users is empty." in run(release.path, "--truth", log.path).output


def test_histories_are_told_with_their_clusters_and_an_old_release_is_refused(tmp_path, monkeypatch):
    log = make_log(tmp_path)
    release = parse("Mdav(k=3, distance='equality')").release(log, tmp_path / "out", i_know=True)
    told = run(release.path, "--truth", log.path).output
    found = json.loads(run(release.path, "--truth", log.path, "--json").output)
    assert f"{found['clusters']} clusters of {found['smallest']} to {found['largest']} users" in told
    assert 3 <= found["smallest"] <= found["largest"] <= 5
    assert "is empty" not in told
    without = release.table("events").drop_columns(["cluster"])  # as releases were before
    monkeypatch.setattr("crowdlog.release.folder.Release.table", lambda _release, _name: without)
    with pytest.raises(InputError, match="no table of rows with their clusters"):
        run(release.path, "--truth", log.path)
