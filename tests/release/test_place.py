"""The place of a release is ours alone, and outside of what others keep."""

from __future__ import annotations

import os
import shutil
import threading

import pytest

from crowdlog.errors import InputError
from crowdlog.files.locks import hold
from crowdlog.mechanisms import parse
from crowdlog.release import place
from crowdlog.release.place import find_place, reserve, sweep
from crowdlog.release.publish import open_ledger, publish
from crowdlog.release.resume import resume
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(400, ["weather boston"]))


def states(log):
    with open_ledger(log) as ledger:
        return [entry.state for entry in ledger.entries()]


def link(partial):
    (partial.parent / "spy").mkdir(mode=0o700)
    partial.symlink_to(partial.parent / "spy")


def loose(partial):
    partial.mkdir()
    partial.chmod(0o770)


def foreign(partial):
    partial.mkdir(mode=0o700)
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(partial, 12345, 12345)


@pytest.mark.parametrize("trap", [link, loose, foreign, lambda partial: partial.write_text("a file")])
def test_a_folder_that_others_prepared_is_not_trusted(log, tmp_path, trap):
    """Its name can be foreseen: who made it before us could read what is not published."""
    partial = find_place(tmp_path / "out").partial
    trap(partial)
    with pytest.raises(InputError, match=r"or can be opened by others\. Nothing was charged"):
        publish(MECHANISM, log, tmp_path / "out")
    assert states(log) == []
    assert partial.exists()


def test_a_sweep_follows_no_link(tmp_path):
    """What is behind it is somebody else's."""
    partial = find_place(tmp_path / "out").partial
    link(partial)
    (tmp_path / "spy" / "trial").mkdir()
    sweep(tmp_path)
    assert (tmp_path / "spy" / "trial").exists()


def test_a_reservation_that_is_removed_during_the_release_is_not_made_again(log, tmp_path, monkeypatch):
    """It would come back readable for everybody."""
    protect = type(MECHANISM).protect

    def removing(self, *words, **options):
        shutil.rmtree(find_place(tmp_path / "out").partial)
        return protect(self, *words, **options)

    with monkeypatch.context() as patch:
        patch.setattr(type(MECHANISM), "protect", removing)
        with pytest.raises(InputError, match=r"could not be written to .*It is charged"):
            publish(MECHANISM, log, tmp_path / "out")
    assert not find_place(tmp_path / "out").partial.exists()
    assert len(resume(log, parse)) == 1


@pytest.mark.parametrize("name", ["ledger.sqlite-journal", "out", "new/out"])
def test_no_release_lies_in_a_store(log, tmp_path, name):
    """Neither in its own nor in another one, nor through a link: SQLite takes such a file for its own."""
    other = make_log(tmp_path / "other", crowd_rows(5, ["used cars"]))
    (tmp_path / "link").symlink_to(log.path)
    for folder in (log.path, other.path, tmp_path / "link"):
        with pytest.raises(InputError, match=r"lies in the log store .* Choose a place outside"):
            publish(MECHANISM, log, folder / name)
    assert states(log) == states(other) == []
    assert not (log.path / "new").exists()


def test_no_release_lies_in_the_reservation_of_another(log, tmp_path):
    partial = find_place(tmp_path / "other").partial
    with pytest.raises(InputError, match=f"Choose a place outside, such as {tmp_path / 'other'}"):
        publish(MECHANISM, log, partial / "out")
    assert states(log) == []
    assert not partial.exists()


def test_a_sweep_that_holds_the_lock_for_a_moment_refuses_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(place, "sweep", lambda _folder: None)  # it is another release's that meets ours
    partial = find_place(tmp_path / "out").partial
    partial.mkdir(mode=0o700)
    swept = hold(partial / "lock")
    threading.Timer(0.05, os.close, [swept]).start()
    with reserve(tmp_path / "out", advice=""):
        assert partial.exists()
    assert list(tmp_path.iterdir()) == []
