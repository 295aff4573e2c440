"""The guide to extensions, done step by step: its files are loaded where it says, its lines put into the
tables it names.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from contextlib import nullcontext
from inspect import signature
from pathlib import Path

import pyarrow as pa
import pytest

from crowdlog.artifacts.kinds import Artifact
from crowdlog.attacks import attack
from crowdlog.audit.report import AUDITS, audit
from crowdlog.log.formats.catalogue import page as formats_page
from crowdlog.log.importer import import_log
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.catalogue import describe
from crowdlog.mechanisms.catalogue import page as mechanisms_page
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.contract import check_tables
from crowdlog.release.publish import publish
from crowdlog.utility.registry import Measure, score
from tests.mechanisms import test_every_mechanism as generic
from tests.support.logs import crowd_rows, make_log

GUIDE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n# (file|table): (\S+)\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture
def extended(tmp_path, monkeypatch):
    """crowdlog with everything that the guide adds."""
    for kind, place, code in BLOCKS:
        if kind == "file":
            path = tmp_path / place.replace("/", "_")
            path.write_text(code, encoding="utf-8")
            name = "crowdlog." + place.removesuffix(".py").replace("/", ".")
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
        else:
            table = getattr(importlib.import_module(place.rpartition(".")[0]), place.rpartition(".")[2])
            for name, value in eval(code, {"Measure": Measure}).items():  # noqa: S307 - our own guide
                monkeypatch.setitem(table, name, value)


@pytest.fixture
def release(extended, tmp_path):
    rows = [
        *crowd_rows(400, ["weather boston", "used cars"]),
        ("u7", "a very long query of one person alone", 5000, None),
    ]
    log = make_log(tmp_path, rows)
    return log, publish(parse("TopClicks(loss=4, slack=1e-9)"), log, tmp_path / "out")


def test_every_part_of_the_guide_is_here():
    assert [(kind, place.rpartition("/")[0] or place) for kind, place, _code in BLOCKS] == [
        ("file", "mechanisms"),
        ("table", "crowdlog.mechanisms.MECHANISMS"),
        ("file", "attacks"),
        ("table", "crowdlog.attacks.ATTACKS"),
        ("file", "utility"),
        ("table", "crowdlog.utility.registry.MEASURES"),
        ("file", "log/formats"),
        ("table", "crowdlog.log.format_names.FORMATS"),
    ]


@pytest.mark.parametrize(
    ("column", "values", "fits"),
    [
        ("count", pa.array([3, 5]), True),
        ("count", pa.array([3.0, 5.0]), False),
        ("count", pa.array([3, None]), False),
        ("query", pa.array(["a", None]), False),
        ("likely", pa.array([0.5, 0.25]), True),
        ("likely", pa.array([0.5, None]), False),
        ("likely", pa.array([True, False]), False),
    ],
)
def test_tables_of_a_protect_of_ones_own_may_have_the_columns_that_the_guide_says(column, values, fits):
    assert (
        "Further columns may be strings, whole numbers or floats, without nulls, too; no booleans." in GUIDE
    )
    columns = {"query": pa.array(["a", "b"]), "count": pa.array([1, 2])} | {column: values}
    with nullcontext() if fits else pytest.raises(TypeError, match="table queries has the columns"):
        check_tables({"queries": pa.table(columns)})


def test_the_mechanism_releases_and_is_described(release):
    _log, released = release
    assert released.clicks().num_rows == 2
    assert parse("TopClicks(loss=4, slack=1e-9)").plan[0].artifact == Artifact("click")
    assert describe("TopClicks").parameters[0].role == "epsilon"


TOY = "TopClicks(loss=4, slack=1e-9)"


@pytest.mark.parametrize(
    "check",
    [
        generic.test_spelling_parses_back,
        generic.test_the_promise_is_the_sum_of_its_steps_and_no_more_than_asked_for,
        generic.test_a_log_of_one_user_gives_nothing,
        generic.test_neither_names_of_users_nor_order_of_rows_matter,
        generic.test_one_heavy_user_moves_published_counts_by_no_more_than_her_bound,
        generic.test_the_ledger_is_charged_with_the_promise_and_the_label_is_complete,
    ],
    ids=lambda check: check.__name__,
)
def test_the_generic_checks_pass_with_the_file_and_the_line_alone(check, extended, tmp_path):
    check(TOY, tmp_path) if "tmp_path" in signature(check).parameters else check(TOY)


def test_the_lists_that_people_read_know_what_was_added(extended):
    """Nothing but the four tables was touched."""
    import crowdlog

    assert "TopClicks" in dir(crowdlog)
    assert crowdlog.TopClicks(loss=4, slack=1e-9) == parse(TOY)
    assert "\n## TopClicks\n" in mechanisms_page()
    assert generic_help("TopClicks")
    assert "Barred: `user|time|query`" in formats_page()


def generic_help(name):
    generic.test_every_parameter_has_help_and_the_class_says_what_it_is(name)
    return describe(name).parameters


@pytest.mark.slow
def test_the_mechanism_is_audited(extended):
    report = audit(parse("TopClicks(loss=2, slack=1e-6)"), seconds=1, runs=4, randomness=SeededRandomness(2))
    assert {finding.audit for finding in report.findings} == set(AUDITS)
    assert report.alarms == ()


def test_the_attack_is_tried(release):
    log, released = release
    (result,) = attack(released, log, ["longest"])
    # the log has three queries; the longest is one person's alone
    assert result.success == pytest.approx(2 / 3)


def test_the_measure_is_taken(release, tmp_path):
    log, _released = release
    queries = publish(parse("FTu(k=300)"), log, tmp_path / "queries", i_know=True)
    (found,) = score(queries, log, on=["head"])
    assert (found.name, found.value) == ("head:same", 1.0)


def test_the_format_is_read(extended, tmp_path):
    source = tmp_path / "log.txt"
    source.write_text("ann|2006-03-01 00:00:00|weather\nbob|2006-03-01 00:00:01|cars\n", encoding="utf-8")
    log = import_log([source], tmp_path / "store", format="barred")
    assert (log.info.users, log.info.queries) == (2, 2)
