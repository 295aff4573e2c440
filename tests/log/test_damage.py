"""A flipped byte in a store is noticed before anything is charged, and never called our fault."""

import json
import random
import shutil
import subprocess
import sys

import pytest

from crowdlog.errors import InputError
from crowdlog.log.store import FILES, LogStore
from crowdlog.mechanisms import parse
from crowdlog.release.publish import open_ledger, publish
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("damage"), crowd_rows(60, ["weather", "used cars", "maps"]))


def copy_of(log, tmp_path):
    shutil.copytree(log.path, tmp_path / "store")
    return tmp_path / "store"


def test_48_flipped_bytes_are_noticed_before_the_charge(log, tmp_path):
    draws, places = random.Random(48), []
    for name in (*FILES, "store.json"):
        size = (log.path / name).stat().st_size
        places += [(name, draws.randrange(size), 1 << draws.randrange(8)) for _ in range(10)]
    for name, at, bit in places[:48]:
        store = copy_of(log, tmp_path)
        content = bytearray((store / name).read_bytes())
        content[at] ^= bit
        (store / name).write_bytes(content)
        with pytest.raises(InputError, match=r"damaged|another version|cannot be read"):
            publish(MECHANISM, LogStore.open(store), tmp_path / "out")
        if name != "store.json":
            with open_ledger(LogStore.open(store)) as ledger:
                assert ledger.entries() == []
        assert not (tmp_path / "out").exists()
        shutil.rmtree(store)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("users", "x"),
        ("files", []),
        ("content_hash", None),
        ("rows", 5),
        ("ledger", "elsewhere"),
        ("hashes", {}),
    ],
)
def test_an_edited_store_json_is_noticed(log, tmp_path, name, value):
    store = copy_of(log, tmp_path)
    values = json.loads((store / "store.json").read_text())
    (store / "store.json").write_text(json.dumps(values | {name: value}))
    with pytest.raises(InputError, match="damaged"):
        LogStore.open(store)


def test_every_command_says_that_the_store_is_damaged(log, tmp_path):
    """Also those that do not read every byte first: an error nobody foresaw makes them look."""
    store = copy_of(log, tmp_path)
    events = bytearray((store / "events.parquet").read_bytes())
    events[8 : len(events) // 2] = b"\xff" * (len(events) // 2 - 8)
    (store / "events.parquet").write_bytes(events)
    for words in (
        ["show", "store"],
        ["check", "store"],
        ["release", "store", repr(MECHANISM), "-o", "o", "--no-check"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "crowdlog.cli", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, (words, done.stderr)
        assert "is damaged: events.parquet" in done.stderr


def test_a_whole_store_is_called_whole(log, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", "check", str(log.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "is whole" in done.stdout


def test_only_the_owner_can_read_a_store(log, tmp_path):
    store = copy_of(log, tmp_path)
    publish(MECHANISM, LogStore.open(store), tmp_path / "out")  # leaves a lock
    assert store.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in store.iterdir()} == {0o600}
