"""A circle of friends: folders that real nodes run from, over TLS."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time

import httpx
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.forwarding.node.settings import read_settings

ENGINE = "http://127.0.0.1:9/search?q={query}"


def make(tmp_path, text, engine=ENGINE, out="circle"):
    friends = tmp_path / "friends.txt"
    friends.write_text(text)
    words = ["forward", "circle", str(friends), "--engine", engine, "-o", str(tmp_path / out)]
    return CliRunner().invoke(cli, words)


def test_each_friend_gets_a_folder_of_her_own(tmp_path):
    answer = make(tmp_path, "ann ann.example:4001 ben\nben 192.0.2.7:4002\n\ncleo cleo.example:4003 ann\n")
    assert answer.exit_code == 0, answer.output
    near = {}
    for name in ("ann", "ben", "cleo"):
        folder = tmp_path / "circle" / name
        given = read_settings(folder / "node.json")
        near[name] = {(other.name, other.host, other.port) for other in given.neighbours}
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            [f"{name}.crt", f"{name}.key", "authority.crt", "node.json"]
        )
        assert (folder / f"{name}.key").stat().st_mode & 0o077 == 0
        assert (folder / "node.json").stat().st_mode & 0o077 == 0
        checked = CliRunner().invoke(cli, ["forward", "node", str(folder / "node.json"), "--check"])
        assert checked.exit_code == 0, checked.output
    assert near["ann"] == {("ben", "192.0.2.7", 4002), ("cleo", "cleo.example", 4003)}
    assert near["ben"] == near["cleo"] == {("ann", "ann.example", 4001)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ann ann.example ben\n", "Line 1 of .* must be: name host:port"),
        ("ann\n", "Line 1 of .* must be: name host:port"),
        ("ann a.example:1 ben\nben b.example:x\n", "Line 2 of"),
        ("ann a.example:1 ann\n", "Line 1 of"),
        ("ann a.example:1 ben\n", "1 friends without a line of their own"),
        ("ann a.example:1 ben\nben b.example:2\nann c.example:3\n", "names somebody twice"),
        ("ann a.example:1 ben\nben b.example:99999\n", "must be a whole number from 1 to 65535"),
        ("a_n a.example:1 ben\nben b.example:2\n", "as in a certificate"),
        ("ann a.example:1\n", "at least one"),
    ],
)
def test_a_bad_list_is_one_sentence_and_writes_nothing(tmp_path, text, said):
    answer = make(tmp_path, text)
    assert isinstance(answer.exception, InputError)
    assert re.search(said, str(answer.exception))
    assert not (tmp_path / "circle").exists()


def test_a_bad_engine_and_a_taken_folder(tmp_path):
    good = "ann a.example:1 ben\nben b.example:2\n"
    assert "{query}" in str(make(tmp_path, good, engine="http://x/").exception)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    assert make(tmp_path, good, out="taken").exit_code != 0
    assert (tmp_path / "taken" / "mine.txt").read_text() == "mine"


@pytest.mark.slow
def test_nodes_of_a_circle_answer_each_others_searches(tmp_path):
    """Three processes and the engine of trials; every search is answered."""
    ports = [_free() for _ in range(4)]
    engine = f"http://127.0.0.1:{ports[3]}/search?q={{query}}"
    names = ("ann", "ben", "cleo")
    lines = [
        f"{name} 127.0.0.1:{port} {' '.join(n for n in names if n != name)}"
        for name, port in zip(names, ports, strict=False)
    ]
    assert make(tmp_path, "\n".join(lines), engine=engine).exit_code == 0
    commands = [["engine", "--port", str(ports[3])]]
    commands += [["node", str(tmp_path / "circle" / name / "node.json")] for name in names]
    pages = {}
    for name in names:
        settings = tmp_path / "circle" / name / "node.json"
        given = json.loads(settings.read_text())
        pages[name] = (_free(), "t" * 32)
        settings.write_text(json.dumps({**given, "page_port": pages[name][0], "token": pages[name][1]}))
    running = [
        subprocess.Popen([sys.executable, "-m", "crowdlog.cli", "forward", *words], stdout=subprocess.DEVNULL)
        for words in commands
    ]
    try:
        for name in names:
            _wait(*pages[name])
        _answers(engine)
        for name in names:
            port, token = pages[name]
            answer = httpx.post(
                f"http://127.0.0.1:{port}/search",
                json={"query": "new york"},
                headers=_headers(token),
                timeout=60,
            )
            assert answer.status_code == 200, answer.text
            assert "new york" in answer.text
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(30)


def _headers(token):
    return {"Authorization": f"Bearer {token}"}


def _free():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def _answers(engine):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            httpx.get(engine.format(query="maps"), timeout=5).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.3)
        else:
            return
    raise AssertionError("the engine did not start")


def _wait(port, token):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            told = httpx.get(f"http://127.0.0.1:{port}/status", headers=_headers(token), timeout=5).json()
            if told.get("connected") == 2:
                return
        except (httpx.HTTPError, ValueError):
            pass
        time.sleep(0.3)
    raise AssertionError("the node did not connect to its neighbours")
