"""The extension mines, spells and recommends as the Python package does."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crowdlog.applications.recommendation.graph import graph_of_pairs
from crowdlog.applications.recommendation.merge import RecommendationServer
from crowdlog.applications.tasks.commands import vectors_of_log
from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.artifacts.representations import STOP_WORDS, representation, stem
from crowdlog.crowd.client.mining import mine_each
from crowdlog.lists.words import all_words
from crowdlog.log.formats.search_pages import searches
from crowdlog.log.importer import import_log
from crowdlog.log.normalise import normalise
from tests.extension.browsers import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("node")]

REPRESENTATIONS = ("original", "light", "heavy")
MINED = (*ARTIFACTS, "triple")
TEXTS = [
    "  Two\t WORDS ",
    "www.Example.com maps",
    "café CAFE\u0301",
    "don't stop_me.now",
    "ΣΊΣΥΦΟΣ",
    "İstanbul",
    "a.community x.com.",
    "5½ ² ٣",
    "x\u3000y\u2009z",
    "日本語 検索",
    "\ufeffmark",
    "www. .org",
    " ".join(sorted(STOP_WORDS)),
    "the running shoes of the generously organized universities",
    "\U0001d4b3\U0001d4b3s zebras \uff41pple",
]
# Words of every hundredth rank, and those that take a way of their own through the stemmer.
WORDS = [
    *(word for word in all_words()[::100] if word.isalnum()),
    *"skis skies sky news dying lying vying saying copying inning beginning evening outing herring".split(),
    *"succeed proceed exceed feed agreed agreedly hopping hoped adding egging offed tied ties cries".split(),
    *"past pasting pasted commune general interest laterally organist biologist analogi yyy ayy".split(),
    *"generically communism rational ational formative relative hopefulness controll ball bee e".split(),
    "\U0001d4b3ing",
    "a\U0001d4b3y",
]
# Number of a visit, the visit it came from, its time, its address; a page reached twice belongs to the later.
VISITS = [
    (1, None, 100, "https://www.google.com/search?q=blue+shoes"),
    (2, 1, 110, "https://shop.example/"),
    (3, 2, 120, "https://shop.example/blue"),
    (4, None, 130, "https://elsewhere.example/"),
    (5, 4, 140, "https://elsewhere.example/more"),
    (6, 1, 150, "https://www.google.com/search?q=red+hats"),
    (7, 6, 160, "https://shop.example/"),
    (8, 7, 170, "https://shop.example/hats"),
    (9, 8, 180, "https://shop.example/hats/red"),
]


def events_of_visits() -> list[dict[str, Any]]:
    """What the extension logs on this way: searches, and clicks on links from the page before."""
    urls = {number: url for number, _origin, _time, url in VISITS}
    events: list[dict[str, Any]] = []
    for number, origin, time, url in VISITS:
        base = {"uid": str(number), "time": time * 1000}
        if origin is not None:
            click = {"kind": "link-click", "url": urls[origin], "target": url}
            of = {"search": str(origin)} if "google" in urls[origin] else {}
            events.append({**base, **click, **of, "uid": f"click {number}"})
        if "google" in url:
            query = url.rsplit("=")[-1].replace("+", " ")
            events.append({**base, "kind": "search", "query": query, "url": url})
    return events


def synthetic_rows() -> list[dict[str, Any]]:
    """One person's rows: sessions, repeats, several clicks of a search, two searches in one second."""
    draw = random.Random(3)
    words = ["alpha", "Beta", "gamma.com", "delta-x", "épsilon"]
    rows, now = [], 1_700_000_000
    for _search in range(120):
        now += draw.choice([0, 5, 60, 25 * 60, 26 * 60, 26 * 60 + 1, 7200])
        query = " ".join(draw.choices(words, k=draw.randint(1, 2)))
        clicks = [
            {"rank": n, "url": f"https://Www.{n}.Example:80/a"}
            for n in range(1, 1 + draw.choice([0, 0, 1, 2]))
        ]
        rows += [{"user": "1", "query": query, "time": now, **click} for click in clicks or [{}]]
    return rows


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    script = tmp_path_factory.mktemp("answers") / "answers.mjs"
    bundle = [ROOT / "extension/node_modules/.bin/esbuild", ROOT / "extension/tests/answers.ts", "--bundle"]
    bundle += ["--platform=node", "--format=esm", f"--outfile={script}", "--log-level=error"]
    subprocess.run(bundle, check=True)
    questions = {
        "rows": synthetic_rows(),
        "kinds": MINED,
        "words": WORDS,
        "events": events_of_visits(),
        "representations": REPRESENTATIONS,
        "texts": TEXTS,
        "log": {"queries": QUERIES, "pairs": PAIRS},
        "asked": ASKED,
        "searches": [{"uid": str(n), "query": query, "time": time} for n, (time, query, _t) in LABELLED],
        "labels": {str(n): task for n, (_time, _query, task) in LABELLED if task is not None},
    }
    done = subprocess.run(
        ["node", script], input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    return dict(json.loads(done.stdout))


def test_spelling(answers: dict[str, Any]) -> None:
    for name, written in zip(REPRESENTATIONS, answers["written"], strict=True):
        assert written == [representation(name)(normalise(text)) for text in TEXTS]


def test_stems(answers: dict[str, Any]) -> None:
    assert answers["stems"] == [stem(word) for word in WORDS]


def test_trails(answers: dict[str, Any]) -> None:
    """A search with visits has a row for each; the import counts the row of the search itself away."""
    rows = [
        (query.decode(), int(time), url.decode())
        for _u, query, time, _r, url in searches(VISITS, trails=True)
    ]
    visited = sorted(row for row in rows if row[2])
    assert sorted(map(tuple, answers["trails"])) == visited
    assert len(visited) == 5


def test_mining(answers: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in synthetic_rows()))
    store = import_log([file], tmp_path / "store")
    for name, kinds in zip(REPRESENTATIONS, answers["mined"], strict=True):
        for kind, found in zip(MINED, kinds, strict=True):
            ((_user, wanted),) = mine_each(store, Artifact(kind, name))
            # which of two texts of an undirected pair comes first is checked by itself
            undirected = kind.startswith("undirected")
            order = sorted if undirected else list
            got = sorted((tuple(order(texts)), number) for texts, number in found)
            assert got == sorted((tuple(order(item.texts)), item.impressions) for item in wanted), kind
            assert not undirected or all(texts == sorted(texts) for texts, _number in found)


