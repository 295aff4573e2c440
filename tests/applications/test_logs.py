"""A log that an application opens: a store of the owner's, or a file that becomes one for a while."""

from crowdlog.applications.logs import opened_log
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log

LOG = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n7\tcheap flights\t2006-03-01 10:00:00\t\t\n"


def test_opening_a_store_is_a_look_at_it(tmp_path):
    log = make_log(tmp_path, crowd_rows(3, ["used cars"]))
    with opened_log(log.path, "tasks") as store:
        assert store.info.id == log.info.id
    with open_ledger(log) as ledger:
        assert [look.how for look in ledger.looks()] == ["tasks"]


def test_a_file_becomes_a_store_that_is_gone_afterwards(tmp_path):
    (tmp_path / "log.tsv").write_text(LOG)
    with opened_log(tmp_path / "log.tsv", "tasks") as store:
        assert store.info.rows == 1
    assert not store.path.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["log.tsv"]
