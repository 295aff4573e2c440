"""Figures and coverage counted on Spark are those of one machine."""

from __future__ import annotations

import pytest

from crowdlog.engine.spark import real_counts, summary
from crowdlog.errors import InputError
from crowdlog.log.summary import summarise
from crowdlog.mechanisms import parse
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.coverage_there import coverage_there
from crowdlog.utility.registry import score
from tests.support.spark_borrowed import Borrowed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch) -> None:
    for module in (summary, real_counts):
        monkeypatch.setattr(module, "ROWS", 1)


def test_the_same_figures(log, parted, spark):
    assert Borrowed(spark, parted).summary() == summarise(log) == summarise(parted)


def test_the_same_coverage(parted, spark, tmp_path):
    release = parse("DPu(epsilon=20, delta=1e-2, d=6)").release(
        parted, tmp_path / "users", i_know=True, budget=(1e9, 0.5)
    )
    korolova = parse("Korolova(epsilon=20, delta=1e-2, d=6)").release(
        parted, tmp_path / "out", i_know=True, budget=(1e9, 0.5)
    )
    for each in (release, korolova):
        here = score(each, parted, on=["coverage"])
        there = coverage_there(each, parted, Borrowed(spark, parted), MeasureSettings(), other_log=False)
        assert [entry.as_dict() for entry in here] == [entry.as_dict() for entry in there]


def test_sequences_are_left_to_one_machine(parted, spark, tmp_path):
    release = parse("ASession(epsilon=40, delta=1e-2, l_s=2, l_q=3)").release(
        parted, tmp_path / "out", i_know=True, budget=(1e9, 0.5)
    )
    with pytest.raises(InputError, match="Leave out --engine"):
        coverage_there(release, parted, Borrowed(spark, parted), MeasureSettings(), other_log=False)
