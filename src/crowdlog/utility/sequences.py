"""The sessions of the test part as lists of queries."""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.measure.log_arrays import LogArrays
from crowdlog.measure.ragged import Lists, counting, from_rows, one_each
from crowdlog.types import Ints
from crowdlog.utility.paired_scores import Topics

LONGEST = 100  # queries; what follows in a longer session is left out: such sessions come from programs


def sessions_of(test: LogArrays) -> tuple[Lists, Ints]:
    """Sessions of at least two queries, and their numbers.

    A query repeated at once (a next page) counts once.
    """
    session, query = test.session[test.impression], test.query[test.impression]
    again = np.zeros(len(query), bool)
    again[1:] = (session[1:] == session[:-1]) & (query[1:] == query[:-1])
    session, query = session[~again], query[~again]
    # ascending: rows are sorted by user and time, by row splits too
    numbers, rows = np.unique(session, return_inverse=True)
    lengths = np.bincount(rows, minlength=len(numbers))
    kept = (lengths >= 2)[rows] & (counting(lengths) < LONGEST)
    numbers, rows = np.unique(session[kept], return_inverse=True)
    return from_rows(rows, query[kept], len(numbers)), numbers


def prefixes(sessions: Lists) -> Topics:
    """For every prefix of a session: its last query is asked, the different queries that follow are right."""
    last = sessions.offsets[1:][sessions.rows]
    position = np.arange(len(sessions.items))
    later = last - position - 1
    asked = np.repeat(position, later)
    follower = sessions.items[asked + 1 + counting(later)]
    other = follower != sessions.items[asked]
    unit, relevant = unpack(np.unique(pack(asked[other], follower[other])))
    units, rows = np.unique(unit, return_inverse=True)
    return Topics(
        one_each(sessions.items[units]), from_rows(rows, relevant, len(units)), sessions.rows[units]
    )
