"""The log itself, with and without its rarer keys."""

import numpy as np

from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.utility.original import frequent


def test_rarer_keys_are_left_out_of_every_table_that_is_there():
    table = KeyCounts(np.array([1, 2, 3]), np.array([1.0, 5.0, 9.0]))
    found = frequent(Tables(table, table, None, table), 5)
    assert [found.queries.key.tolist(), found.flow.key.tolist(), found.pairs] == [[2, 3], [2, 3], None]
