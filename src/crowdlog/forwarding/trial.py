"""A trial on this machine: a search engine and nodes on loopback, each a process, and a script of searches.

Nodes are killed with -9 while the searches run, and come back at their addresses: the parent holds the
sockets.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
import numpy as np

from crowdlog.crowd.services.keyfile import write_secret
from crowdlog.crowd.services.serve import listening_socket, stop_services
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.forwarding.backend import TitleIndex, public_titles
from crowdlog.forwarding.node.certificates import Authority
from crowdlog.forwarding.node.settings import Neighbour, NodeSettings
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.progress import progress_bar

HOST = "127.0.0.1"
READY_SECONDS = 180.0  # fifty Pythons start on a busy machine
ENGINE = "engine"
MOST_NODES = 500  # processes on one machine


@dataclass(frozen=True)
class Outcome:
    """How one search ended, as its searcher saw it. `right`: the engine would have answered her the same."""

    node: str
    answered: bool
    right: bool
    seconds: float
    said: str


class NodeTrial:
    """Nodes named node000, node001, … with the neighbours of a graph. Entering it starts everything."""

    def __init__(self, folder: Path, edges: list[tuple[int, int]], **options: Any) -> None:
        _check_edges(edges)
        self.folder = folder
        self.names = [f"node{number:03}" for number in range(1 + max(max(edge) for edge in edges))]
        self._edges, self._options = edges, options
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._sockets: dict[str, socket.socket] = {}
        self._client = httpx.Client(timeout=120, limits=httpx.Limits(max_connections=None))
        self.tokens = {name: SystemRandomness().bytes(32).hex() for name in self.names}

    def __enter__(self) -> NodeTrial:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            for name in self.names:
                self._sockets[name] = listening_socket(HOST, 0)
                self._sockets[f"{name} page"] = listening_socket(HOST, 0)
            self._sockets[ENGINE] = listening_socket(HOST, 0)
            self._write_settings()
            for name in (ENGINE, *self.names):
                self.start(name)
            with progress_bar("Nodes start", len(self.names), unit="nodes") as advance:
                for name in self.names:
                    self.wait_connected(name)
                    advance(1)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def port(self, name: str) -> int:
        port: int = self._sockets[name].getsockname()[1]
        return port

    def url(self, name: str) -> str:
        """Return the address of a node's page, or of the engine."""
        return f"http://{HOST}:{self.port(name if name == ENGINE else f'{name} page')}"

    def _write_settings(self) -> None:
        authority = Authority()
        (self.folder / "authority.crt").write_bytes(authority.certificate())
        near: dict[str, list[str]] = {name: [] for name in self.names}
        for first, second in self._edges:
            near[self.names[first]].append(self.names[second])
            near[self.names[second]].append(self.names[first])
        for name in self.names:
            certificate, key = authority.issue(name, self.folder)
            settings = NodeSettings(
                name=name,
                engine=f"{self.url(ENGINE)}/search?q={{query}}",
                certificate=certificate.name,
                key=key.name,
                authority="authority.crt",
                neighbours=[Neighbour(other, HOST, self.port(other)) for other in near[name]],
                token=self.tokens[name],
                **self._options,
            )
            write_secret(self.folder / f"{name}.json", json.dumps(settings.to_json(), indent=2).encode())

    def start(self, name: str) -> None:
        """Start a process, or start it again after it was killed."""
        own = self._sockets[name].fileno()
        command = [sys.executable, "-m", "crowdlog.cli", "forward"]
        if name == ENGINE:
            fds = [own]
            command += ["engine", "--fd", str(own)]
        else:
            page = self._sockets[f"{name} page"].fileno()
            fds = [own, page]
            command += ["node", str(self.folder / f"{name}.json"), "--fd", str(own), "--page-fd", str(page)]
        # one thread each: fifty processes share the machine
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, pass_fds=fds, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    def status(self, name: str) -> dict[str, Any]:
        """Return the counts of a node; an httpx error while it is not up."""
        answer = self._client.get(f"{self.url(name)}/status", headers=self._headers(name), timeout=10)
        answer.raise_for_status()
        counts: dict[str, Any] = answer.json()
        return counts

    def wait_connected(self, name: str) -> None:
        """Wait until a node answers and all its neighbours are connected."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self.processes[name].poll() is not None:
                raise CrowdlogError(f"{name} stopped while starting; see {self.folder / name}.log.")
            try:
                counts = self.status(name)
                if counts["connected"] == counts["neighbours"]:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise CrowdlogError(
            f"{name} is not connected after {READY_SECONDS:g} seconds; see {self.folder / name}.log."
        )

    def kill(self, name: str) -> None:
        """End a node the hard way (kill -9) and start it again."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait()
        self.start(name)

    def search(self, name: str, query: str, right: list[str]) -> Outcome:
        """Search at a node, once, and say how it ended. The query goes nowhere else."""
        began = time.monotonic()
        try:
            answer = self._client.post(
                f"{self.url(name)}/search", json={"query": query}, headers=self._headers(name)
            )
        except httpx.TransportError:
            return Outcome(
                name, False, False, time.monotonic() - began, "The searcher's own node was killed."
            )
        seconds = time.monotonic() - began
        if answer.status_code != 200:
            return Outcome(name, False, False, seconds, str(answer.json()["error"]))
        found = json.loads(answer.json()["body"])["results"]
        return Outcome(name, True, [one["title"] for one in found] == right, seconds, "")

    def engine_count(self) -> int:
        return int(self._client.get(f"{self.url(ENGINE)}/count").json()["answered"])

    def _headers(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[name]}"}

    def stop(self) -> None:
        stop_services(self.processes.values(), self._sockets)
        self._client.close()


