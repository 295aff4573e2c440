"""`crowdlog crowd up` as a process: it stops its services, and comes back at the same addresses with what it
had.
"""

import json
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]


@contextmanager
def _up(folder: Path, *options: str):
    """A running trial; yields its process once it is ready."""
    command = [sys.executable, "-m", "crowdlog.cli", "crowd", "up", str(folder), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            shown = []
            while not (shown and shown[-1].startswith("Ready")):
                shown.append(process.stdout.readline())
                assert shown[-1], shown
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(120)


def _crowd(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", "crowd", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "kill"])
def test_a_trial_is_stopped_whole_and_goes_on_where_it_was(tmp_path, how):
    trial, operator = tmp_path / "trial", str(tmp_path / "trial" / "operator.json")
    with _up(trial) as process:
        made = _crowd(
            "collection",
            "create",
            "--operator",
            operator,
            "--title",
            "kept",
            "--k",
            "5",
            "--links",
            str(tmp_path / "links.txt"),
            "--json",
        )
        addresses = re.findall(r"http://[0-9.:]+", (trial / "operator.json").read_text())
        process.send_signal(how)
        assert process.wait(120) == 0
        assert "Stopped." in process.stdout.read()
    _all_closed(addresses)
    with _up(trial):
        assert re.findall(r"http://[0-9.:]+", (trial / "operator.json").read_text()) == addresses
        link = (tmp_path / "links.txt").read_text().split()[0]
        status = json.loads(_crowd("collection", "status", link, "--operator", operator, "--json"))
        assert status["phase"] == "mining"
        assert json.loads(made)["collection"] in link
        _crowd("join", link, "--home", str(tmp_path / "home"), "--yes")


def _all_closed(addresses: list[str]) -> None:
    """No service is left behind."""
    deadline = time.monotonic() + 60
    for url in addresses:
        while True:
            try:
                httpx.get(f"{url}/openapi.json", timeout=5)
            except httpx.TransportError:
                break
            assert time.monotonic() < deadline


def test_another_number_of_mixes_needs_another_folder(tmp_path):
    with _up(tmp_path / "trial"):
        pass
    command = [sys.executable, "-m", "crowdlog.cli", "crowd", "up", str(tmp_path / "trial"), "--mixes", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "2 mixes" in done.stderr


def test_ctrl_c_while_sending_keeps_the_outbox(tmp_path):
    log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n7\tweather\t2006-03-01 00:00:00\t\t\n"
    (tmp_path / "log.tsv").write_text(log)
    with _up(tmp_path / "trial"):
        at = ("--operator", str(tmp_path / "trial" / "operator.json"))
        short = ("--limit", "1", "--invitations", "5", "--links", str(tmp_path / "links.txt"))
        _crowd("collection", "create", *at, "--title", "kept", "--k", "5", *short)
        links = (tmp_path / "links.txt").read_text().split()
        for person, link in enumerate(links):
            _crowd("join", link, "--home", str(tmp_path / f"home{person}"), "--yes")
        home = ("--home", str(tmp_path / "home0"))
        _crowd("mine", str(tmp_path / "log.tsv"), *home, "--yes")
        # it waits for the end of the mining; Ctrl-C keeps everything
        command = [sys.executable, "-m", "crowdlog.cli", "crowd", "send", *home, "--yes"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as sending:
            assert "keeps the outbox" in sending.stderr.readline()
            sending.send_signal(signal.SIGINT)
            assert sending.wait(120) == 130
        assert "1 wait and 0 empty ones beside them; 0 were sent." in _crowd("outbox", *home)
        _crowd("collection", "close", links[0], *at)
        deadline = time.monotonic() + 60
        while True:
            done = subprocess.run([*command, "--now"], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            assert time.monotonic() < deadline
            time.sleep(0.5)
        assert "1 reports were sent." in done.stdout
