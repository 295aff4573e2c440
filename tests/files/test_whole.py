"""Files and folders appear whole or not at all."""

import errno
import fcntl
import os
import subprocess
import sys

import pytest

from crowdlog.errors import InputError
from crowdlog.files.whole import new_file, new_folder, write_whole


@pytest.mark.parametrize("problem", [RuntimeError, KeyboardInterrupt, InputError])
def test_nothing_is_left_after_a_failure(tmp_path, problem):
    def fail() -> None:
        with new_folder(tmp_path / "store") as folder:
            (folder / "a").write_text("x")
            raise problem

    with pytest.raises(problem):
        fail()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_the_users_to_mend(tmp_path, code):
    with pytest.raises(InputError, match="is full; nothing was left behind"), new_folder(tmp_path / "store"):
        raise OSError(code, os.strerror(code))
    assert list(tmp_path.iterdir()) == []


def test_other_system_errors_pass_through(tmp_path):
    with pytest.raises(OSError, match="Input/output"), new_folder(tmp_path / "store"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    assert list(tmp_path.iterdir()) == []


def test_an_existing_target_is_never_touched(tmp_path):
    target = tmp_path / "store"
    target.mkdir()
    with pytest.raises(InputError, match="exists already"), new_folder(target):
        pass
    target.rmdir()
    with pytest.raises(InputError, match="came into being"), new_folder(target):
        (target / "mine").mkdir(parents=True)
    assert (target / "mine").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["store"]


def test_a_folder_may_replace_another_of_which_nothing_is_left(tmp_path):
    for text in "one", "two":
        with new_folder(tmp_path / "out", replaces=True) as folder:
            (folder / "file").write_text(text)
            assert (tmp_path / "out").exists() == (text == "two")  # the older one is there until the end
    assert (tmp_path / "out/file").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_was_put_away_by_a_killed_run_is_made_again(tmp_path):
    (tmp_path / "out.partial-0123abcd").mkdir()  # the older one
    (tmp_path / "out.partial-4567abcd").mkdir()  # the new one, without its name yet
    with new_folder(tmp_path / "out", replaces=True) as folder:
        (folder / "file").write_text("three")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"), new_folder(tmp_path / "file" / "store"):
        pass


def test_leftovers_are_removed_but_not_those_of_a_living_run(tmp_path):
    left, other = tmp_path / "a[b]*.partial-01234567", tmp_path / "another.partial-01234567"
    left.mkdir()
    (left / "half").write_text("x")
    other.mkdir()
    handle = os.open(left, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(InputError, match="Another run is writing"), new_folder(tmp_path / "a[b]*"):
        pass
    assert (left / "half").exists()
    os.close(handle)
    with new_folder(tmp_path / "a[b]*"):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a[b]*", "another.partial-01234567"]


def test_a_folder_in_the_making_is_closed_to_others_and_open_when_it_is_there(tmp_path):
    with new_folder(tmp_path / "deep" / "out") as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "a").write_text("x")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert not (tmp_path / "deep" / "out").exists()
    assert (tmp_path / "deep" / "out").stat().st_mode & 0o777 == 0o777 & ~_umask()
    assert (tmp_path / "deep" / "out" / "inner" / "a").read_text() == "x"


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize(("secret", "mode"), [(True, 0o600), (False, 0o666)])
def test_a_file_replaces_what_was_there(tmp_path, secret, mode):
    path = tmp_path / "file"
    path.write_text("before")
    with new_file(path, secret=secret) as file:
        file.write(b"after")
        (partial,) = tmp_path.glob("file.partial-*")
        assert partial.stat().st_mode & 0o777 == mode & ~_umask()
        assert path.read_text() == "before"
    assert path.read_text() == "after"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("problem", [OSError, KeyboardInterrupt])
def test_a_file_that_fails_half_way_changes_nothing(tmp_path, problem):
    def write():
        with new_file(tmp_path / "file") as file:
            file.write(b"half")
            raise problem

    write_whole(tmp_path / "file", "whole: ε")
    with pytest.raises(problem):
        write()
    assert (tmp_path / "file").read_text(encoding="utf-8") == "whole: ε"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


KILLED = """
import os, signal, sys
from pathlib import Path
from crowdlog.files.whole import new_file, new_folder
with {maker}(Path(sys.argv[1])) as it:
    {write}
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    ("maker", "write"),
    [("new_file", "it.write(b'half'); it.flush()"), ("new_folder", "(it / 'a').write_text('half')")],
)
def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path, maker, write):
    script = KILLED.format(maker=maker, write=write)
    answer = subprocess.run([sys.executable, "-c", script, str(tmp_path / "out")], check=False)
    assert answer.returncode == -9
    (left,) = tmp_path.iterdir()
    assert left.name.startswith("out.partial-")
    with new_folder(tmp_path / "out") as folder:
        (folder / "a").write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_two_at_once_write_the_same_file_and_the_last_stays(tmp_path):
    with new_file(tmp_path / "file") as first:
        first.write(b"first")
        write_whole(tmp_path / "file", "second")
    assert (tmp_path / "file").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nothing_of_unix_is_needed_to_import_it():
    """Windows has no fcntl: the package must load without it."""
    script = (
        "import sys; sys.modules['fcntl'] = None; import crowdlog.files.whole, crowdlog.log.store, "
        "crowdlog.experiments.run"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
