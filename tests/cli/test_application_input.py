"""What applications say to input that cannot be right: one sentence, before any work, and no file."""

import json
import socket

import click
import pytest
from click.testing import CliRunner

from crowdlog.applications.recommendation.graph import build_graph
from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log

CONTEXT = '{"id": "1", "context": ["rome", "rome hotels"]}\n'
OTHER = '{"id": "2", "context": ["paris"]}\n'
RECS = '{"id": "1", "recs": [["rome hotels", 1.0]]}\n'
TASKS = "AnonID\tQueryTime\tQuery\tTask\n"
LOG = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(
    f"{user}\t{query}\t2006-03-01 10:0{at}:00\t\t\n"
    for user in range(5)
    for at, query in enumerate(["rome", "rome hotels", "rome museum"])
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("applications")
    (folder / "log.tsv").write_text(LOG)
    import_log(folder / "log.tsv", folder / "store")
    build_graph(folder / "store").save(folder / "g.npz")
    (folder / "c.jsonl").write_text(CONTEXT + OTHER)
    (folder / "recs.jsonl").write_text(RECS)
    searches = [line.split("\t")[:3] for line in LOG.splitlines()[1:]]
    (folder / "tasks.tsv").write_text(TASKS + "".join(f"{u}\t{t}\t{q}\t1\n" for u, q, t in searches))
    CliRunner().invoke(cli, ["frustration", "synth", str(folder / "study.tsv"), "--people", "3"])
    CliRunner().invoke(cli, ["frustration", "train", str(folder / "study.tsv"), "-o", str(folder / "m.json")])
    return folder


def refused(place, line):
    """What is said to a command line, whose words in capitals stand for files of the folder."""
    names = {"GRAPH": "g.npz", "CONTEXTS": "c.jsonl", "RECS": "recs.jsonl", "STUDY": "study.tsv"}
    names |= {"LOG": "log.tsv", "STORE": "store", "TASKS": "tasks.tsv", "MODEL": "m.json", "OUT": "out"}
    names |= {"NOWHERE": "none/out", "GIVEN": "given.jsonl"}
    words = [str(place / names[word]) if word in names else word for word in line.split()]
    answer = CliRunner().invoke(cli, words, standalone_mode=False)
    assert isinstance(answer.exception, InputError | click.ClickException)
    said = str(answer.exception)
    assert "\n" not in said
    assert not (place / "out").exists()
    return said


@pytest.mark.parametrize(
    "line",
    [
        "tasks find LOG --eta 7 -o OUT",
        "tasks find LOG --eta nan -o OUT",
        "tasks score --truth TASKS --found TASKS --test-from 1",
        "recommend run GRAPH CONTEXTS --tau nan -o OUT",
        "recommend run GRAPH CONTEXTS --beta -3 -o OUT",
        "recommend run GRAPH CONTEXTS --lambda 7 -o OUT",
        "recommend run GRAPH CONTEXTS --top 0 -o OUT",
        "recommend mix CONTEXTS --off 1 --draws 0 -o OUT",
        "recommend serve GRAPH --port 99999",
        "frustration synth OUT --people 0",
        "frustration pseudo STUDY --users 0 -o OUT",
        "frustration find STUDY --model MODEL --train-tasks -1 -o OUT",
        "applications cost --only frustration --people 100 --epsilon nan -o OUT",
        "applications cost --only frustration --people 100 --jobs 0 -o OUT",
    ],
)
def test_numbers_out_of_range(place, line):
    refused(place, line)


@pytest.mark.parametrize(
    "line",
    [
        "tasks train LOG --labels TASKS -o NOWHERE",
        "tasks find LOG -o NOWHERE",
        "tasks vectors LOG --labels TASKS --domain NOWHERE -o OUT",
        "recommend build STORE -o NOWHERE",
        "recommend run GRAPH CONTEXTS -o NOWHERE",
        "recommend mix CONTEXTS --off 1 -o NOWHERE",
        "frustration synth NOWHERE",
        "frustration train STUDY -o NOWHERE",
        "frustration find STUDY --model MODEL -o NOWHERE",
    ],
)
def test_a_folder_that_is_not_there_is_told_before_the_work(place, line):
    assert "There is no folder" in refused(place, line)


def test_a_folder_is_no_file_to_write(place):
    assert "is a folder" in refused(place, "recommend build STORE -o STORE")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (CONTEXT + CONTEXT, "the id of line 2 stands there before"),
        ("", "holds no context"),
        ('"id context"\n', "line 1 is no object of JSON"),
        ("{\n", "line 1 is no object of JSON"),
        ('{"id": "1", "context": ["a"], "sametask": ["b"]}\n', "a score for each query"),
        ('{"id": "1", "context": ["a"], "sametask": [NaN]}\n', "a score for each query"),
        ('{"id": "1", "context": ["a"], "sametask": 3}\n', "a score for each query"),
    ],
)
def test_contexts_that_cannot_be_used(place, lines, why):
    (place / "given.jsonl").write_text(lines)
    assert why in refused(place, "recommend run GRAPH GIVEN -o OUT")


def test_more_strange_queries_than_there_are(place):
    said = refused(place, "recommend mix CONTEXTS --off 2 -o OUT")
    assert "only 1 queries of other tasks" in said


@pytest.mark.parametrize("options", ["", " --docs TASKS"])
def test_a_truth_that_says_nothing(place, options):
    (place / "given.jsonl").write_text('{"id": "1", "latter": ["rome"]}\n')
    said = refused(place, f"recommend score RECS --truth GIVEN{options}")
    assert ("'relevant'" if options else "'later'") in said


def test_all_searches_that_were_not_found_are_counted(place):
    lines = (place / "tasks.tsv").read_text().splitlines(keepends=True)
    (place / "given.jsonl").write_text("".join(lines[:4]))  # the first of five people
    said = refused(place, "tasks score --truth TASKS --found GIVEN")
    assert "leave out 12 of 15 searches" in said


def test_a_port_that_is_taken(place):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused(place, f"recommend serve GRAPH --port {taken.getsockname()[1]}")
    assert "Cannot listen on 127.0.0.1" in said


def test_scores_are_for_people_to_read(place):
    found = str(place / "found.tsv")
    CliRunner().invoke(
        cli, ["frustration", "find", str(place / "study.tsv"), "--model", str(place / "m.json"), "-o", found]
    )
    shown = CliRunner().invoke(cli, ["frustration", "score", found]).output
    value = json.loads(CliRunner().invoke(cli, ["frustration", "score", found, "--json"]).output)["f0.5"]
    assert f"f0.5       {value['value']:.3f} [" in shown
    assert "{" not in shown
