import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.utility.splits import held_out_rows
from tests.support.small_logs import arrays


def events(rows=5000, users=300):
    draws = np.random.default_rng(2)
    user = np.sort(draws.integers(0, users, rows))
    query, time = draws.integers(0, 50, rows), draws.integers(0, 40, rows)
    return arrays(user=user, time=time, query=query)


def test_by_user_nobody_is_on_both_sides():
    log = events()
    marked = held_out_rows(log, folds=5, fold=2)
    assert not set(log.user[marked]) & set(log.user[~marked])
    assert 0.1 < len(set(log.user[marked])) / 300 < 0.3


@pytest.mark.parametrize("by", ["user", "row"])
def test_every_row_is_in_exactly_one_fold(by):
    log = events()
    assert sum(held_out_rows(log, folds=4, fold=i, by=by).astype(int) for i in range(4)).tolist() == [
        1
    ] * len(log)


def test_by_row_the_clicks_of_an_impression_stay_together():
    log = events()
    marked = held_out_rows(log, folds=5, fold=0, by="row")
    impression = list(zip(log.user.tolist(), log.time.tolist(), log.query.tolist(), strict=True))
    inside = {key for key, here in zip(impression, marked, strict=True) if here}
    outside = {key for key, here in zip(impression, marked, strict=True) if not here}
    assert not inside & outside
    assert set(log.user[marked]) & set(log.user[~marked])
    assert 0.15 < marked.mean() < 0.25


def test_another_seed_gives_other_folds():
    log = events()
    assert (held_out_rows(log, folds=5, fold=0) != held_out_rows(log, folds=5, fold=0, seed=1)).any()


def test_impossible_folds_are_refused():
    with pytest.raises(InputError, match="at least 2"):
        held_out_rows(events(), folds=1, fold=0)
    with pytest.raises(InputError, match="0 to 4"):
        held_out_rows(events(), folds=5, fold=5)
