import csv
import json

import networkx as nx
import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.release.export import export
from crowdlog.release.folder import Release
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log

QUERIES = ["weather <boston> & more", "used cars"]


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    log = make_log(folder, crowd_rows(400, QUERIES))
    return publish(parse("Korolova(epsilon=4, delta=1e-9, d=2, weight_suggestions=2)"), log, folder / "out")


def test_tsv_holds_the_tables_and_the_label(release, tmp_path):
    export(release, tmp_path / "tsv", "tsv")
    with (tmp_path / "tsv" / "queries.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert {row["query"]: int(row["count"]) for row in rows} == {
        row["query"]: row["count"] for row in release.queries().to_pylist()
    }
    assert json.loads((tmp_path / "tsv" / "label.json").read_text()) == json.loads(
        (release.path / "label.json").read_text()
    )


def test_formulas_are_texts_in_a_spreadsheet(make_release, tmp_path):
    """A spreadsheet runs what begins with one of these; the table itself keeps what people typed."""
    formulas = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@sum(1)", "\tx", "harmless = 1"]
    release = make_release("0" * 32, queries=[(text, 5) for text in formulas])
    export(release, tmp_path / "tsv", "tsv")
    with (tmp_path / "tsv" / "queries.tsv").open(encoding="utf-8", newline="") as file:
        shown = [row["query"] for row in csv.DictReader(file, delimiter="\t")]
    assert sorted(shown) == sorted([*(f"'{text}" for text in formulas[:-1]), formulas[-1]])
    assert sorted(release.queries()["query"].to_pylist()) == sorted(formulas)


def test_parquet_is_the_same_table(release, tmp_path):
    export(release, tmp_path / "parquet", "parquet")
    assert pq.read_table(tmp_path / "parquet" / "clicks.parquet").equals(release.clicks())


def test_graphml_is_read_by_networkx(release, tmp_path):
    (path,) = export(release, tmp_path / "graph", "graphml")
    graph = nx.read_graphml(path)
    named = nx.get_node_attributes(graph, "text")
    assert {text for node, text in named.items() if graph.nodes[node]["kind"] == "query"} == set(QUERIES)
    edges = {(named[a], named[b]): data["count"] for a, b, data in graph.edges(data=True)}
    expected = {(row["query"], row["url"]): row["count"] for row in release.clicks().to_pylist()}
    expected |= {(row["query"], row["next_query"]): row["count"] for row in release.pairs().to_pylist()}
    assert edges == expected


def test_words_and_sites_are_nodes_of_the_graph(tmp_path):
    """The word and the site of one name are two nodes."""
    log = make_log(tmp_path, [(f"u{user}", "cars", 100, "http://cars.com") for user in range(600)])
    ladder = parse("Ladder(epsilon=8, delta=1e-3, people=600, least_rows=0)")
    release = publish(ladder, log, tmp_path / "out", i_know=True)
    (path,) = export(release, tmp_path / "graph", "graphml")
    graph = nx.read_graphml(path)
    nodes = {node: (data["kind"], data["text"]) for node, data in graph.nodes(data=True)}
    edges = {(nodes[a], nodes[b]): data["count"] for a, b, data in graph.edges(data=True)}
    for name, kind in (("query_sites", "query"), ("word_sites", "word")):
        (row,) = [row for row in release.table(name).to_pylist() if row["site"] == "cars.com"]
        assert edges[(kind, "cars"), ("site", "cars.com")] == row["count"]


def test_what_cannot_be_exported_gets_a_sentence_and_leaves_nothing(release, tmp_path):
    folder = tmp_path / "log"
    only_queries = publish(
        parse("DPu(epsilon=4, delta=1e-9, d=2)"), make_log(folder, crowd_rows(400, QUERIES)), folder / "out"
    )
    with pytest.raises(InputError, match="neither clicks nor pairs"):
        export(only_queries, tmp_path / "graph", "graphml")
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="exists already"):
        export(release, tmp_path / "taken", "tsv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "taken"]


def test_what_is_no_release_gets_a_sentence(tmp_path):
    with pytest.raises(InputError, match="is not a release"):
        Release.open(tmp_path)
    (tmp_path / "label.json").write_text("{")
    with pytest.raises(InputError, match="not valid JSON"):
        Release.open(tmp_path)
