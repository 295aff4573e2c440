"""Imports that are killed, or run out of disk: a right store or none, and nothing left over."""

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore

pytestmark = pytest.mark.slow
WAIT = 240  # seconds after which a started program counts as hanging


def write(path: Path, rows: int) -> None:
    """Users are spread over the file, so that the import has to regroup; one row in a thousand is bad."""
    rng = random.Random(4)
    with path.open("w") as file:
        for i in range(rows):
            time = (
                "CANARY"
                if i % 1000 == 0
                else f"2006-03-{rng.randrange(1, 29):02} 10:00:{rng.randrange(60):02}"
            )
            file.write(
                f"u{rng.randrange(5000)}\tquery "
                f"{rng.randrange(10**6)}\t{time}\t{rng.randrange(1, 9)}\thttp://{rng.randrange(10**4)}.example\n"
            )


def start(source: Path, out: Path, **options) -> subprocess.Popen:
    command = [sys.executable, "-m", "crowdlog.cli", "import", str(source), "-o", str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def wait_for_partial(folder: Path, program: subprocess.Popen) -> None:
    end = time.monotonic() + WAIT
    while program.poll() is None and not list(folder.glob("*.partial-*")):
        assert time.monotonic() < end
        time.sleep(0.005)


def test_killed_at_ten_random_moments(tmp_path):
    source = tmp_path / "log.tsv"
    write(source, 400_000)
    truth = import_log(source, tmp_path / "truth").info
    moments = random.Random(8)
    for i in range(10):
        folder = tmp_path / str(i)
        folder.mkdir()
        program = start(source, folder / "store")
        wait_for_partial(folder, program)
        time.sleep(moments.random() * 1.2)
        program.kill()
        program.communicate(timeout=WAIT)
        if not (folder / "store").exists():
            with pytest.raises(InputError, match="There is no log store"):
                LogStore.open(folder / "store")
            import_log(source, folder / "store")
        assert LogStore.open(folder / "store").info.content_hash == truth.content_hash
        assert sorted(p.name for p in folder.iterdir()) == ["store", "store.rejects.tsv"]


def check_full(program: subprocess.Popen, folder: Path) -> None:
    output, _ = program.communicate(timeout=WAIT)
    assert program.returncode == 1, output
    assert output.startswith("crowdlog: The disk that should hold")
    assert output.count("\n") == 1
    assert "CANARY" not in output
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("limit", [1000, 300_000, 900_000])
def test_no_file_may_grow_further(tmp_path, limit):
    """The limits stop the import while it spills, while it regroups or writes events, and while it writes
    texts.
    """
    source, folder = tmp_path / "log.tsv", tmp_path / "out"
    write(source, 100_000)
    import_log(source, tmp_path / "warm")  # kernels are compiled before the limit holds
    folder.mkdir()
    check_full(
        start(
            source,
            folder / "store",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        ),
        folder,
    )


def test_a_full_disk(tmp_path):
    """On a real file system of 3 MB if we may mount one, else under a limit of the size of files."""
    source, folder = tmp_path / "log.tsv", tmp_path / "disk"
    write(source, 100_000)
    import_log(source, tmp_path / "warm")
    folder.mkdir()
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
        == 0
    )
    try:
        limit = None if mounted else (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)))
        check_full(start(source, folder / "store", preexec_fn=limit), folder)
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)
