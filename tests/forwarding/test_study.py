"""The seed's tables: docs/forwarding.md shows what the command writes, and its reason for a difference."""

from pathlib import Path

import numpy as np
import pytest

from crowdlog.forwarding.study import SeedStudy
from crowdlog.forwarding.study_activity import EQUALLY_OFTEN, _equally_often, _made_up
from crowdlog.forwarding.tables_text import tables_text
from crowdlog.forwarding.workload import Workload, topical
from crowdlog.reproduce.study import Claim, Panel

DOCS = Path(__file__).parents[2] / "docs" / "forwarding.md"


@pytest.fixture(scope="module")
def study():
    return SeedStudy(5, 1).run()


@pytest.mark.slow
def test_the_documentation_shows_what_the_command_writes(study):
    """Stale? crowdlog forward simulate --users 10000 --queries 100 --repeated --tables 5 -o TABLES, and
    copy TABLES/tables.md between the two marks.
    """
    shown = DOCS.read_text(encoding="utf-8").split("<!-- tables -->\n")[1].split("<!-- end of tables -->")[0]
    assert shown == tables_text(*study)


@pytest.mark.slow
def test_uneven_activity_is_what_exposes_users_of_the_log(study):
    """Not what they ask: the made-up queries in the log's numbers cost as much; and half of it is not Υ's."""
    panel = next(panel for panel in study[0] if panel.title.startswith("Users with PEL below 60"))
    (log, log_free), (made_up, made_up_free), (equal, equal_free) = (row[1:] for row in panel.rows)
    assert abs(made_up - log) < 1.5
    assert abs(made_up_free - log_free) < 1.5
    assert equal > 95 > log_free > log
    assert equal_free - log_free > 3
    assert log_free - log > 3


def uneven():
    counts = np.array([3, 0, 7, 1])
    start = np.concatenate([[0], np.cumsum(counts)])
    return Workload(start, np.arange(11, dtype=np.int32))


def test_made_up_queries_keep_the_numbers_and_drop_the_texts():
    made = _made_up(uneven(), seed=2)
    assert made.counts.tolist() == [3, 0, 7, 1]
    whole = topical(4, 7, seed=2)
    assert made.query[:3].tolist() == whole.query[:3].tolist()
    assert made.query[3:10].tolist() == whole.query[14:21].tolist()


def test_equal_numbers_are_drawn_from_each_users_own_queries():
    log = uneven()
    equal = _equally_often(log, seed=2)
    assert equal.counts.tolist() == [EQUALLY_OFTEN, 0, EQUALLY_OFTEN, EQUALLY_OFTEN]
    for user in (0, 2, 3):
        mine = log.query[log.start[user] : log.start[user + 1]]
        assert set(equal.query[equal.start[user] : equal.start[user + 1]]) == set(mine)


def test_tables_are_written_as_markdown():
    panel = Panel("T", ["a", "b"], [[1, 0.5], ["x", None]], note="N.")
    text = tables_text([panel], [Claim("C.", True, "1"), Claim("D.", False, "2")])
    assert text == (
        "**T** N.\n\n| a | b |\n|---:|---:|\n| 1 | 0.5 |\n| x | – |\n\nWhat holds:\n\n"
        "- **holds**: C. Ours: 1.\n- **differs**: D. Ours: 2.\n"
    )
