"""Four parties, an operator and volunteers, each on its own machine, follow docs/crowd.md to the letter."""

import json
import os
import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.machines import certify, machines

PARTIES = ("a.example", "b.example", "c.example", "d.example")
PAGE = (Path(__file__).parents[2] / "docs" / "crowd.md").read_text()
SECTION = PAGE.split("## On four machines", 1)[1].split("\n## ", 1)[0]
LINES = re.findall(r"^([a-z.]+)\$ (crowdlog .+)$", SECTION, re.MULTILINE)
MEMBERS = 5
PATIENCE = 600  # seconds for a command, on a busy machine


@contextmanager
def stopped_at_the_end(running: list[subprocess.Popen]):
    try:
        yield running
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)


def prepare(folder: Path) -> None:
    """What the page takes for granted: certificates, tokens, the operator's file, volunteers' logs."""
    certify(folder, PARTIES)
    for party in PARTIES:
        (folder / party / "token").write_text(os.urandom(32).hex())
    known = [
        {"url": f"https://{party}", "token": (folder / party / "token").read_text()} for party in PARTIES
    ]
    services = {"randomness": known[0], "mixes": known[1:3], "aggregation": known[3], "cafile": "ca.pem"}
    (folder / "operator" / "operator.json").write_text(json.dumps(services))
    (folder / "operator" / "operator.json").chmod(0o600)
    for number in range(MEMBERS):
        rows = [
            f"{number}\tweather\t2006-03-01 00:00:00\t\t",
            f"{number}\tonly {number}\t2006-03-02 00:00:00\t\t",
        ]
        log = folder / "member" / f"searches-{number}.tsv"
        log.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *rows]) + "\n")


def wait_for(there, party: str) -> None:
    """Until the service answers over TLS, asked from another machine."""
    ask = f"curl --silent --fail --cacert ca.pem https://{party}/health"
    deadline = time.monotonic() + PATIENCE
    while subprocess.run(there.command("operator", ask), capture_output=True).returncode:
        assert time.monotonic() < deadline, f"{party} does not answer"
        time.sleep(0.5)


def members_do(there, line: str, links: list[str]) -> None:
    """All volunteers at once, each with her own link, log and home."""
    own_log = [line.replace("my-searches.tsv", f"searches-{number}.tsv") for number in range(MEMBERS)]
    running = [
        subprocess.Popen(
            there.command("member", own_log[number]),
            env=there.environment(LINK=links[number], CROWDLOG_HOME=str(there.folder / f"home-{number}")),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(MEMBERS)
    ]
    for process in running:
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said


@pytest.mark.slow
@pytest.mark.xdist_group("crowd services")
def test_a_collection_of_four_parties_in_their_own_networks_as_the_page_says(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("Network namespaces need root: run this test as root.")
    assert [where for where, _line in LINES[:4]] == list(PARTIES)
    names = [*PARTIES, "operator", "member"]
    with machines(names, tmp_path) as there, stopped_at_the_end([]) as services:
        prepare(tmp_path)
        links, told = [], {}
        for where, line in LINES:
            if where in PARTIES:
                log = (tmp_path / where / "log").open("wb")
                services.append(
                    subprocess.Popen(
                        there.command(where, line),
                        env=there.environment(),
                        stdout=log,
                        stderr=subprocess.STDOUT,
                    )
                )
                log.close()
                wait_for(there, where)
            elif where == "member":
                members_do(there, line, links)
            else:
                answer = subprocess.run(
                    there.command(where, line),
                    env=there.environment(**told),
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE,
                )
                assert answer.returncode == 0, answer.stdout + answer.stderr
                links = (tmp_path / "operator" / "links.txt").read_text().split()
                told = {"ID": links[0].split("/collections/")[1].split("#")[0]}
        assert all(process.poll() is None for process in services)
        public = f"curl --silent --fail --cacert ca.pem https://d.example/collections/{told['ID']}/release"
        subprocess.run(there.command("member", public), check=True, capture_output=True)
    table = pq.read_table(tmp_path / "operator" / "crowdlog" / "queries.parquet").to_pylist()
    assert table == [{"query": "weather", "count": MEMBERS}]
    label = (tmp_path / "operator" / "crowdlog" / "label.md").read_text()
    assert "Institute B" in label
    assert "Institute C" in label
    logs = "".join((tmp_path / party / "log").read_text() for party in PARTIES)
    assert "Traceback" not in logs
    assert "10.213.77." not in logs  # no address of a volunteer is written down
    kept = [path.read_bytes() for party in PARTIES for path in (tmp_path / party / "data").rglob("*.*")]
    assert sum(map(len, kept)) > 10_000
    assert not any(b"10.213.77." in one for one in kept)
