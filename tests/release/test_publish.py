import subprocess

import pytest

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.release.folder import Release, partial_folder
from crowdlog.release.publish import open_ledger, publish, resume
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(400, ["weather boston"]))


def test_over_budget_is_refused_and_leaves_nothing(log, tmp_path):
    with open_ledger(log) as ledger:
        ledger.set_budget(5, 1e-8)
    publish(MECHANISM, log, tmp_path / "one")
    with pytest.raises(PrivacyRefusal, match="of the budget of"):
        publish(MECHANISM, log, tmp_path / "two")
    assert not (tmp_path / "two").exists()
    with open_ledger(log) as ledger:
        assert len(ledger.entries()) == 1


def test_a_charged_release_is_finished_once_and_old_pieces_are_destroyed(log, tmp_path):
    target = tmp_path / "out"
    with open_ledger(log) as ledger:
        charge = ledger.charge(MECHANISM.promise().guarantee, repr(MECHANISM), str(target))
    partial = partial_folder(target, charge)
    partial.mkdir()
    (partial / "queries.parquet").write_bytes(b"drawn by a killed run")
    (release,) = resume(log, parse)
    assert release.queries().num_rows == 1
    assert not partial.exists()
    assert resume(log, parse) == []
    with open_ledger(log) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["published"]


def test_a_renamed_but_unmarked_release_is_marked_not_made_again(log, tmp_path):
    release = publish(MECHANISM, log, tmp_path / "out")
    with open_ledger(log) as ledger:
        ledger._connection.execute("UPDATE charges SET state = 'charged'")
    before = (release.path / "queries.parquet").read_bytes()
    (again,) = resume(log, parse)
    assert (again.path / "queries.parquet").read_bytes() == before


def test_another_folder_in_the_place_of_a_charged_release_is_left_alone(log, tmp_path):
    other = make_log(tmp_path / "other", crowd_rows(400, ["weather boston"]))
    publish(MECHANISM, other, tmp_path / "out")
    with open_ledger(log) as ledger:
        ledger.charge(MECHANISM.promise().guarantee, repr(MECHANISM), str(tmp_path / "out"))
    with pytest.raises(InputError, match="is not the release that was charged"):
        resume(log, parse)
    assert Release.open(tmp_path / "out").label["crowdlog"]["source"] == other.info.id


def test_a_full_disk_gets_a_sentence_and_the_charge_can_be_finished(log, tmp_path):
    """A tmpfs of 64 kB where that can be mounted; elsewhere a folder that cannot be written."""
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", str(small)], check=False, capture_output=True).returncode == 0
    try:
        if not mounted:
            small.rmdir()
            small.write_text("a file where a folder should be")
        with pytest.raises(InputError, match="could not be written"):
            publish(MECHANISM, log, small / "out")
        if mounted:
            assert list(small.iterdir()) == []
    finally:
        if mounted:
            subprocess.run(["umount", str(small)], check=True)
        else:
            small.unlink()
            small.mkdir()
    (release,) = resume(log, parse)
    assert release.queries().num_rows == 1