# time, query, and the task that she gave it
LABELLED = list(
    enumerate(
        [
            (1_700_000_000, "blue shoes", 0),
            (1_700_000_020, "blue shoes size 42", 0),
            (1_700_000_100, "shoe shops near me", 0),
            (1_700_000_900, "train times", 1),
            (1_700_001_000, "train times tomorrow", 1),
            (1_700_009_000, "blue train", None),
            (1_700_019_000, "cake recipe", 2),
        ]
    )
)


def test_feature_vectors(answers: dict[str, Any], tmp_path: Path) -> None:
    log, labels = tmp_path / "log.jsonl", tmp_path / "tasks.tsv"
    rows = [(time, query, task) for _n, (time, query, task) in LABELLED]
    log.write_text("".join(json.dumps({"user": "1", "query": q, "time": t}) + "\n" for t, q, _task in rows))
    lines = [
        f"1\t{np.datetime64(t, 's')}\t{q}\t{task}".replace("T", " ")
        for t, q, task in rows
        if task is not None
    ]
    labels.write_text("\n".join(["AnonID\tQueryTime\tQuery\tTask", *lines]) + "\n")
    for bins, found in zip(("bin1", "bin2"), answers["vectors"], strict=True):
        chosen: dict[str, Any] = {"domain": None, "vectors": None, "keep_repeats": False, "seed": 0}
        store = vectors_of_log(str(log), str(labels), str(tmp_path / bins), bins=bins, **chosen)
        ((_user, wanted),) = mine_each(store, Artifact("query"))
        assert sorted(map(tuple, found)) == sorted((item.texts[0], item.impressions) for item in wanted)


QUERIES = [["blue shoes", 9], ["red shoes", 4], ["blue hats", 3], ["train times", 7], ["-", 5], ["zebra", 1]]
PAIRS = [
    ["blue shoes", "red shoes", 5],
    ["red shoes", "blue hats", 2],
    ["blue shoes", "train times", 1],
    ["train times", "bus times", 3],
]
ASKED = ["blue shoes", "blue times", "unknown", "shoes shoes", "zebra"]


def test_recommendation(answers: dict[str, Any]) -> None:
    first, second, weight = zip(*PAIRS, strict=True)
    graph = graph_of_pairs(list(first), list(second), np.array(weight, np.float64), dict(map(tuple, QUERIES)))
    server = RecommendationServer(graph)
    for query, found in zip(ASKED, answers["answers"], strict=True):
        wanted = server.answer(query, 20)
        assert [text for text, _score in found] == [text for text, _score in wanted]
        assert [score for _text, score in found] == pytest.approx([score for _text, score in wanted])
