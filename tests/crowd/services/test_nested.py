"""Nested collections through the services: a query opens at k, its clicks at the inner k, and both tables are
those of FTu on the union.
"""

import random
from collections import defaultdict

import pytest

from tests.crowd.services.members import SmallCrowd

K, INNER_K = 5, 7
CLICKS = {
    "inner_k": INNER_K,
    "inner_slots": 2,
    "inner_artifact": "click",
    "inner_policy": f"FTu(k={INNER_K}, artifact='click')",
}


@pytest.fixture(params=["sqlite", "postgresql"])
def crowd(request, tmp_path):
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with SmallCrowd(tmp_path, url, more=CLICKS) as small:
        yield small


def _expected(logs: list[tuple[dict, dict]]) -> dict[str, list[dict]]:
    """FTu of both kinds on the union, by hand."""
    queries, clicks = defaultdict(list), defaultdict(list)
    for asked, clicked in logs:
        for query, times in asked.items():
            queries[query].append(times)
        for pair, times in clicked.items():
            clicks[pair].append(times)
    outer = [
        {"query": query, "count": sum(times), "users": len(times)}
        for query, times in queries.items()
        if len(times) >= K
    ]
    inner = [
        {"query": q, "url": url, "count": sum(times), "users": len(times)}
        for (q, url), times in clicks.items()
        if len(times) >= INNER_K
    ]
    order = [
        sorted(rows, key=lambda row: (-row["count"], row["query"], row.get("url"))) for rows in (outer, inner)
    ]
    return {"queries.parquet": order[0], "clicks.parquet": order[1]}


def test_both_tables_are_those_of_ftu_on_the_union(crowd):
    draw = random.Random(3)
    logs = []
    for person in range(10):
        asked = {"all": 2, "some": 1} if person < 6 else {"all": draw.randint(1, 3)}
        clicked = {("all", "a.example"): 1, ("all", f"{person % 2}.example"): draw.randint(1, 2)} | (
            {("some", "s.example"): 1} if person < 6 else {}
        )
        logs.append(({**asked, f"alone {person}": 1}, {**clicked, (f"alone {person}", "x.example"): 1}))
    sent = [crowd.envelopes(crowd.member(), *log) for log in logs]
    # with and without clicks inside
    assert len({len(envelope) for envelopes in sent for envelope in envelopes}) == 1
    crowd.open_uploads()
    for envelopes in [*sent, sent[0]]:
        crowd.send(envelopes)
    status = crowd.status()
    assert (status["stored"], status["duplicates"], status["received"]) == (26, 3, 26)
    assert (status["k"], status["inner_k"]) == (K, INNER_K)
    tables = crowd.tables()
    assert tables == _expected(logs)
    # six people clicked s.example, five each 0 and 1.example
    assert [row["url"] for row in tables["clicks.parquet"]] == ["a.example"]
    label = crowd.client.get(f"{crowd.at}/release/label.json").json()
    assert label["crowdlog"]["mechanisms"] == ["FTu(k=5)", "FTu(k=7, artifact='click')"]
    assert label["crowdlog"]["notes"]["inner_k"] == INNER_K
    assert {step["name"] for step in label["accounting"]["steps"]} >= {"queries: Open", "clicks: Open"}


def test_what_is_inside_a_closed_query_stays_closed(crowd):
    sent = [crowd.envelopes(crowd.member(), {"rare": 1}, {("rare", "r.example"): 1}) for _ in range(K - 1)]
    crowd.open_uploads()
    for envelopes in sent:
        crowd.send(envelopes)
    assert crowd.tables() == {"queries.parquet": [], "clicks.parquet": []}


def test_noise_on_both_tables_adds_up(tmp_path):
    """ε = 30 with d = 1: the noise is 0 but for a chance below 1e-12."""
    quiet = "Zealous(epsilon=30, delta=1e-6, d=1, keep='random'{})"
    more = {
        **CLICKS,
        "limit": 1,
        "policy": quiet.format(""),
        "inner_policy": quiet.format(", artifact='click'"),
    }
    with SmallCrowd(tmp_path, count="users", more=more) as crowd:
        sent = [
            crowd.envelopes(crowd.member(), {"all": 1}, {("all", "a.example"): 1}) for _ in range(INNER_K + 2)
        ]
        crowd.open_uploads()
        for envelopes in sent:
            crowd.send(envelopes)
        tables = crowd.tables()
        label = crowd.client.get(f"{crowd.at}/release/label.json").json()
    assert tables == {
        "queries.parquet": [{"query": "all", "count": 9}],
        "clicks.parquet": [{"query": "all", "url": "a.example", "count": 9}],
    }
    parameters = label["privacy_loss"]["privacy_parameters"]
    assert 59 < parameters["epsilon"] <= 60
    assert 0 < parameters["delta"] <= 2e-6
    assert not {"joined", "mix_1"} & set(label["crowdlog"]["notes"])
