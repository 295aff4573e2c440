"""What applications say to input that cannot be right: one sentence, before any work, and no file."""

import json
import re
import socket
import zipfile
from importlib.resources import files

import click
import numpy as np
import pytest
from click.testing import CliRunner

from crowdlog.applications.frustration.study import read_study
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
    names |= {"NOWHERE": "none/out", "GIVEN": "given.jsonl", "FOLDER": "."}
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
        ('{"id": "1", "context": ["a"], "sametask": [NaN]}\n', "no object of JSON"),
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


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("tasks find LOG --merge global -o OUT", "give that with --known"),
        ("tasks train --crowd-log STORE --bins none -o OUT", "leave out --bins"),
    ],
)
def test_options_that_would_do_nothing(place, line, why):
    assert why in refused(place, line)


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


SHIPPED = json.loads(files("crowdlog.applications.tasks").joinpath("default.json").read_text())
STUDY = "user\ttask\tsearch\tstart\tend\tquery\tactions\turls\tlabel\n"
FOUND = "user\tsearch\tchance\tfrustrated\tlabel\n"


def with_trees(**columns):
    return SHIPPED | {"trees": SHIPPED["trees"] | columns}


@pytest.mark.parametrize(
    "model",
    [
        with_trees(left=[0] * len(SHIPPED["trees"]["left"])),  # would be walked for ever
        with_trees(right=[10**9] * len(SHIPPED["trees"]["right"])),  # would be read from anywhere
        with_trees(feature=[99] * len(SHIPPED["trees"]["feature"])),
        with_trees(roots=[-1]),
        with_trees(threshold=[]),
        with_trees(logistic="yes"),
        SHIPPED | {"link": "canary"},
        SHIPPED | {"eta": "canary"},
        SHIPPED | {"eta": float("nan")},
        SHIPPED | {"bins": "bin1"},  # trees over features that binned vectors have not
        SHIPPED | {"quiet": [[0.5]]},
        SHIPPED | {"quiet_seconds": [1, 2, 3]},
        SHIPPED | {"label": 3},
        {name: value for name, value in SHIPPED.items() if name != "features"},
    ],
    ids=range(14),
)
def test_a_task_model_with_numbers_out_of_range(place, model):
    """Kernels look nothing up twice: what a file says is looked at before."""
    (place / "given.jsonl").write_text(json.dumps(model))
    said = refused(place, "tasks find LOG --model GIVEN -o OUT")
    assert "model" in said
    assert "canary" not in said


@pytest.mark.parametrize(
    "model",
    [
        {"format": "crowdlog-frustration-model"},
        {"format": "crowdlog-frustration-model", "version": 1, "coefficients": [1, 2], "label": None},
        {"format": "crowdlog-frustration-model", "version": 99},
        {"format": "canary"},
        [],
    ],
    ids=range(5),
)
def test_a_frustration_model_that_is_none(place, model):
    (place / "given.jsonl").write_text(json.dumps(model))
    assert "canary" not in refused(place, "frustration find STUDY --model GIVEN -o OUT")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("indices", lambda whole: whole + 10**6),  # would be read from anywhere
        ("indptr", lambda whole: whole[::-1]),
        ("data", lambda whole: np.full(len(whole), np.nan)),
        ("data", lambda whole: whole * 50),
        ("count", lambda whole: whole[:-1]),
        ("queries", lambda _whole: np.array(b"canary")),
        ("named", lambda _whole: np.array(b'[{"a": "b"}, []]')),
        ("version", lambda _whole: 99),
        ("version", lambda _whole: np.inf),  # no number of a version
        ("count", lambda whole: whole + 1j),  # the part that is no count would be dropped with a warning
        ("data", lambda whole: whole + 0j),
        ("indices", lambda whole: whole + 0.5),
    ],
)
def test_a_graph_with_numbers_out_of_range(place, name, value):
    with np.load(place / "g.npz") as stored:
        arrays = dict(stored)
    np.savez(place / "given.npz", **arrays | {name: value(arrays[name])})
    (place / "given.npz").replace(place / "given.jsonl")
    said = refused(place, "recommend run GIVEN CONTEXTS -o OUT")
    assert "graph" in said
    assert "canary" not in said


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_graph_that_was_cut_off(place, share):
    whole = (place / "g.npz").read_bytes()
    (place / "given.jsonl").write_bytes(whole[: int(share * len(whole))])
    assert "is not a query graph" in refused(place, "recommend run GIVEN CONTEXTS -o OUT")


def _header(said):
    """The head of an array as numpy writes it, of what is said."""
    return b"\x93NUMPY\x01\0" + len(said).to_bytes(2, "little") + said


@pytest.mark.parametrize(
    ("array", "encrypted", "why"),
    [
        (_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,"), False, "not a query graph"),
        (_header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % 10**15), False, "memory"),
        (b"", True, "not a query graph"),
    ],
    ids=["a bracket is open", "more items than memory", "encrypted"],
)
def test_a_graph_whose_arrays_claim_what_cannot_be(place, array, encrypted, why):
    with zipfile.ZipFile(place / "g.npz") as whole, zipfile.ZipFile(place / "given.jsonl", "w") as given:
        for member in whole.namelist():
            given.writestr(member, array if member == "count.npy" else whole.read(member))
    if encrypted:  # bit 0 of a member's flags, which stand 8 bytes behind PK 1 2
        data = bytearray((place / "given.jsonl").read_bytes())
        for at in [found.start() for found in re.finditer(rb"PK\x01\x02", data)]:
            data[at + 8] |= 1
        (place / "given.jsonl").write_bytes(data)
    assert why in refused(place, "recommend run GIVEN CONTEXTS -o OUT")


