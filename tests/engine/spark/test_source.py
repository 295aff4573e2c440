"""The same secret gives the same tables on DuckDB and on Spark; what it cannot do is told before a charge."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from crowdlog.engine.spark import rounds
from crowdlog.engine.spark.source import SparkSource
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.plan.decide import decide
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.release.publish import open_ledger
from tests.support.spark_borrowed import Borrowed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    # Py4J, through which Python talks to Java, leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SPELLINGS = [
    "Crowd(epsilon=8, delta=1e-3)",
    "Korolova(epsilon=20, delta=1e-2, d=6)",
    "DPa(epsilon=20, delta=1e-2, d=6)",
    "DPu(epsilon=20, delta=1e-2, d=6, artifact='pair')",
    "DPu(epsilon=20, delta=1e-2, d=4, keep='random')",
    "Zealous(epsilon=20, delta=1e-2, d=6, artifact='click')",
    "FTa(k=5)",
    "FTu(k=5, artifact='window-pair')",
    "KA(K=3)",
    "Keys(epsilon=8, delta=1e-3, artifact='click', items=20)",
    "Keys(epsilon=8, delta=1e-3, items=20, budget=4)",
    "KAnonymity(k=3)",
    "DPu(epsilon=20, delta=1e-2, d=6, artifact='word-pair')",
    "DPu(epsilon=20, delta=1e-2, d=6, artifact='word-site', representation='light')",
    "Crowd(epsilon=8, delta=1e-3, representation='light')",
    "ASession(epsilon=40, delta=1e-2, l_s=2, l_q=3)",
    "Keys(epsilon=8, delta=1e-3, selection='greedy')",
    "Keys(epsilon=8, delta=1e-3, selection='weighted', artifact='click')",
]
# Those that count texts are joined by data frames, which know nothing of files.
OF_BLOCKS = [spelling for spelling in SPELLINGS if "word" not in spelling and "light" not in spelling]


def secret() -> KeyedRandomness:
    return KeyedRandomness(bytes(range(32)), private=False)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_same_secret_gives_the_same_tables(log, spark, spelling):
    mechanism = parse(spelling)
    here = mechanism.protect(log, secret()).tables
    there = mechanism.protect(log, secret(), engine=spark).tables
    assert here == there
    assert any(table.num_rows for table in here.values()), "a test of empty tables shows nothing"


@pytest.mark.parametrize("spelling", OF_BLOCKS)
@pytest.mark.usefixtures("small_blocks")
def test_people_over_many_tasks(log, parted, spark, spelling):
    """Every file of the store is counted by another task."""
    mechanism = parse(spelling)
    here = mechanism.protect(log, secret()).tables
    there = mechanism.protect(parted, secret(), engine=Borrowed(spark, parted)).tables
    assert here == there


@pytest.mark.parametrize("urls", ["private", "public"])
@pytest.mark.parametrize("mode", ["closed", "open"])
def test_pools_and_public_results(log, spark, tmp_path, mode, urls):
    pool, surfaced = tmp_path / "pool.txt", tmp_path / "surfaced.tsv"
    pool.write_text("shared 1\nshared 2\nnobody asks this\n")
    surfaced.write_text(
        "shared 1\thttp://one.example\nshared 1\thttp://none.example\nother\thttp://two.example\n"
    )
    files = f", surfaced={str(surfaced)!r}" if urls == "public" else ""
    mechanism = parse(
        f"AClick(epsilon=30, q_f=6, delta=1e-2, mode={mode!r}, pool={str(pool)!r}, urls={urls!r}{files})"
    )
    here = mechanism.protect(log, secret()).tables
    assert here == mechanism.protect(log, secret(), engine=spark).tables
    assert here["queries"].num_rows


def test_a_favoured_list(log, spark, tmp_path):
    pool = tmp_path / "pool.txt"
    pool.write_text("shared 1\nshared 3\n")
    mechanism = parse(f"Crowd(epsilon=4, delta=1e-3, pool={str(pool)!r}, unknown=0.2)")
    assert mechanism.protect(log, secret()).tables == mechanism.protect(log, secret(), engine=spark).tables


@pytest.mark.parametrize("over_many", [(), (0,), (0, 1, 2)], ids=["none", "the first", "all"])
def test_rounds_over_many_tasks_choose_as_one_task_does(log, spark, monkeypatch, over_many):
    """Few rounds, because each is two exchanges. `over_many`: those that are not left to a single task."""
    mechanism = parse("Keys(epsilon=8, delta=1e-3, items=20)")
    plan = mechanism.plan[0]
    method = dataclasses.replace(plan.selection.method, rounds=3)
    short = dataclasses.replace(plan, selection=dataclasses.replace(plan.selection, method=method))
    with mechanism.open(log) as source:
        here = decide([short], source, secret())["queries"]
    asked = []

    def fits(items):
        asked.append(items)
        return len(asked) > len(over_many)

    monkeypatch.setattr(rounds, "fits", fits)
    there = decide([short], SparkSource(spark), secret())["queries"]
    assert len(asked) == min(len(over_many) + 1, 3)
    assert len(here.key)
    assert np.array_equal(here.key, there.key)
    assert np.array_equal(here.count, there.count)


def test_no_event_log_keeps_what_is_run(spark):
    """A cluster may have one by default; statements of random bounds hold their secret."""
    assert spark.session.conf.get("spark.eventLog.enabled") == "false"
    assert spark.session.conf.get("spark.ui.enabled") == "false"
    assert spark.session.conf.get("spark.io.encryption.enabled") == "true"


def test_another_secret_gives_other_counts(log, spark):
    mechanism = parse("Korolova(epsilon=20, delta=1e-2, d=6)")
    other = KeyedRandomness(bytes(32), private=False)
    one = mechanism.protect(log, secret(), engine=spark).tables
    assert one != mechanism.protect(log, other, engine=spark).tables


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("Pseudonyms()", "Pseudonyms reads the whole log on one machine"),
        (
            "ASession(epsilon=1, delta=1e-3, l_s=2, l_q=3, representation='light')",
            "sequences are of queries as they are",
        ),
    ],
)
def test_what_cannot_be_done_there_is_refused_before_a_charge(log, spark, tmp_path, spelling, said):
    with pytest.raises(InputError, match=said):
        parse(spelling).release(
            log, tmp_path / "out", i_know=True, budget=(1e9, 0.5), engine=lambda log: Borrowed(spark, log)
        )
    with open_ledger(log) as ledger:
        assert not ledger.entries()
    assert not (tmp_path / "out").exists()
