"""Whose log is this? Asked before a store is there: odd user columns, and people who were imported before."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.release.guard_rails import PART
from tests.support.postgres import running_cluster

RELEASE = "DPu(epsilon=2, delta=1e-3, d=2)"


def run(*words):
    return CliRunner().invoke(cli, [*map(str, words)])


def done(*words):
    answer = run(*words)
    assert answer.exit_code == 0, f"{words}: {answer.output} {answer.exception}"
    return answer.output


def spent(store):
    return json.loads(done("budget", store, "--json"))["spent"]["epsilon"]


def write(path: Path, rows):
    path.write_text("user,query,time\n" + "".join(f"{u},{q},2006-03-{d:02d} 10:00:00\n" for u, q, d in rows))
    return path


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """A log of 60 people over two months' worth of days, imported, with half of its budget spent."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"u{i}", "weather", day) for i in range(60) for day in (1, 20, 21)]
    write(Path("log.csv"), rows)
    write(Path("second.csv"), [row for row in rows if row[2] > 15])
    done("import", "log.csv", "-o", "S")
    done("budget", "S", "--epsilon", 4, "--delta", 1e-2)
    done("release", "S", RELEASE, "-o", "first")
    return tmp_path


@pytest.mark.parametrize(
    ("file", "what"), [("log.csv", "the same log"), ("second.csv", "many of the same users")]
)
def test_a_second_import_and_a_month_are_asked_about_and_share_a_budget_when_told(imported, file, what):
    asked = run("import", file, "-o", "again")
    assert isinstance(asked.exception, InputError)
    assert what in str(asked.exception)
    assert "--ledger S/ledger.sqlite" in str(asked.exception).replace(f"{imported}/", "")
    assert not Path("again").exists()
    shared = done("import", file, "-o", "again", "--ledger", "S/ledger.sqlite")
    assert ("knows this very log already" in shared) == (file == "log.csv")
    assert spent("again") == spent("S") == pytest.approx(2)
    done("release", "again", RELEASE, "-o", "second")
    assert spent("S") == pytest.approx(4)
    for store in ("S", "again"):
        over = run("release", store, RELEASE, "-o", "third")
        assert isinstance(over.exception, PrivacyRefusal)
    shown = json.loads(done("budget", "S", "--json"))
    assert len(shown["stores"]) == 2
    assert {entry["store"] for entry in shown["releases"]} == set(shown["stores"])
    assert all(entry["date"] for entry in shown["releases"])


@pytest.mark.xdist_group("postgres")
def test_of_several_ledgers_of_the_same_people_all_are_named(imported):
    """Once the first in the alphabet was, and it was the empty one."""
    done("import", "log.csv", "-o", "A", "--ledger", "own")
    told = str(run("import", "log.csv", "-o", "again").exception).replace(f"{imported}/", "")
    assert "Share the one of which most is spent" in told
    assert "--ledger A/ledger.sqlite or --ledger S/ledger.sqlite" in told


def test_the_question_names_a_ledger_that_can_be_given_as_it_stands_and_no_password(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("log.csv"), [(f"u{i}", "weather", day) for i in range(60) for day in (1, 20)])
    with running_cluster() as cluster:
        url = cluster.url.replace("postgres@", "postgres:geheim@")
        done("import", "log.csv", "-o", "S", "--ledger", url, "--new-ledger")
        asked = str(run("import", "log.csv", "-o", "again").exception)
        assert "the same log" in asked
        assert "geheim" not in asked
        words = shlex.split(asked.partition("Share one budget with ")[2].partition(", or say")[0])
        assert "knows this very log already" in done("import", "log.csv", "-o", "again", *words)


def test_a_folder_that_nobody_can_look_into_hides_no_other(imported):
    """Somebody else's store beside it, or what cannot be followed, as here."""
    Path("A").symlink_to("n" * 300)
    asked = run("import", "log.csv", "-o", "again")
    assert "holds the same log" in str(asked.exception)
    assert not Path("again").exists()


