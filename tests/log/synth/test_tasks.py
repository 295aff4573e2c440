"""The task file: every search once, with tasks like those that people labelled in real logs."""

from collections.abc import Iterator

import duckdb
import pytest

from crowdlog.log.synth.run import SynthReport
from tests.support import log_figures as figures


@pytest.fixture(scope="module")
def base(log: SynthReport) -> Iterator[duckdb.DuckDBPyConnection]:
    """Table `k`: searches without next pages, with their task and their number within the user."""
    with figures.open_log(log.path) as connection:
        path = log.path.with_name("tasks.tsv")
        columns = "{'u': 'BIGINT', 't': 'TIMESTAMP', 'q': 'VARCHAR', 'task': 'INT'}"
        source = figures.READ.format(path=path, columns=columns)
        connection.execute(f"create table tasks as select * from {source}")
        connection.execute(
            """create table k as select i.*, task, row_number() over (partition by u order by id) as nth
            from i join tasks using (u, t, q) where not page"""
        )
        yield connection


def test_every_search_has_one_task(base: duckdb.DuckDBPyConnection, log: SynthReport):
    with log.path.with_name("tasks.tsv").open(encoding="ascii") as lines:
        assert next(lines) == "AnonID\tQueryTime\tQuery\tTask\n"
    searches, labelled, joined = figures.values(
        base,
        """select (select count(*) from i), (select count(*) from tasks),
        (select count(*) from i join tasks using (u, t, q))""",
    )
    assert searches == labelled == joined


def test_a_text_of_one_person_is_one_task_with_few_exceptions(base: duckdb.DuckDBPyConnection):
    found = figures.values(
        base, "select avg((n = 1)::int) from (select count(distinct task) n from k group by u, q)"
    )
    assert found[0] > 0.98


def test_tasks_are_as_long_and_as_interleaved_as_labelled_ones(base: duckdb.DuckDBPyConnection):
    """Real: 2.4 to 3.4 searches a task, .51 to .64 with two or more, .15 to .49 interleaved."""
    mean, longer, interleaved = figures.values(
        base,
        """select avg(n), avg((n > 1)::int), avg((last - first + 1 > n)::int) from
        (select count(*) n, min(nth) first, max(nth) last from k group by u, task)""",
    )
    assert 2.0 <= mean <= 3.8
    assert 0.4 <= longer <= 0.7
    assert 0.15 <= interleaved <= 0.5


def test_neighbours_in_a_session_are_mostly_of_one_task(base: duckdb.DuckDBPyConnection):
    """Real: .67 and .81 of neighbouring searches."""
    found = figures.values(
        base,
        """select avg((task = lag)::int) from
        (select task, opens, lag(task) over (partition by u order by id) lag from k) where not opens""",
    )
    assert 0.5 <= found[0] <= 0.85


def test_texts_of_one_task_are_alike(base: duckdb.DuckDBPyConnection):
    same, other = figures.values(
        base,
        """select avg(s) filter (task = lag), avg(s) filter (task <> lag) from
        (select task, opens, lag(task) over w lag, jaccard(q, lag(q) over w) s, q = lag(q) over w same
         from k where len(q) > 3 window w as (partition by u order by id)) where not opens and not same""",
    )
    assert same > 1.4 * other
