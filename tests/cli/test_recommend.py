import asyncio
import json

import httpx
from click.testing import CliRunner

from crowdlog.applications.recommendation.graph import load_graph
from crowdlog.applications.recommendation.merge import RecommendationServer
from crowdlog.applications.recommendation.service import recommendation_app
from crowdlog.cli import cli
from crowdlog.log.importer import import_log

ROWS = [
    (user, query, f"2006-03-01 10:0{at}:00")
    for user in range(5)
    for at, query in enumerate(["cheap flights", "cheap hotels rome", "rome museum"])
]

WRONG = [
    b'{"query": 3}',
    b"[" * 100_000,
    b'{"query": "\\ud800"}',
    b"\xff",
    b"[]",
    b'{"query": "a", "top": NaN}',
    b"",
]


def run(*arguments):
    answer = CliRunner().invoke(cli, ["recommend", *map(str, arguments)])
    assert answer.exit_code == 0, (answer.output, answer.exception)
    return answer


def test_build_run_score_mix_and_serve(tmp_path):
    log = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
    log += "".join(f"{user}\t{query}\t{time}\t\t\n" for user, query, time in ROWS)
    (tmp_path / "log.tsv").write_text(log)
    import_log(tmp_path / "log.tsv", tmp_path / "store")
    run("build", tmp_path / "store", "-o", tmp_path / "g.npz")
    graph = load_graph(tmp_path / "g.npz")
    assert (
        graph.flow[graph.number["cheap flights"], graph.number["rome museum"]] == 0.5
    )  # not only neighbours
    context = {"id": "1", "context": ["Cheap flights"]}
    other = {"id": "2", "context": ["rome museum", "cheap hotels rome"]}
    (tmp_path / "c.jsonl").write_text(json.dumps(context) + "\n" + json.dumps(other) + "\n")
    run("run", tmp_path / "g.npz", tmp_path / "c.jsonl", "--model", "decay", "-o", tmp_path / "r.jsonl")
    (tmp_path / "t.jsonl").write_text('{"id": "1", "later": ["cheap hotels rome"]}\n{"id": "2"}\n')
    found = json.loads(run("score", tmp_path / "r.jsonl", "--truth", tmp_path / "t.jsonl", "--json").output)
    assert found["coverage"]["value"] == 1
    assert found["mrr_later"]["value"] > 0.15
    run("mix", tmp_path / "c.jsonl", "--off", 1, "--draws", 2, "-o", tmp_path / "m.jsonl")
    assert len((tmp_path / "m.jsonl").read_text().splitlines()) == 4
    assert asyncio.run(_statuses(graph)) == [200, *[400] * len(WRONG)]


async def _statuses(graph):
    transport = httpx.ASGITransport(recommendation_app(RecommendationServer(graph)))
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        good = await client.post("/recommend", json={"query": "cheap flights"})
        assert good.json()["recs"]
        bad = [await client.post("/recommend", content=body) for body in WRONG]
    return [good.status_code, *(answer.status_code for answer in bad)]


def test_errors_are_one_sentence(tmp_path):
    (tmp_path / "c.jsonl").write_text('{"id": "1"}\n')
    answer = CliRunner().invoke(cli, ["recommend", "mix", str(tmp_path / "c.jsonl"), "--off", "1", "-o", "-"])
    assert answer.exit_code != 0
    assert "line 1 lacks context" in str(answer.exception)
