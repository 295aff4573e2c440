"""The engine is chosen by whoever calls a mechanism."""

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.engine.choice import find_engine
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.planning.plan import plan_release
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.release.publish import open_ledger
from crowdlog.release.resume import resume
from tests.mechanisms.test_every_mechanism import SPELLINGS
from tests.support.logs import crowd_rows, make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("engine"), crowd_rows(30, ["weather", "maps"]))


def _setting(engine, name):
    return engine.backend.raw_sql(f"SELECT current_setting('{name}')").fetchone()[0]


def test_threads_and_memory_reach_the_database(log):
    with find_engine("duckdb:threads=1,memory=300MB")(log) as engine:
        assert _setting(engine, "threads") == 1
        assert _setting(engine, "memory_limit") == "286.1 MiB"
    with find_engine("duckdb")(log) as engine:
        assert engine.events.count().to_pyarrow().as_py() == log.info.rows


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("postgres", "There is no engine 'postgres'. There are: duckdb"),
        ("", "There is no engine ''"),
        ("duckdb:threads=0", "has no option 'threads=0'"),
        ("duckdb:threads", "has no option 'threads'"),
        ("duckdb:cores=3", "has no option 'cores=3'. Write for example"),
        ("duckdb:memory=much", "'much' is not a size of memory"),
    ],
)
def test_what_is_no_engine_is_refused_before_anything_is_charged(log, tmp_path, spelling, said):
    with pytest.raises(InputError, match=said):
        find_engine(spelling)
    words = ["release", str(log.path), "DPu(epsilon=1, delta=1e-6, d=2)", "-o", str(tmp_path / "out")]
    answer = CliRunner().invoke(cli, [*words, "--engine", spelling])
    assert isinstance(answer.exception, InputError)
    with open_ledger(log) as ledger:
        assert not ledger.entries()


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_mechanism_counts_with_the_engine_it_is_given(log, spelling):
    mechanism = parse(spelling)
    with find_engine("duckdb:threads=1")(log) as engine:
        given = mechanism.protect(log, SeededRandomness(3), engine=engine).tables
        assert engine.events.count().to_pyarrow().as_py() == log.info.rows  # its owner closes it, nobody else
    assert given == mechanism.protect(log, SeededRandomness(3)).tables


def test_the_command_line_hands_the_engine_on(tmp_path):
    log = make_log(tmp_path, crowd_rows(30, ["weather", "maps"]))
    words = [str(log.path), "FTu(k=5)", "--i-know"]
    for name, engine in (("a", []), ("b", ["--engine", "duckdb:threads=1,memory=300MB"])):
        answer = CliRunner().invoke(cli, ["release", *words, "-o", str(tmp_path / name), *engine])
        assert answer.exit_code == 0, answer.output
    assert Release.open(tmp_path / "a").queries() == Release.open(tmp_path / "b").queries()


def test_publishing_resuming_and_planning_open_the_engine(tmp_path):
    """One that says when it is opened: each of them does so once."""
    log, opened = make_log(tmp_path, crowd_rows(30, ["weather"])), []

    def engine(of):
        opened.append(of)
        return find_engine("duckdb")(of)

    parse("FTu(k=5)").release(log, tmp_path / "out", i_know=True, engine=engine)
    assert opened == [log]
    plan_release(parse("FTu(k=5)"), users=50, engine=engine)
    assert len(opened) == 2
    mechanism = parse("DPu(epsilon=1, delta=1e-6, d=2)")
    promise = mechanism.promise()
    with open_ledger(log) as ledger:
        ledger.charge(
            promise.guarantee,
            repr(mechanism),
            str(tmp_path / "late"),
            steps=promise.accounting,
            allow_unprotected=True,
        )
    resume(log, parse, engine=engine)
    assert len(opened) == 3
