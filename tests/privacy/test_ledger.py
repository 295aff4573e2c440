"""The ledger: refusals, exact sums, races between real processes, and processes killed at any moment."""

import math
import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import NO_GUARANTEE, approximate, pure
from crowdlog.privacy.ledger import Ledger

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path, "hash", "store")
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.set_budget(1000.0, 1.0)
    return path


def test_a_charge_is_recorded_before_and_after_it_is_published(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        step = {"step": "promised", "epsilon": 1.0, "delta": 0.0}
        number = ledger.charge(approximate(1.0, 1e-6), "Korolova(d=5)", "out", steps=[step])
        (entry,) = ledger.unpublished()
        assert (entry.id, entry.mechanism, entry.out, entry.state, entry.steps) == (
            number,
            "Korolova(d=5)",
            "out",
            "charged",
            (step,),
        )
        assert abs(entry.time - time.time()) < 3600
        ledger.publishing(number, "digest")
        (entry,) = ledger.unpublished()
        assert (entry.state, entry.folder_hash) == ("publishing", "digest")
        ledger.publish(number)
        assert ledger.unpublished() == []
    with Ledger.open(path, "hash", "store") as again:
        assert again.entries()[0].state == "published"
        assert again.spent() == approximate(1.0, 1e-6)


def test_without_a_budget_only_what_promises_nothing_is_charged(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path, "hash", "store")
    with Ledger.open(path, "hash", "store") as ledger:
        with pytest.raises(PrivacyRefusal, match="needs a budget first"):
            ledger.charge(pure(0.1), "M", "out")
        assert (ledger.entries(), ledger.budget(), ledger.left()) == ([], None, None)
        ledger.charge(NO_GUARANTEE, "FTu(k=5)", "free", allow_unprotected=True)
        ledger.book(pure(1.0))
        with pytest.raises(PrivacyRefusal, match="needs a budget first"):
            ledger.charge(pure(0.1), "M", "out", allow_unprotected=True)


def test_a_budget_is_begun_once_with_the_first_charge(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path, "hash", "store")
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.charge(pure(1.0), "M", "first", budget=(5.0, 1e-4))
        ledger.charge(pure(1.0), "M", "second", budget=(5.0, 1e-4))
        with pytest.raises(InputError, match=r"δ = 0\.0001 already"):
            ledger.charge(pure(1.0), "M", "third", budget=(50.0, 1e-4))
        budget = ledger.budget()
        assert budget is not None
        assert (budget.epsilon, budget.delta, len(ledger.entries())) == (5.0, 1e-4, 2)


def test_a_refused_charge_begins_no_budget(tmp_path: Path) -> None:
    """Budget and charge are one transaction: what is refused leaves the ledger as it was."""
    path = tmp_path / "ledger.sqlite"
    Ledger.create(path, "hash", "store")
    with Ledger.open(path, "hash", "store") as ledger:
        before = ledger.head
        with pytest.raises(PrivacyRefusal, match="needs ε = 6"):
            ledger.charge(pure(6.0), "M", "out", budget=(5.0, 1e-4))
        with pytest.raises(InputError, match="A budget needs a finite ε"):
            ledger.charge(pure(1.0), "M", "out", budget=(math.inf, 1e-4))
        assert (ledger.head, ledger.budget()) == (before, None)
        ledger.charge(NO_GUARANTEE, "FTu(k=5)", "out", budget=(5.0, 1e-4), allow_unprotected=True)
        assert (len(ledger.entries()), ledger.budget()) == (1, None)  # nothing that a budget could hold


def test_over_budget_is_refused_with_exit_code_2_and_leaves_no_trace(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.set_budget(1.0, 1e-6)
        ledger.charge(approximate(0.75, 1e-7), "A", "a")
        with pytest.raises(PrivacyRefusal, match="ε") as refusal:
            ledger.charge(approximate(0.5, 1e-7), "B", "b")
        assert refusal.value.exit_code == 2
        with pytest.raises(PrivacyRefusal, match="δ"):
            ledger.charge(approximate(0.1, 1e-6), "C", "c")
        assert [entry.mechanism for entry in ledger.entries()] == ["A"]
        left = ledger.left()
        assert left is not None
        assert left.epsilon == 0.25
        ledger.set_budget(2.0, 1e-6)
        ledger.charge(approximate(0.5, 1e-7), "B", "b")
        assert len(ledger.entries()) == 2


def test_sums_are_exact(path: Path) -> None:
    """Ten times the float 0.1 is more than 1, by a hair that float addition loses."""
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.set_budget(1.0, 0.0)
        for i in range(9):
            ledger.charge(pure(0.1), "M", f"out{i}")
        with pytest.raises(PrivacyRefusal):
            ledger.charge(pure(0.1), "M", "last")
        left = ledger.left()
        assert left is not None
        ledger.charge(pure(left.epsilon), "M", "last")


def test_no_guarantee_is_refused_unless_allowed_and_never_fits_a_budget(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        with pytest.raises(PrivacyRefusal, match="promises nothing"):
            ledger.charge(NO_GUARANTEE, "FT_a(k=5)", "out")
        ledger.charge(NO_GUARANTEE, "FT_a(k=5)", "out", allow_unprotected=True)
        assert not ledger.spent().protects
        ledger.set_budget(10.0, 0.1)
        with pytest.raises(PrivacyRefusal):
            ledger.charge(pure(0.1), "M", "other")


def test_one_folder_is_not_charged_twice_before_it_is_published(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        number = ledger.charge(pure(1.0), "M", "out")
        with pytest.raises(InputError, match="resume"):
            ledger.charge(pure(1.0), "M", "out")
        ledger.publishing(number, "digest")
        with pytest.raises(InputError, match="resume"):
            ledger.charge(pure(1.0), "M", "out")
        ledger.publish(number)
        assert ledger.charge(pure(1.0), "M", "out") != number


@pytest.mark.parametrize(("source", "store"), [("other", "store"), ("hash", "other")])
def test_a_ledger_of_another_log_or_another_import_is_refused(path: Path, source: str, store: str) -> None:
    with pytest.raises(InputError, match="another log or another import"):
        Ledger.open(path, source, store)


def test_a_missing_ledger_is_not_made_by_opening_it(path: Path) -> None:
    path.unlink()
    with pytest.raises(InputError, match="is missing"):
        Ledger.open(path, "hash", "store")
    assert not path.exists()


def test_a_ledger_of_another_version_gets_a_sentence(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")
    with pytest.raises(InputError, match="another version of crowdlog"):
        Ledger.open(path, "hash", "store")


def test_a_ledger_that_is_replaced_while_it_is_opened_is_refused(
    path: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """SQLite opens its three files one after the other; they must be of one store."""
    other = tmp_path / "other.sqlite"
    Ledger.create(other, "hash", "store", tmp_path / "other.head")
    connect = sqlite3.connect

    def slow(*words: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*words, **options)
        other.rename(path)
        return connection

    monkeypatch.setattr(sqlite3, "connect", slow)
    with pytest.raises(InputError, match="was replaced"):
        Ledger.open(path, "hash", "store")


def test_one_charge_gets_one_output(path: Path) -> None:
    """Of two runs that drew for one charge, the second is not allowed to show what it drew."""
    with Ledger.open(path, "hash", "store") as ledger, Ledger.open(path, "hash", "store") as other:
        number = ledger.charge(pure(1.0), "M", "out")
        ledger.publishing(number, "one draw")
        with pytest.raises(InputError, match="another run has gone on with it"):
            other.publishing(number, "another draw")
        ledger.publish(number)
        with pytest.raises(InputError, match="another run has gone on with it"):
            other.publishing(number, "another draw")
        assert [entry.folder_hash for entry in other.entries()] == ["one draw"]


def test_nothing_is_published_whose_hash_is_not_known(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        number = ledger.charge(pure(1.0), "M", "out")
        with pytest.raises(InputError, match="in the state 'publishing'"):
            ledger.publish(number)


def test_a_charge_that_was_given_up_stays_spent_and_frees_its_folder(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        number = ledger.charge(pure(1.0), "M", "out")
        ledger.lose(ledger.entries()[0])
        assert ledger.unpublished() == []
        assert ledger.spent() == pure(1.0)
        with pytest.raises(InputError, match="no charge with the number"):
            ledger.publishing(number, "digest")
        ledger.charge(pure(1.0), "M", "out")
        assert ledger.spent() == pure(2.0)


def test_an_unfinished_charge_moves_to_a_folder_nobody_else_waits_for(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        for out in ("one", "two"):
            ledger.charge(pure(1.0), "M", out)
        first, _second = ledger.entries()
        with pytest.raises(InputError, match=r"charge 2, charged"):
            ledger.move(first, "two")
        ledger.move(first, "one")
        ledger.move(first, "three")
        assert [entry.out for entry in ledger.entries()] == ["three", "two"]


def test_a_file_that_is_no_ledger_is_refused(path: Path) -> None:
    path.write_bytes(b"this is not a database, and long enough to be read as one" * 100)
    with pytest.raises(InputError, match="cannot be opened"):
        Ledger.open(path, "hash", "store")


def test_a_ledger_that_cannot_be_written_charges_nothing(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        ledger._journal._connection.execute("PRAGMA query_only = 1")
        with pytest.raises(InputError, match="nothing was charged"):
            ledger.charge(pure(1.0), "M", "out")
        assert ledger.entries() == []


@pytest.mark.parametrize("number", [1, 99])
def test_publishing_what_was_not_charged_is_an_error(path: Path, number: int) -> None:
    with (
        Ledger.open(path, "hash", "store") as ledger,
        pytest.raises(InputError, match="no charge with the number"),
    ):
        ledger.publish(number)


@pytest.mark.parametrize(("epsilon", "delta"), [(math.inf, 0.0), (-1.0, 0.0), (math.nan, 0.0), (1.0, 2.0)])
def test_a_bad_budget_is_refused(path: Path, epsilon: float, delta: float) -> None:
    with Ledger.open(path, "hash", "store") as ledger, pytest.raises(InputError, match="budget"):
        ledger.set_budget(epsilon, delta)


def _race(path: Path, name: str, start: Any, results: Any) -> None:
    start.wait()
    with Ledger.open(path, "hash", "store") as ledger:
        try:
            ledger.charge(pure(1.0), "M", name)
        except PrivacyRefusal:
            results.put("refused")
        else:
            results.put("charged")


@pytest.mark.slow
def test_of_processes_racing_for_the_last_of_the_budget_one_gets_it(path: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.set_budget(2.0, 0.0)
        ledger.charge(pure(1.0), "M", "first")
    start, results = SPAWN.Event(), SPAWN.Queue()
    racers = [SPAWN.Process(target=_race, args=(path, f"out{i}", start, results)) for i in range(4)]
    for racer in racers:
        racer.start()
    start.set()
    outcomes = sorted(results.get(timeout=300) for _ in racers)
    for racer in racers:
        racer.join(timeout=300)
    assert outcomes == ["charged", "refused", "refused", "refused"]
    with Ledger.open(path, "hash", "store") as ledger:
        assert ledger.spent() == pure(2.0)


def _begin(path: Path, start: Any) -> None:
    start.wait()
    with Ledger.open(path, "hash", "store") as ledger:
        ledger.charge(pure(1.0), "M", str(os.getpid()))


@pytest.mark.slow
def test_processes_may_open_the_ledger_at_the_same_moment(path: Path) -> None:
    start = SPAWN.Event()
    beginners = [SPAWN.Process(target=_begin, args=(path, start)) for _ in range(4)]
    for beginner in beginners:
        beginner.start()
    start.set()
    for beginner in beginners:
        beginner.join(timeout=300)
    assert [beginner.exitcode for beginner in beginners] == [0] * 4
    with Ledger.open(path, "hash", "store") as ledger:
        assert ledger.spent() == pure(4.0)


def _charge_for_ever(path: Path, told: Path) -> None:
    with Ledger.open(path, "hash", "store") as ledger, told.open("a") as file:
        for i in range(1_000_000):
            number = ledger.charge(pure(0.001), "M", f"{os.getpid()}-{i}")
            file.write(f"{number}\n")
            file.flush()
            if i % 2:
                ledger.publishing(number, "digest")
                ledger.publish(number)


@pytest.mark.slow
def test_kill_9_loses_no_charge_and_invents_none(path: Path, tmp_path: Path) -> None:
    told = tmp_path / "told"
    for round_ in range(5):
        process = SPAWN.Process(target=_charge_for_ever, args=(path, told))
        process.start()
        wanted, patience = 20 * (round_ + 1), time.monotonic() + 300
        while (
            not told.exists() or len(told.read_text().splitlines()) < wanted
        ) and time.monotonic() < patience:
            time.sleep(0.005)
        os.kill(process.pid or 0, signal.SIGKILL)
        process.join(timeout=300)
        numbers = [int(line) for line in told.read_text().splitlines()]
        with Ledger.open(path, "hash", "store") as ledger:
            entries = ledger.entries()
        # Every charge a caller was told of is there; at most one more per kill was written and not yet told.
        assert set(numbers) <= {entry.id for entry in entries}
        assert len(numbers) <= len(entries) <= len(numbers) + round_ + 1
        assert len(numbers) >= wanted
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