@pytest.mark.parametrize("name", ["events.parquet", "store.json"])
@pytest.mark.parametrize("shared", [False, True])
def test_who_imports_a_damaged_store_again_keeps_its_budget(imported, name, shared):
    """As the sentence about the damage says; and who does not follow it is asked."""
    if shared:
        done("import", "log.csv", "-o", "T", "--ledger", "S/ledger.sqlite")
        Path("S").rename("ledger-only")
        Path("S").mkdir()
        for file in Path("ledger-only").glob("ledger.*"):
            file.rename(Path("S") / file.name)
        shutil.rmtree("ledger-only")
    damaged = Path("T" if shared else "S")
    whole = (damaged / name).read_bytes()
    (damaged / name).write_bytes(whole[:-9])
    said = str(run("show", damaged).exception)
    asked = run("import", "log.csv", "-o", "again")
    assert isinstance(asked.exception, InputError)
    assert not Path("again").exists()
    if shared and name == "store.json":  # where its ledger lies is lost with it
        assert "with --ledger, naming the ledger that it shared" in said
        return
    assert "--ledger S/ledger.sqlite" in said.replace(f"{imported}/", "")
    assert "--ledger S/ledger.sqlite" in str(asked.exception).replace(f"{imported}/", "")
    done("import", "log.csv", "-o", "again", "--ledger", "S/ledger.sqlite")
    assert spent("again") == pytest.approx(2)


def test_other_people_are_not_asked_about(imported):
    write(Path("other.csv"), [(f"v{i}", "weather", day) for i in range(60) for day in (1, 2)])
    done("import", "other.csv", "-o", "other")
    done("import", "log.csv", "-o", "mine", "--ledger", "own")
    assert spent("mine") == 0


def test_a_split_part_is_asked_about_or_shares_the_budget(imported):
    done("split", "S", "-o", "parts")
    asked = run("release", "parts/rest", RELEASE, "--budget", 9, 0.1, "-o", "of-rest")
    assert isinstance(asked.exception, PrivacyRefusal)
    assert PART in str(asked.exception)
    done("release", "parts/rest", RELEASE, "--budget", 9, 0.1, "-o", "of-rest", "--i-know")
    assert PART in Release.open("of-rest").label.warnings
    assert spent("S") == pytest.approx(2)
    done("split", "S", "-o", "sharing", "--share-ledger")
    done("release", "sharing/rest", RELEASE, "-o", "of-sharing")
    assert spent("S") == pytest.approx(4)
    assert Release.open("of-sharing").label.warnings == ()
    over = run("release", "sharing/test", RELEASE, "-o", "too-much")
    assert isinstance(over.exception, PrivacyRefusal)


@pytest.mark.parametrize(
    ("users", "what"),
    [
        ([f"row{i}" for i in range(40)], "Every row has a user of its own"),
        (["row1", *(f"row{i}" for i in range(39))], "Nearly every row has a user of its own"),
        (["one"] * 40, "All rows have the same user"),
    ],
)
def test_odd_user_columns_are_asked_about(tmp_path, monkeypatch, users, what):
    monkeypatch.chdir(tmp_path)
    write(Path("log.csv"), [(user, f"q{i}", 1) for i, user in enumerate(users)])
    asked = run("import", "log.csv", "-o", "S")
    assert isinstance(asked.exception, InputError)
    assert what in str(asked.exception)
    assert not Path("S").exists()
    done("import", "log.csv", "-o", "S", "--users-are-fine")
    assert LogStore.open("S").info.guessed == ["csv"]
    done("import", "log.csv", "-o", "said", "--users-are-fine", "--format", "csv", "--ledger", "own")
    assert LogStore.open("said").info.guessed == []


def test_a_ledger_that_lies_elsewhere_is_missed_with_a_sentence(imported):
    """The store that holds the shared ledger was moved: nothing is released and nothing begun anew."""
    done("import", "second.csv", "-o", "again", "--ledger", "S/ledger.sqlite")
    Path("S").rename("elsewhere")
    refused = run("release", "again", RELEASE, "-o", "second")
    assert isinstance(refused.exception, InputError)
    assert "is missing, so nobody can tell what was spent" in str(refused.exception)
    assert not Path("S").exists()
