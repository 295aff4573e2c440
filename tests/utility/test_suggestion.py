"""Suggestions against a plain implementation of P(q, r) = λ cos + (1 − λ) e/d."""

from crowdlog.measure.tables import tables_of
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.suggestion import measure
from tests.support.small_logs import queries_log


def test_a_session_is_one_observation():
    log = queries_log([[0, 2, 4], [0, 2], [6, 8], [3]])
    trial = measure(tables_of(log), Fold(tables_of(log), log, (9, 9)), MeasureSettings())["suggestion"]
    assert trial.asked == 3
    assert trial.answered == (3, 3)
    # after 0 come 2 and 4, after 2 comes 4
    assert trial.released["P@5"][trial.group == 0].tolist() == [2 / 5, 1 / 5]
