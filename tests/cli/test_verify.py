import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from crowdlog.cli.verify import command
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.release.publish import publish
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
    told = run(release.path, "--truth", log.path).output
    assert "is as it was written" in told
    rows = release.label.tables["queries"]
    assert f"The table queries was counted again: each of its {rows} rows has at least 3 occurrences" in told
    found = json.loads(run(release.path, "--truth", log.path, "--json").output)
    assert found["holds"] is True
    assert [each["rows"] for each in found["compared"]] == [rows]
    with pytest.raises(InputError, match="not signed with the key"):
        run(release.path, "--key", "00" * 32)


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("DPu(epsilon=4, delta=1e-6, d=2)", "were not compared with the log: they come from noise"),
        ("Pseudonyms()", "were not compared with the log: nothing is promised of them"),
    ],
)
def test_what_was_not_compared_is_said(tmp_path, spelling, said):
    log = make_log(tmp_path)
    release = publish(parse(spelling), log, tmp_path / "out", i_know=True, budget=(5, 1e-4))
    assert said in run(release.path, "--truth", log.path).output
    assert said not in run(release.path).output
    assert json.loads(run(release.path, "--truth", log.path, "--json").output)["compared"] == []


def test_the_key_is_said_as_digits_or_as_a_file(tmp_path):
    log = make_log(tmp_path)
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    secret, public = tmp_path / "key.pem", tmp_path / "public.pem"
    secret.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    release = publish(parse("FTa(k=3)"), log, tmp_path / "out", i_know=True, sign=secret)
    digits = key.public_key().public_bytes_raw().hex()
    for said in (digits, digits.upper(), public):
        assert f"1 table with its hash; signed by {digits}" in run(release.path, "--key", said).output
    with pytest.raises(InputError, match=f"not signed with the key given, but with {digits}"):
        run(release.path, "--key", other.public_key().public_bytes_raw().hex())
    for said in (tmp_path / "nowhere.pem", tmp_path, secret, digits[:-2], "", "zz"):
        with pytest.raises(InputError, match="is no public Ed25519 key"):
            run(release.path, "--key", said)


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