def _check_edges(edges: list[tuple[int, int]]) -> None:
    met = {node for edge in edges for node in edge}
    if not 2 <= len(met) <= MOST_NODES:
        raise InputError(f"A trial has 2 to {MOST_NODES} nodes; this graph has {len(met):,}.")
    if len(met) != 1 + max(met):
        raise InputError("A node of this graph has no neighbour; give each at least one.")


def run_script(
    trial: NodeTrial, *, searches: int, kills: int, seed: int, at_once: int = 16
) -> dict[str, Any]:
    """Search from random nodes while random nodes are killed; return what came of it."""
    if searches < 1:
        raise InputError(f"'searches' must be at least 1. Got {searches}.")
    generator = np.random.default_rng(seed)
    titles = public_titles()
    index = TitleIndex(titles)
    queries = [titles[i] for i in generator.integers(len(titles), size=searches)]
    nodes = [trial.names[i] for i in generator.integers(len(trial.names), size=searches)]
    victims = [trial.names[i] for i in generator.integers(len(trial.names), size=kills)]
    expected = [index.find(query) for query in queries]
    index.close()
    before = trial.engine_count()
    began = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool, progress_bar("Searches", searches, unit="searches") as advance:
        waiting = [pool.submit(trial.search, *one) for one in zip(nodes, queries, expected, strict=True)]
        outcomes = []
        for number, done in enumerate(waiting):
            outcomes.append(done.result())
            advance(1)
            while victims and (number + 1) * (kills + 1) >= searches * (kills - len(victims) + 1):
                trial.kill(victims.pop())
    seconds = time.monotonic() - began
    return _told(trial, outcomes, kills, seconds) | {"submitted to the engine": trial.engine_count() - before}


def _told(trial: NodeTrial, outcomes: list[Outcome], kills: int, seconds: float) -> dict[str, Any]:
    waits = [outcome.seconds for outcome in outcomes if outcome.answered]
    answered = len(waits)
    why = Counter(outcome.said for outcome in outcomes if not outcome.answered)
    return {
        "nodes": len(trial.names),
        "searches": len(outcomes),
        "killed": kills,
        "answered once": answered,
        "of them right": sum(outcome.right for outcome in outcomes),
        "reported failed": len(outcomes) - answered,
        "why": dict(why),
        "seconds": seconds,
        "median ms of an answer": 1000 * float(np.median(waits)) if waits else None,
        "99 % ms of an answer": 1000 * float(np.quantile(waits, 0.99)) if waits else None,
    }