def test_a_graph_that_was_damaged(place):
    """Whatever byte of it changed: the graph as it was, or one sentence."""
    whole = bytearray((place / "g.npz").read_bytes())
    run = [
        "recommend",
        "run",
        str(place / "given.jsonl"),
        str(place / "c.jsonl"),
        "-o",
        str(place / "out.jsonl"),
    ]
    for at in range(0, len(whole), 13):
        (place / "given.jsonl").write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        answer = CliRunner().invoke(cli, run, standalone_mode=False)
        assert answer.exception is None or isinstance(answer.exception, InputError)


@pytest.mark.parametrize(
    ("recs", "truth", "why"),
    [
        ('{"id": "1", "recs": "canary"}', '{"id": "1", "later": ["a"]}', "recs is a list"),
        ('{"id": "1", "recs": [["canary"]]}', '{"id": "1", "later": ["a"]}', "recs is a list"),
        (RECS, '{"id": "1", "later": "canary"}', "'later' is a list of texts"),
        (RECS, '{"id": "1", "later": [3]}', "'later' is a list of texts"),
        ("[" * 100_000, '{"id": "1", "later": ["a"]}', "no object of JSON"),
    ],
    ids=range(5),
)
def test_recommendations_and_truth_that_cannot_be_used(place, recs, truth, why):
    (place / "given.jsonl").write_text(recs + "\n")
    (place / "truth.jsonl").write_text(truth + "\n")
    said = refused(place, f"recommend score GIVEN --truth {place}/truth.jsonl")
    assert why in said
    assert "canary" not in said


def test_documents_of_which_there_is_none(place):
    (place / "given.jsonl").write_text("doc\ttext\n")
    (place / "truth.jsonl").write_text('{"id": "1", "relevant": ["a"]}\n')
    assert "there is none" in refused(place, f"recommend score RECS --truth {place}/truth.jsonl --docs GIVEN")


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("a\t1\t1\t0\t9\tcanary\t1\t1\t6\n", "the label of line 2 is neither"),
        ("a\t1\t1\t0\t9\tcanary\t1\t1\t.5\n", "the label of line 2 is neither"),
        ("a\t1\t1\t0\t9\tq\t1\t1\tcanary\n", "line 2 has a start"),
        ("a\t1\t1\tnan\t9\tcanary\t1\t1\t1\n", "line 2 has a start"),
        ("a\t1\t1\t0\t9\tcanary\t1\t1\t0\na\t1\t1\t0\t9\tb\t1\t1\t5\n", "here they are both"),
        ("a\tcanary\n", "line 2 has more or fewer columns"),
        ("a\t1\t1\t0\t9\t" + "canary" * 30_000 + "\t1\t1\t1\n", "no line of a table"),
    ],
    ids=range(7),
)
def test_a_study_that_cannot_be_used(place, lines, why):
    (place / "given.jsonl").write_text(STUDY + lines)
    said = refused(place, "frustration train GIVEN -o OUT")
    assert why in said
    assert "canary" not in said


@pytest.mark.parametrize(
    "text",
    ["", "canary\n", FOUND + "a\t1\t.5\t2\tcanary\n", FOUND + "a\n", FOUND + "a\t1\t.5\t1\t\n", "\udcff"],
)
def test_found_frustration_that_cannot_be_scored(place, text):
    (place / "given.jsonl").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert "canary" not in refused(place, "frustration score GIVEN")


def test_word_vectors_that_are_none(place):
    for data in (b"\xff\xfe", b"rome nan 1\n", b"rome 1 canary\n"):
        (place / "given.jsonl").write_bytes(data)
        said = refused(place, "tasks find LOG --text GIVEN -o OUT")
        assert "line 1 is not a word" in said
        assert "canary" not in said


@pytest.mark.parametrize("ends", ["\r", "\r\n"])
def test_a_study_with_the_line_ends_of_other_systems(place, ends):
    (place / "given.jsonl").write_bytes((place / "study.tsv").read_bytes().replace(b"\n", ends.encode()))
    read, same = (read_study(place / name) for name in ("given.jsonl", "study.tsv"))
    assert np.array_equal(read.features, same.features)
    assert (read.names, read.search) == (same.names, same.search)


def test_a_study_whose_first_line_is_none_of_a_table(place):
    (place / "given.jsonl").write_text("canary" * 30_000 + "\n")
    said = refused(place, "frustration train GIVEN -o OUT")
    assert "line 1 is no line of a table" in said
    assert "canary" not in said


def test_a_study_on_standard_input(place):
    study, model = place / "study.tsv", str(place / "m.json")
    to_file = ["frustration", "find", str(study), "--model", model, "-o", str(place / "found.tsv")]
    assert CliRunner().invoke(cli, to_file).exit_code == 0
    piped = ["frustration", "find", "-", "--model", model, "-o", "-"]
    assert (
        CliRunner().invoke(cli, piped, input=study.read_bytes()).output == (place / "found.tsv").read_text()
    )
