"""What commands print on the way of a release, each with a case that prints it and looks whether it is true.

A case does the real thing on its bench, checks what the sentence says, and returns what was printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from crowdlog.cli import _end, cli
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import find, parse
from crowdlog.release.folder import Release
from crowdlog.release.publish import note_look
from crowdlog.release.verify import verify
from crowdlog.release.verify_exact import exact_plans, verify_exact
from tests.artifacts.semantic.logs import make_log as log_with_meaning
from tests.artifacts.semantic.logs import typed
from tests.release.errors.bench import Bench, full
from tests.release.told.expected import OF_EXPECTED_ROWS
from tests.support.sentences import ROOT

Printing = Callable[[Bench], str]
FEW = "FTu(k=2)"


def says(*words: Any) -> str:
    """What a command prints that succeeds."""
    result = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def ended(bench: Bench, error: BaseException, code: int) -> str:
    """How a command ends with this error: its exit code, and what it says."""
    said: list[str] = []
    with bench.patch.context() as patch:
        patch.setattr("crowdlog.cli.click.echo", lambda text, err: said.append(str(text)))
        with pytest.raises(SystemExit) as end:
            _end(error)
    assert end.value.code == code
    return "\n".join(said)


def stopped_by(then: Callable[[Bench], None], code: int) -> Printing:
    """A release that ends so after its charge, when it has counted."""

    def case(bench: Bench) -> str:
        bench.after_it_counted(lambda: then(bench))
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - it is what the command is ended with
            bench.publish()
        said = ended(bench, caught.value, code)
        assert bench.charges_now() == ["published", "charged"]
        assert "charge 2 is made: run 'crowdlog resume" in said
        assert not bench.out.exists()
        return said

    return case


def ctrl_c(_bench: Bench) -> None:
    raise KeyboardInterrupt


def our_fault(_bench: Bench) -> None:
    raise KeyError("weather boston")


def no_room(_bench: Bench) -> None:
    full()


def ctrl_c_before(bench: Bench) -> str:
    said = ended(bench, KeyboardInterrupt(), 130)
    assert bench.charges_now() == ["published"]
    assert said == "crowdlog: stopped."
    return said


def mistyped(bench: Bench) -> str:
    result = CliRunner().invoke(cli, ["relase"], standalone_mode=False)
    assert "'release'" in str(result.exception)
    return ended(bench, result.exception, 1)


def unheard(bench: Bench, *words: Any) -> str:
    """What a command says whose standard output is a full disk."""
    bench.log  # noqa: B018 - it is copied
    command = [sys.executable, "-m", "crowdlog.cli", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    with Path("/dev/full").open("w", encoding="utf-8") as nowhere:
        done = subprocess.run(
            command, stdout=nowhere, stderr=subprocess.PIPE, text=True, env=env, check=False
        )
    assert done.returncode == 1
    return done.stderr


def release_unheard(bench: Bench) -> str:
    said = unheard(bench, "release", bench.log.path, "DPu(epsilon=1, delta=1e-9, d=2)", "-o", bench.out)
    assert bench.charges_now() == ["published", "published"]
    Release.open(bench.out).check()
    return said


def booked_unheard(bench: Bench) -> str:
    said = unheard(bench, "budget", bench.log.path, "--book", "1", "1e-6")
    assert bench.charges_now() == ["published", "published"]
    return said


def resume_unheard(bench: Bench) -> str:
    bench.killed()
    said = unheard(bench, "resume", bench.log.path)
    assert bench.charges_now() == ["published", "published"]
    Release.open(bench.out).check()
    return said


def nothing_to_resume_unheard(*options: str) -> Printing:
    def case(bench: Bench) -> str:
        said = unheard(bench, "resume", bench.log.path, *options)
        assert bench.charges_now() == ["published"]
        return said

    return case


def given_up_unheard(bench: Bench) -> str:
    bench.charged()
    said = unheard(bench, "resume", bench.log.path, "--give-up", "--charge", 2)
    assert bench.charges_now() == ["published", "lost"]
    return said


def given_up(bench: Bench) -> str:
    bench.charged()
    said = says("resume", bench.log.path, "--give-up", "--charge", 2)
    assert bench.charges_now() == ["published", "lost"]
    assert json.loads(says("budget", bench.log.path, "--json"))["spent"]["epsilon"] == pytest.approx(8)
    assert not bench.out.exists()
    return said


def finished(bench: Bench) -> str:
    bench.killed()
    said = says("resume", bench.log.path)
    Release.open(bench.out).check()
    return said


def nothing_to_finish(bench: Bench) -> str:
    assert set(bench.charges_now()) <= {"published"}
    return says("resume", bench.log.path)


def released(bench: Bench) -> str:
    said = says("release", bench.log.path, "DPu(epsilon=1, delta=1e-9, d=2)", "-o", bench.out)
    assert (bench.out / "label.md").is_file()
    assert "# What this release is" in says("explain", bench.out)
    return said


def verified(mechanism: str, *, least: int | None = None) -> Printing:
    """A release by it, checked against its log by the command."""

    def case(bench: Bench) -> str:
        release = bench.publish(mechanism, i_know=True)
        said = says("verify", release.path, "--truth", bench.log.path)
        found = json.loads(says("verify", release.path, "--truth", bench.log.path, "--json"))
        assert found["tables"] == len(release.label.tables)
        assert ("holds" in found) == (least is not None)
        if least is not None:
            assert f"at least {least}" in said or f"is {least}-anonymous" in said
        return said

    return case


def empty_records(bench: Bench) -> str:
    """Three people whose only word is typed by too few."""
    log = log_with_meaning(bench.folder, [*typed(), *((f"x{i}", "quux") for i in range(3))])
    spelling = "Mdav(k=3, distance='equality', word_users=4)"
    release = parse(spelling).release(log, bench.out, i_know=True)
    empty = release.label.notes["users whose record is empty"]
    assert empty == log.info.users - len(set(release.table("events")["user"].to_pylist()))
    said = says("verify", release.path, "--truth", log.path)
    assert f"The record of {empty} users is empty" in said
    return said


def unsigned(bench: Bench) -> str:
    assert bench.done.signed_by() is None
    result = CliRunner().invoke(cli, ["verify", str(bench.done.path), "--key", "00" * 32])
    return str(result.exception)


def with_a_note(bench: Bench) -> str:
    (bench.done.path / "note.txt").write_text("ours")
    assert bench.done.unnamed() == ["note.txt"]
    return says("verify", bench.done.path)


def budget(bench: Bench) -> str:
    said = says("budget", bench.log.path, "--next", "DPu(epsilon=1, delta=1e-9, d=2)")
    with bench.ledger() as ledger:
        assert [entry.guarantee.epsilon for entry in ledger.entries()] == [pytest.approx(4)]
        assert ledger.budget() is not None
    assert "spent              ε = 4, " in said
    return said


def without_packages(bench: Bench) -> str:
    bench.patch.setattr("crowdlog.privacy.accounting.tight_is_known", lambda: False)
    return budget(bench)


def without_limit(bench: Bench) -> str:
    log = import_log(bench.made / "log.tsv", bench.folder / "fresh")
    assert json.loads(says("budget", log.path, "--json"))["limit"] is None
    return says("budget", log.path)


def looked(bench: Bench) -> str:
    note_look(bench.log, "compare")
    said = says("budget", bench.log.path)
    assert "1, the last on" in said
    assert "compare" in said
    return said


def shared(bench: Bench) -> str:
    ledger = bench.folder / "people.ledger"
    first = import_log(bench.made / "log.tsv", bench.folder / "one", ledger=str(ledger), new_ledger=True)
    import_log(bench.made / "log.tsv", bench.folder / "two", ledger=str(ledger))
    said = says("budget", first.path)
    assert "2 share this ledger" in said
    return said


def by_squares(bench: Bench) -> str:
    """ε of the plain sum is above the limit, and the next release still fits: what decides is told."""
    log = import_log(bench.made / "log.tsv", bench.folder / "fresh")
    says("budget", log.path, "--epsilon", 2, "--delta", 1e-5, "--gaussian")
    for number in range(3):
        parse("Crowd(epsilon=0.8, delta=1e-7)").release(log, bench.folder / f"out{number}")
    answer = json.loads(says("budget", log.path, "--json"))
    assert answer["spent"]["epsilon"] > answer["limit"]["epsilon"]
    assert answer["limit"]["squares"] <= answer["limit"]["most_squares"]
    return says("budget", log.path)


def raised(bench: Bench) -> str:
    says("budget", bench.log.path, "--epsilon", 90, "--delta", 1e-3)
    answer = json.loads(says("budget", bench.log.path, "--json"))
    assert (answer["limit"]["after"], len(answer["earlier_limits"])) == (1, 1)
    return says("budget", bench.log.path)


def whole(bench: Bench) -> str:
    said = says("check", bench.log.path)
    size = sum((bench.log.path / name).stat().st_size for name in bench.log.info.files)
    assert f"{size:,} bytes" in said
    with bench.ledger() as ledger:
        assert f"a ledger of 1 charge that ends in {ledger.head[:16]}" in said
    return said


def faults(spelling: str, spoil: Callable[[pa.Table], pa.Table]) -> Printing:
    """A table with this fault, and no other."""

    def case(bench: Bench) -> str:
        made = parse(spelling)
        table = find(spelling.partition("(")[0]).protect(made, bench.log, None).tables["queries"]
        if spelling.startswith("FTu"):
            (plan,) = exact_plans(made.plan)
            right, wrong = (verify_exact(bench.log, plan, each) for each in (table, spoil(table)))
        else:
            right, wrong = (verify(bench.log, each, made.k, 1.0) for each in (table, spoil(table)))
        assert right.faults() == {}
        assert list(wrong.faults().values()) == [1]
        return " ".join(wrong.faults())

    return case


def row(query: str, **changes: int) -> Callable[[pa.Table], pa.Table]:
    """A further row."""

    def spoil(table: pa.Table) -> pa.Table:
        more = {**table.slice(0, 1).to_pylist()[0], "query": query, **changes}
        return pa.concat_tables([table, pa.Table.from_pylist([more], schema=table.schema)])

    return spoil


def again(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table.slice(0, 1)])


def changed(column: str, by: int) -> Callable[[pa.Table], pa.Table]:
    """Another number in the first row."""

    def spoil(table: pa.Table) -> pa.Table:
        first, *others = table[column].to_pylist()
        return table.set_column(
            table.column_names.index(column), column, pa.array([first + by, *others], pa.int64())
        )

    return spoil


def none(table: pa.Table) -> pa.Table:
    return table.slice(1)


PLAIN = "KAnonymity(k=2)"
OF_COMMANDS: dict[str, dict[str, Printing]] = {
    "cli/__init__.py": {
        "No such command '{}'. Did you mean": mistyped,
        "Run with CROWDLOG_DEBUG=1 to see it": stopped_by(our_fault, 3),
        "the system refused: {}. {}": stopped_by(no_room, 1),
        "what it printed did not arrive": booked_unheard,
        "What it was to do may be done": booked_unheard,
        "an error of ours ({}).": stopped_by(our_fault, 3),
        "stopped; {}": stopped_by(ctrl_c, 130),
        "stopped.": ctrl_c_before,
    },
    "cli/output.py": {"{}; only the report could not be printed": release_unheard},
    "cli/release.py": {
        "Read {}/label.md, or run: crowdlog explain": released,
        "{} is published and charged": release_unheard,
    },
    "cli/resume.py": {
        "charge {} is closed and stays spent": given_up_unheard,
        "there was nothing to finish": nothing_to_resume_unheard(),
        "Charge {} is closed. It stays spent": given_up,
        "{} published": resume_unheard,
        "nothing was published": nothing_to_resume_unheard("--json"),
        "Nothing to finish.": nothing_to_finish,
        "finished {}": finished,
    },
    "cli/verify.py": {
        "Its rows and counts were not compared": verified("DPu(epsilon=1, delta=1e-9, d=2)"),
        "Its rows were not compared with the log": verified("Pseudonyms()"),
        "1 table with its hash": verified(FEW, least=2),
        "{} tables with their hashes": verified("Crowd(epsilon=1, delta=1e-9)"),
        "{} is as it was written: {}; {}.": verified(FEW, least=2),
        "nor with any other": unsigned,
        "What its label does not name was not looked at": with_a_note,
        "The table {} was counted again": verified(FEW, least=2),
        "{} is {}-anonymous at Θ": verified(PLAIN, least=2),
        " The record of {} users is empty.": empty_records,
        "{} is {}-anonymous by users": verified("Mdav(k=3, distance='equality')", least=3),
    },
    "cli/budget.py": {
        "pip install 'crowdlog[measure]' to have it": without_packages,
        "{}, the last on {}: {}": looked,
        "{} share this ledger": shared,
        "ε = {} at δ = {}": budget,
        "no limit is set": without_limit,
        "looks at the log": looked,
        "ε = {} more": budget,
        "limits before": raised,
    },
    "cli/what_decides.py": {
        " (the plain sum, which does not decide": by_squares,
        "Σμ² and the δ of thresholds, not the sum": by_squares,
    },
    "cli/check.py": {"{} is whole: {} bytes as they were imported": whole},
    "planning/expected_rows.py": OF_EXPECTED_ROWS,
    "release/verify.py": {
        "are not in the log": faults(PLAIN, row("never asked")),
        "stand there twice": faults(PLAIN, again),
        "have a false count": faults(PLAIN, changed("count", 1)),
        "have a false degree": faults(PLAIN, changed("degree", 1)),
    },
    "release/verify_exact.py": {
        "are not in the log, or not often enough": faults(FEW, row("never asked")),
        "stand there twice": faults(FEW, again),
        "have a false count": faults(FEW, changed("count", 1)),
        "are missing": faults(FEW, none),
    },
}
