"""A folder appears whole or not at all."""

import errno
import fcntl
import os

import pytest

from crowdlog.errors import InputError
from crowdlog.log.building import building
from crowdlog.release.place import find_place


def test_it_gets_its_name_at_the_end_and_rejects_move_beside_it(tmp_path):
    target = tmp_path / "deep" / "store"
    with building(target) as folder:
        (folder / "a").write_text("x")
        (folder / "rejects.tsv").write_text("r")
        assert not target.exists()
    assert sorted(p.name for p in target.iterdir()) == ["a"]
    assert sorted(p.name for p in target.parent.iterdir()) == ["store", "store.rejects.tsv"]


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, InputError])
def test_nothing_is_left_after_a_failure(tmp_path, problem):
    def fail() -> None:
        with building(tmp_path / "store") as folder:
            (folder / "a").write_text("x")
            raise problem

    with pytest.raises(problem):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_the_users_to_mend(tmp_path, code):
    with pytest.raises(InputError, match="is full; nothing was left behind"), building(tmp_path / "store"):
        raise OSError(code, os.strerror(code))
    assert list(tmp_path.iterdir()) == []


def test_other_system_errors_pass_through(tmp_path):
    with pytest.raises(OSError, match="Input/output"), building(tmp_path / "store"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    assert list(tmp_path.iterdir()) == []


def test_an_existing_target_is_never_touched(tmp_path):
    target = tmp_path / "store"
    target.mkdir()
    with pytest.raises(InputError, match="exists already"), building(target):
        pass
    target.rmdir()
    with pytest.raises(InputError, match="came into being"), building(target):
        (target / "mine").mkdir(parents=True)
    assert (target / "mine").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["store"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"), building(tmp_path / "file" / "store"):
        pass


def test_leftovers_are_removed_but_not_those_of_a_living_import(tmp_path):
    left, other = tmp_path / "a[b]*.partial-0123456789ab", tmp_path / "another.partial-0123456789ab"
    left.mkdir()
    (left / "half").write_text("x")
    other.mkdir()
    handle = os.open(left, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(InputError, match="Another import is writing"), building(tmp_path / "a[b]*"):
        pass
    assert (left / "half").exists()
    os.close(handle)
    with building(tmp_path / "a[b]*"):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a[b]*", "another.partial-0123456789ab"]


def test_a_release_that_waits_under_the_same_name_is_left_alone(tmp_path):
    """Its staged folder is the only output of a charge: an import must not take it for its own leftover."""
    waiting = find_place(tmp_path / "name").staged("a" * 32, 1)
    waiting.mkdir(parents=True)
    with building(tmp_path / "name"):
        pass
    assert waiting.exists()
