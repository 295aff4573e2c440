"""Files in every shape that people's own labelled logs come in, through the real commands."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner

from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.cli import cli

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL"
TASKS = "AnonID\tQueryTime\tQuery\tTask"
# two people, two tasks each; a click is a row of its own, a next page a row with a later time
ROWS = [
    ("u1", "Cheap  Flights", "2006-03-01 10:00:00", "", "", "t1"),
    ("u1", "cheap flights", "2006-03-01 10:00:00", "1", "http://www.fly.com", "t1"),
    ("u1", "cheap flights", "2006-03-01 10:01:00", "", "", "t1"),
    ("u1", "cheap flights rome", "2006-03-01 10:02:00", "", "", "t1"),
    ("u1", "knitting", "2006-03-09 10:00:00", "", "", "t2"),
    ("u1", "knitting wool", "2006-03-09 10:01:00", "2", "http://wool.com", "t2"),
    ("u2", "-", "2006-04-01 09:00:00", "", "", "a b"),
    ("u2", "zürich map", "2006-04-01 09:05:00", "", "", "7"),
    ("u2", "map of zürich", "2006-04-01 09:06:00", "", "", "7"),
]


def run(*arguments, stdin=None, code=0):
    answer = CliRunner().invoke(cli, list(map(str, arguments)), input=stdin)
    message = (answer.output, answer.exception)
    assert (answer.exit_code == 0) == (code == 0), message
    if code:
        assert getattr(answer.exception, "exit_code", None) == code, message
    return answer


def write(folder, rows, *, end="\n", mark="", unit=None):
    folder.mkdir(exist_ok=True)
    log = [HEADER, *("\t".join(row[:5]) for row in rows)]
    tasks = [TASKS + ("\tUnit" if unit else "")]
    for user, query, time, _rank, _url, task in rows:
        tasks.append("\t".join([user, time, query, task, *([unit(time)] if unit else [])]))
    for name, lines in (("log.tsv", log), ("tasks.tsv", tasks)):
        (folder / name).write_bytes((mark + end.join(lines) + end).encode())
    return folder / "log.tsv", folder / "tasks.tsv"


def scores(truth, found, *more):
    return json.loads(run("tasks", "score", "--truth", truth, "--found", found, *more, "--json").output)


@pytest.mark.parametrize(
    ("end", "mark"), [("\n", ""), ("\r\n", ""), ("\n", "\ufeff"), ("\r\n", "\ufeff")], ids=repr
)
def test_ends_of_lines_and_a_byte_order_mark(tmp_path, end, mark):
    log, tasks = write(tmp_path, ROWS, end=end, mark=mark)
    run("tasks", "find", log, "--model", "default", "-o", tmp_path / "found.tsv")
    report = scores(tasks, tmp_path / "found.tsv")
    assert (report["people"], report["searches"], report["pairs"]) == (2, 7, 6 + 3)


def test_a_log_on_standard_input_gives_the_same_bytes(tmp_path):
    log, _tasks = write(tmp_path, ROWS)
    run("tasks", "find", log, "-o", tmp_path / "a.tsv")
    run("tasks", "find", "-", "-o", tmp_path / "b.tsv", stdin=log.read_bytes())
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes()


def test_labels_by_session_are_scored_within_sessions(tmp_path):
    log, tasks = write(tmp_path, ROWS, unit=lambda time: time[:10])
    for within in ("session", "history"):
        run("tasks", "find", log, "--within", within, "-o", tmp_path / "found.tsv")
        # u1: 2 searches on one day and 2 on another; u2: 3 on one day
        assert scores(tasks, tmp_path / "found.tsv")["pairs"] == 1 + 1 + 3
    run("tasks", "cv", log, "--labels", tasks, "--folds", 2, "--by", "user", "--json")


def test_a_query_asked_again_in_the_next_session_is_a_search_of_that_session(tmp_path):
    rows = [
        ("u1", "rome", "2006-03-01 10:00:00", "", "", "1"),
        ("u1", "rome hotels", "2006-03-01 10:01:00", "", "", "1"),
        ("u1", "rome hotels", "2006-03-02 10:00:00", "", "", "1"),
        ("u1", "rome hotels cheap", "2006-03-02 10:01:00", "", "", "1"),
    ]
    log, tasks = write(tmp_path, rows, unit=lambda time: time[:10])
    other = [(name, *row[1:]) for name in ("u2", "u3") for row in rows]
    run("tasks", "find", log, "--within", "session", "-o", tmp_path / "found.tsv")
    lines = [line.split("\t") for line in (tmp_path / "found.tsv").read_text().splitlines()[1:]]
    assert lines[2][3:] == lines[3][3:]  # its task and unit are those of the second session
    assert lines[2][4] != lines[1][4]
    report = scores(tasks, tmp_path / "found.tsv")
    assert (report["searches"], report["pairs"], report["pair_f1"]["value"]) == (4, 2, 1)
    (tmp_path / "all").mkdir()
    log, tasks = write(tmp_path / "all", rows + other, unit=lambda time: time[:10])
    folds = json.loads(run("tasks", "cv", log, "--labels", tasks, "--folds", 3, "--json").output)
    assert (folds["searches"], folds["pairs"]) == (12, 6)
    # of a whole history it is one search
    run("tasks", "find", log, "-o", tmp_path / "found.tsv")
    _log, whole = write(tmp_path, rows + other)
    assert scores(whole, tmp_path / "found.tsv")["searches"] == 9


def test_a_search_on_several_lines_of_the_truth_is_one_search(tmp_path):
    log, tasks = write(tmp_path, ROWS)
    run("tasks", "find", log, "-o", tmp_path / "found.tsv")
    once = scores(tasks, tmp_path / "found.tsv")
    lines = tasks.read_text().splitlines()
    unlabelled = ["\t".join(line.split("\t")[:3]) + "\t" for line in lines[1:]]
    tasks.write_text("\n".join([lines[0], *unlabelled, *lines[1:], *lines[1:]]) + "\n")
    assert scores(tasks, tmp_path / "found.tsv") == once
    assert scores(tasks, tmp_path / "found.tsv", "--keep-repeats")["searches"] == 8
    run("tasks", "train", log, "--labels", tasks, "-o", tmp_path / "m.json")


def test_rows_of_a_search_that_stand_apart_within_a_second(tmp_path):
    time = "2006-03-01 10:00:00"
    rows = [
        ("u", "a b", time, "", "", "1"),
        ("u", "c d", time, "", "", "2"),
        ("u", "A b", time, "1", "x.com", "1"),
    ]
    log, tasks = write(tmp_path, rows)
    run("tasks", "find", log, "-o", tmp_path / "found.tsv")
    assert len((tmp_path / "found.tsv").read_text().splitlines()) == 1 + 2
    assert scores(tasks, tmp_path / "found.tsv")["searches"] == 2


def test_the_label_of_a_repeated_query_may_stand_at_any_of_its_lines(tmp_path):
    log, tasks = write(tmp_path, ROWS)
    lines = tasks.read_text().splitlines()
    only_repeat = [
        line if "10:01:00\tcheap" in line or "rome" in line else line.rpartition("\t")[0] + "\t"
        for line in lines[1:]
    ]
    tasks.write_text("\n".join([lines[0], *only_repeat]) + "\n")
    run("tasks", "find", log, "--known", tasks, "--eta", 1, "-o", tmp_path / "found.tsv")
    report = scores(tasks, tmp_path / "found.tsv")
    assert (report["searches"], report["pairs"], report["pair_f1"]["value"]) == (2, 1, 1.0)


def test_a_row_that_cannot_be_read_is_told_and_the_rest_is_answered(tmp_path):
    log, _tasks = write(tmp_path, ROWS)
    log.write_text(log.read_text() + "u3\tcanary\tyesterday\t\t\n")
    answer = run("tasks", "find", log, "-o", tmp_path / "found.tsv", code=1)
    assert str(answer.exception).startswith("1 rows of the log could not be read")
    assert "canary" not in str(answer.exception)
    assert len((tmp_path / "found.tsv").read_text().splitlines()) == 1 + 8


def test_a_damaged_task_file_is_told_by_its_line(tmp_path):
    log, tasks = write(tmp_path, ROWS)
    tasks.write_text(tasks.read_text().replace("\n", "\n\n", 1) + "u1\tcanary\n")
    answer = run("tasks", "train", log, "--labels", tasks, "-o", tmp_path / "m.json", code=1)
    assert f"line {len(ROWS) + 3} has 2 columns instead of 4" in str(answer.exception)
    answer = run("tasks", "score", "--truth", log, "--found", tasks, code=1)
    assert "its first line must name AnonID, QueryTime, Query, Task" in str(answer.exception)


def test_the_last_part_of_each_history_can_be_tested_alone(tmp_path):
    log, tasks = write(tmp_path, ROWS)
    known = tmp_path / "known.tsv"
    lines = tasks.read_text().splitlines()
    known.write_text("\n".join([lines[0], *lines[1:5]]) + "\n")
    for merge in ("global", "gscore", "lgmean", "local"):
        run("tasks", "find", log, "--known", known, "--merge", merge, "-o", tmp_path / "found.tsv")
        report = scores(tasks, tmp_path / "found.tsv", "--test-from", 0.7)
        assert report["searches"] == 2 + 1  # of 4 and 3 searches those behind floor(.7 n)


def test_agreement_of_files(tmp_path):
    _log, tasks = write(tmp_path, ROWS)
    found = json.loads(run("tasks", "agreement", tasks, tasks, tasks, "--json").output)
    assert (found["annotators"], found["kappa"]) == (3, 1.0)


def test_word_vectors_come_from_a_file_alone(tmp_path):
    log, tasks = write(tmp_path, ROWS)
    answer = run("tasks", "cv", log, "--labels", tasks, "--folds", 2, "--text", "minilm", code=1)
    assert "MiniLM is not part of crowdlog" in str(answer.exception)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("cheap 1 0\nflights 1 0\nknitting 0 1\nwool 0 1\n")
    run("tasks", "train", log, "--labels", tasks, "--text", vectors, "-o", tmp_path / "m.json")
    answer = run("tasks", "find", log, "--model", tmp_path / "m.json", "-o", tmp_path / "f.tsv", code=1)
    assert "trained with word vectors" in str(answer.exception)
    run("tasks", "find", log, "--model", tmp_path / "m.json", "--text", vectors, "-o", tmp_path / "f.tsv")


@pytest.mark.parametrize(
    "spelling",
    [
        "2006-03-01T10:0{}:00",
        "2006-03-01 10:0{}:00.5",
        "2006-03-01T10:0{}:00Z",
        "114121440{}",
        "2006030110{}000",
    ],
)
def test_times_of_labels_are_read_as_those_of_the_log(tmp_path, spelling):
    """Also where the log spells them otherwise."""
    plain = "2006-03-01 10:{}0:00" if spelling.endswith("000") else "2006-03-01 10:0{}:00"
    rows = [("u", query, at, "", "", "1") for at, query in enumerate(["rome", "rome hotels", "knitting"])]
    log, _tasks = write(tmp_path, [(u, q, spelling.format(at), *rest) for u, q, at, *rest in rows])
    if spelling.startswith("1141"):
        plain = spelling
    _log, tasks = write(tmp_path / "other", [(u, q, plain.format(at), *rest) for u, q, at, *rest in rows])
    same = log.read_text().splitlines()[1:]
    (tmp_path / "same.tsv").write_text(
        "\n".join([TASKS, *("\t".join([*[line.split("\t")[at] for at in (0, 2, 1)], "1"]) for line in same)])
    )
    run("tasks", "find", log, "-o", tmp_path / "found.tsv")
    for truth in (tasks, tmp_path / "same.tsv"):
        assert scores(truth, tmp_path / "found.tsv")["searches"] == 3
        run("tasks", "train", log, "--labels", truth, "-o", tmp_path / "m.json")


def test_a_time_that_is_none_is_told_by_its_line(tmp_path):
    _log, tasks = write(tmp_path, ROWS)
    tasks.write_text(tasks.read_text().replace("2006-03-09 10:01:00", "canary"))
    answer = run("tasks", "score", "--truth", tasks, "--found", tasks, code=1)
    assert "the QueryTime of line 7 is no time" in str(answer.exception)
    assert "canary" not in str(answer.exception)


def test_a_line_without_a_query_is_no_search(tmp_path):
    """In the log and in the labels alike, with a label or without."""
    empty = [("u1", text, "2006-03-01 10:03:00", "", "", label) for text, label in (("", "t9"), ("  ", ""))]
    log, tasks = write(tmp_path, ROWS + empty)
    run("tasks", "find", log, "-o", tmp_path / "found.tsv")
    assert scores(tasks, tmp_path / "found.tsv")["searches"] == 7
    run("tasks", "train", log, "--labels", tasks, "-o", tmp_path / "m.json")
    assert json.loads(run("tasks", "agreement", tasks, tasks, "--json").output)["kappa"] == 1


def test_labels_by_unit_say_nothing_about_pairs_of_units(tmp_path):
    """Searches of one unit are clustered by themselves, in a session and in folds."""
    plan = [("rome", "1"), ("rome hotels", "1"), ("knitting", "2"), ("knitting wool", "2")]
    rows = [
        (f"u{user}", query, f"2006-03-0{day} 10:0{at}:00", "", "", task)
        for user in range(4)
        for day in (1, 2, 3)
        for at, (query, task) in enumerate(plan)
    ]
    log, tasks = write(tmp_path, rows, unit=lambda time: time[:10])
    run("tasks", "find", log, "--within", "session", "-o", tmp_path / "found.tsv")
    apart = scores(tasks, tmp_path / "found.tsv")
    folds = json.loads(run("tasks", "cv", log, "--labels", tasks, "--folds", 2, "--json").output)
    assert (apart["pairs"], folds["pairs"]) == (4 * 3 * 6, 4 * 3 * 6)
    answer = run("tasks", "find", log, "--known", tasks, "-o", tmp_path / "f.tsv", code=1)
    assert "--within session" in str(answer.exception)
    run("tasks", "find", log, "--known", tasks, "--within", "session", "-o", tmp_path / "f.tsv")
    assert scores(tasks, tmp_path / "f.tsv")["pair_f1"]["value"] == 1


def test_searches_of_a_unit_stand_together():
    searches = SimpleNamespace(user=np.array([0, 0, 0, 0, 1]))
    labels = TaskLabels(np.array([0, 1, 2, 0, 3]), np.array([7, 8, 7, 7, 9]))
    rows, units = labels.by_unit(searches, np.arange(5))
    assert rows.tolist() == [0, 2, 3, 1, 4]
    assert units.tolist() == [0, 3, 4, 5]
