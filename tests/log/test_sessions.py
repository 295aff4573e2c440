"""A session ends at a pause above the time-out, not at the time-out itself."""

import numpy as np

from crowdlog.log.sessions import ends_session, longest_pause, session_numbers


def test_the_time_out_itself_does_not_end_a_session():
    assert ends_session(np.array([0, 26 * 60, 26 * 60 + 1]), 26).tolist() == [False, False, True]
    assert longest_pause(26) == 1560


def test_sessions_are_numbered_over_all_users():
    user = np.array([0, 0, 0, 1, 1, 3])
    gap = np.array([0, 60, 61, 0, 0, 999])
    assert session_numbers(user, gap, 1).tolist() == [0, 0, 1, 2, 2, 3]
    assert session_numbers(user[:0], gap[:0], 1).tolist() == []
