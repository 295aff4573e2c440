"""A full disk: refused with 507, nothing corrupted, and the service goes on once there is room.

Where a file system can be mounted the disk is a tiny one; elsewhere the service's files may not grow, which its database meets in the same way.
"""

import base64
import os
import resource
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from crowdlog.crowd.crypto.envelope import MixKey, seal_onion
from crowdlog.privacy.randomness import SystemRandomness

ROOM = 3 * 2**20
RANDOM = SystemRandomness()


@contextmanager
def _tiny_disk(folder: Path):
    """Yield a function that gives the disk more room, or None where none can be mounted."""
    folder.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", folder], check=False).returncode == 0
    try:
        yield (lambda: subprocess.run(["mount", "-o", f"remount,size={20 * ROOM}", folder], check=True)) if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)


@contextmanager
def _mix(folder: Path, token: Path, most_bytes: int | None):
    """A running mix node whose batch is never full; yields its address. It ends by kill -9."""
    command = [sys.executable, "-m", "crowdlog.cli", "crowd", "serve", "mix", "--data", str(folder / "mix"), "--token-file", str(token)]
    command += ["--next", "http://127.0.0.1:9", "--batch", "1000000000", "--rate", "0"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=limit if most_bytes else None) as process:  # noqa: PLW1509, RUF100
        try:
            url = process.stdout.readline().split()[-1]
            deadline = time.monotonic() + 120
            while True:
                try:
                    httpx.get(f"{url}/key", timeout=60)
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            yield url
        finally:
            process.kill()


def _post(url: str) -> httpx.Response:
    public = base64.b64decode(httpx.get(f"{url}/key", timeout=60).json()["public"])
    envelopes = [seal_onion([public, MixKey.generate(RANDOM).public], bytes(4000), RANDOM) for _ in range(40)]
    return httpx.post(f"{url}/envelopes", json={"envelopes": [base64.b64encode(envelope).decode() for envelope in envelopes]}, timeout=120)


@pytest.mark.slow
def test_a_full_disk_is_refused_and_loses_nothing(tmp_path):
    token, disk = tmp_path / "token", tmp_path / "disk"
    token.write_text("t" * 32)
    with _tiny_disk(disk) as grow:
        acknowledged = 0
        with _mix(disk, token, None if grow else ROOM) as url:
            while (answer := _post(url)).status_code == 202:
                acknowledged += answer.json()["accepted"]
                assert acknowledged < 10_000
            assert answer.status_code == 507
            assert "full" in answer.json()["error"]
        assert acknowledged >= 40
        if grow:
            grow()
        with _mix(disk, token, None) as url:
            status = httpx.get(f"{url}/status", headers={"Authorization": f"Bearer {'t' * 32}"}, timeout=60).json()
            assert status["waiting"] == acknowledged
            assert _post(url).status_code == 202
        with sqlite3.connect(disk / "mix" / "mix.sqlite") as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        database.close()
