"""Where a session ends: at a pause of more than so many minutes between two impressions of a user.

The rule is here once, for arrays, for Ibis columns (`ends_session`) and for SQL (`longest_pause`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.types import Ints

SESSION_MINUTES = 26  # Lucchese et al. 2011, Feild 2013; Zhang 2017 uses 30


def longest_pause(minutes: int) -> int:
    """The seconds between two impressions that may pass within a session; more of them end it."""
    return 60 * minutes


def ends_session(gap: Any, minutes: int) -> Any:
    """Which gaps, in seconds, lie between two sessions: an array or an Ibis column of the same length."""
    return gap > longest_pause(minutes)


def session_numbers(user: Any, gap: Any, minutes: int) -> Ints:
    """The session of each row, counted from 0 over all users, in rows that are sorted by user and time.

    `gap`: seconds since the user's previous row; 0 where a row cannot begin a session. Her first row does.
    """
    starts = ends_session(gap, minutes)
    starts[:1] = True
    starts[1:] |= user[1:] != user[:-1]
    return np.cumsum(starts, dtype=np.int64) - 1
