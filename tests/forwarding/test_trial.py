"""Real nodes on loopback, killed with -9: every search ends once,
and no query is on any disk or in any log.
"""

import os

import httpx
import pytest

from crowdlog.errors import InputError
from crowdlog.forwarding.backend import TitleIndex, public_titles
from crowdlog.forwarding.graphs import power_law
from crowdlog.forwarding.trial import NodeTrial, run_script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("forwarding nodes")]
CANARY = "canary4111111111111111"


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forward") / "trial"
    with NodeTrial(
        folder, power_law(12, seed=3).pairs(), accept_seconds=30.0, answer_seconds=60.0
    ) as running:
        yield running


def everything_kept(trial) -> bytes:
    """All files of the trial, and the command lines and environments of its processes."""
    kept = [path.read_bytes() for path in trial.folder.rglob("*") if path.is_file()]
    for process in trial.processes.values():
        for name in ("cmdline", "environ"):
            with open(f"/proc/{process.pid}/{name}", "rb") as file:  # noqa: PTH123
                kept.append(file.read())
    return b"".join(kept)


def open_files(trial) -> set[str]:
    """Regular files that the nodes hold open, deleted ones too."""
    found = set()
    for process in trial.processes.values():
        folder = f"/proc/{process.pid}/fd"
        found |= {os.readlink(f"{folder}/{number}") for number in os.listdir(folder)}  # noqa: PTH115, PTH208
    return {name for name in found if name.startswith("/") and not name.startswith(("/dev/", "/proc/"))}


def test_searches_end_once_while_nodes_are_killed(trial):
    told = run_script(trial, searches=120, kills=5, seed=2, at_once=8)
    assert told["answered once"] + told["reported failed"] == 120
    assert told["of them right"] == told["answered once"]
    assert told["answered once"] > 60
    # who had accepted never passes a query on twice, so the engine is asked at most once for each search
    assert told["submitted to the engine"] <= 120


def test_no_query_is_on_a_disk_or_in_a_log(trial):
    for name in trial.names:
        trial.wait_connected(name)
    before = trial.engine_count()
    outcomes = [trial.search(name, f"{CANARY} boston", []) for name in trial.names]
    assert all(outcome.answered for outcome in outcomes)  # found nothing, which is an answer
    assert trial.engine_count() == before + len(outcomes)
    assert CANARY.encode() not in everything_kept(trial)
    assert not {name for name in open_files(trial) if not name.endswith(".log")}


def test_bad_calls_of_the_page_are_refused_and_the_node_lives(trial):
    name = trial.names[0]
    token = {"Authorization": f"Bearer {trial.tokens[name]}"}
    url = trial.url(name)
    assert httpx.post(f"{url}/search", json={"query": CANARY}).status_code == 401
    assert httpx.post(f"{url}/search", json={"query": ""}, headers=token).status_code == 400
    assert httpx.post(f"{url}/search", json={"query": "x" * 501}, headers=token).status_code == 400
    assert httpx.post(f"{url}/search", content=b"x" * 20_000, headers=token).status_code == 413
    assert httpx.post(f"{url}/search", content=b"{", headers=token).status_code == 400
    rebound = {**token, "Host": "evil.example"}
    assert httpx.post(f"{url}/search", json={"query": "x"}, headers=rebound).status_code == 403
    assert httpx.get(url, headers={"Host": "evil.example"}).status_code == 403
    page = httpx.get(url)
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert trial.status(name)["neighbours"] >= 1


def test_the_page_says_what_the_only_neighbour_knows(trial):
    for name in trial.names:
        alone = trial.status(name)["neighbours"] == 1
        page = httpx.get(trial.url(name)).text
        assert ("Your only neighbour knows" in page) == alone
        assert ("None of your neighbours alone" in page) != alone
        assert "{{" not in page


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ([(i, i + 1) for i in range(500)], "2 to 500 nodes; this graph has 501"),
        ([(0, 1), (1, 3)], "no neighbour"),
        ([], "2 to 500 nodes"),
    ],
)
def test_a_graph_that_is_no_trial_is_refused_before_anything_starts(tmp_path, edges, said):
    with pytest.raises(InputError, match=said):
        NodeTrial(tmp_path / "trial", edges)
    assert not (tmp_path / "trial").exists()


def test_the_engine_takes_any_text_for_words():
    index = TitleIndex(public_titles(2000))
    title = public_titles(2000)[0]
    assert title in index.find(title)
    for text in ('"', "a OR", "NEAR(", "title:", "*", "'; drop table page", "\0", "-", "^x", " "):
        assert isinstance(index.find(text), list)
    index.close()
