"""The commands, as spec'd: files in, files out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.applications.tasks import cross_validation
from crowdlog.applications.tasks.model import load_model
from crowdlog.cli import cli
from crowdlog.log.synth import synthesize


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tasks")
    for name, population in (("learn", "aol"), ("held", "other")):
        synthesize(
            folder / f"{name}.tsv",
            users=60,
            seed=3,
            population=population,
            tasks=folder / f"{name}-tasks.tsv",
        )
    return folder


def run(*arguments, code=0):
    answer = CliRunner().invoke(cli, ["tasks", *map(str, arguments)], catch_exceptions=True)
    if code == 0:
        assert answer.exit_code == 0, (answer.output, answer.exception)
    else:
        assert answer.exit_code != 0
    return answer


def test_the_shipped_model_on_a_log_as_generated(logs):
    run("find", logs / "held.tsv", "--model", "default", "-o", logs / "default.tsv")
    run("find", logs / "held.tsv", "--baseline", "all-different", "-o", logs / "different.tsv")
    found, nothing = (
        json.loads(run("score", "--truth", logs / "held-tasks.tsv", "--found", logs / name, "--json").output)
        for name in ("default.tsv", "different.tsv")
    )
    assert found["pair_f1"]["value"] > 0.85
    for measure in ("accuracy", "pair_f1", "b3"):
        assert found[measure]["value"] > nothing[measure]["value"]
    assert Path(load_model.__code__.co_filename).with_name("default.json").stat().st_size < 2_000_000


def test_train_find_and_score(logs):
    run("train", logs / "learn.tsv", "--labels", logs / "learn-tasks.tsv", "-o", logs / "m.json")
    for link in ("average", "single"):
        run("find", logs / "held.tsv", "--model", logs / "m.json", "--link", link, "-o", logs / f"{link}.tsv")
    lines = (logs / "average.tsv").read_text().splitlines()
    assert lines[0] == "AnonID\tQueryTime\tQuery\tTask"
    assert len(lines) == len((logs / "held-tasks.tsv").read_text().splitlines())
    run("find", logs / "held.tsv", "--model", logs / "m.json", "-o", logs / "again.tsv")
    assert (logs / "again.tsv").read_bytes() == (logs / "average.tsv").read_bytes()


def test_her_own_labels_are_kept(logs):
    for merge in ("gscore", "lgmean", "local"):
        known = logs / "held-tasks.tsv"
        run("find", logs / "held.tsv", "--known", known, "--merge", merge, "-o", logs / "k.tsv")
        answer = run("score", "--truth", known, "--found", logs / "k.tsv", "--json")
        assert json.loads(answer.output)["pair_f1"]["value"] == 1


def test_within_a_session(logs):
    run("find", logs / "held.tsv", "--within", "session", "-o", logs / "s.tsv")
    header, first, *_rest = (logs / "s.tsv").read_text().splitlines()
    assert header.split("\t")[-1] == "Unit"
    assert len(first.split("\t")) == 5
    run("score", "--truth", logs / "s.tsv", "--found", logs / "s.tsv")


@pytest.mark.parametrize(
    ("mechanism", "bins"), [("FTu(k=5)", "bin1"), ("ClosedDomain(epsilon=1, d=20, pool='{domain}')", "bin1")]
)
def test_a_model_from_a_release_alone(logs, tmp_path, mechanism, bins):
    store, domain, release = tmp_path / "vectors", tmp_path / "domain.txt", tmp_path / "release"
    labels = logs / "learn-tasks.tsv"
    run("vectors", logs / "learn.tsv", "--labels", labels, "--bins", bins, "--domain", domain, "-o", store)
    spelling = mechanism.format(domain=domain)
    options = ["release", str(store), spelling, "-o", str(release), "--i-know", "--seed", "1"]
    answer = CliRunner().invoke(cli, options)
    assert answer.exit_code == 0, (answer.output, answer.exception)
    run("train", "--crowd-log", release, "-o", tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").label
    run("train", "--crowd-log", release, "--link", "single", "-o", tmp_path / "single.json")
    assert load_model(tmp_path / "single.json").link == "single"
    answer = run("train", "--crowd-log", release, "--learner", "lucchese", "-o", tmp_path / "l.json", code=1)
    assert "learns no trees" in str(answer.exception)
    run("find", logs / "held.tsv", "--model", tmp_path / "m.json", "-o", tmp_path / "f.tsv")
    answer = run("score", "--truth", logs / "held-tasks.tsv", "--found", tmp_path / "f.tsv", "--json")
    assert json.loads(answer.output)["accuracy"]["value"] > 0.92


def test_cross_validation_and_agreement(logs):
    options = ("--labels", logs / "learn-tasks.tsv", "--folds", 3, "--learner", "forest", "--bins", "bin2")
    found = json.loads(run("cv", logs / "learn.tsv", *options, "--json").output)
    assert found["accuracy"]["value"] > 0.95
    answer = run("agreement", logs / "learn-tasks.tsv", logs / "learn-tasks.tsv", "--json")
    assert json.loads(answer.output)["kappa"] == 1


def test_cross_validation_by_unit_keeps_units_apart_and_people_not(logs, monkeypatch):
    """With one unit a day: no unit is learnt from and tested, some people are."""
    head, *lines = (logs / "learn-tasks.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    units = [[*row[:4], row[1][:10]] for row in rows]
    (logs / "units.tsv").write_text("\n".join([f"{head}\tUnit", *("\t".join(row) for row in units)]) + "\n")
    seen, train = [], cross_validation.train

    def remembering(searches, texts, labels, **options):
        seen.append((searches, labels))
        return train(searches, texts, labels, **options)

    monkeypatch.setattr(cross_validation, "train", remembering)
    options = ("--labels", logs / "units.tsv", "--folds", 2, "--bins", "bin2", "--learner", "forest")
    found = json.loads(run("cv", logs / "learn.tsv", *options, "--by", "unit", "--json").output)
    assert found["accuracy"]["value"] > 0.9
    (searches, one), (_same, two) = seen
    assert not set(one.unit[one.task >= 0]) & set(two.unit[two.task >= 0])
    assert set(searches.user[one.task >= 0]) & set(searches.user[two.task >= 0])


def test_finding_takes_no_seed(logs):
    """It draws nothing, and an option without effect is none."""
    answer = CliRunner().invoke(cli, ["tasks", "find", str(logs / "held.tsv"), "--seed", "1", "-o", "-"])
    assert answer.exit_code == 2
    assert "No such option" in answer.output


def test_labels_of_unknown_people(logs):
    strange = "AnonID\tQueryTime\tQuery\tTask\nnobody\t2006-03-01 00:00:00\tcanary\t1\n"
    (logs / "strange.tsv").write_text(strange)
    answer = run("train", logs / "learn.tsv", "--labels", logs / "strange.tsv", "-o", logs / "x", code=1)
    assert "canary" not in str(answer.exception)
    assert "names 1 person who is not in the log" in str(answer.exception)
    assert str(answer.exception).count("\n") == 0


def test_a_model_of_another_version(logs):
    data = json.loads((Path(load_model.__code__.co_filename).with_name("default.json")).read_text())
    (logs / "old.json").write_text(json.dumps(data | {"version": 99}))
    answer = run("find", logs / "held.tsv", "--model", logs / "old.json", "-o", logs / "x.tsv", code=1)
    assert "is of version 99" in str(answer.exception)
    (logs / "none.json").write_text("{")
    answer = run("find", logs / "held.tsv", "--model", logs / "none.json", "-o", logs / "x.tsv", code=1)
    assert "is not a task model" in str(answer.exception)
