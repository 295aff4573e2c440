"""Hard logs change what they say they change, and the shipped model beats every baseline on them."""

import numpy as np
import pytest

from crowdlog.applications.tasks.baselines import BASELINES
from crowdlog.applications.tasks.find import find_tasks, make_block
from crowdlog.applications.tasks.hard_logs import (
    SETTINGS,
    drifting,
    generated,
    joined,
    lasting_interests,
    longer_sessions,
    other_words,
    own_words,
    split_by_days,
    wide_tasks,
)
from crowdlog.applications.tasks.measures import summary
from crowdlog.applications.tasks.model import load_model
from crowdlog.applications.tasks.train import score_block


@pytest.fixture(scope="module")
def log():
    return generated("other", 60, 5)


def texts_of(log):
    return log.texts.take(log.searches.query[log.searches.kept]).to_pylist()


def number_of_tasks(log):
    return len(np.unique(log.labels.task[log.searches.kept]))


def test_other_words_changes_texts_and_nothing_else(log):
    changed = other_words(0.2)(log, 1)
    different = np.mean([a != b for a, b in zip(texts_of(log), texts_of(changed), strict=True)])
    assert 0.1 < different < 0.25
    assert (changed.labels.task == log.labels.task).all()


def test_wide_tasks_joins_neighbours_of_a_session(log):
    changed = wide_tasks(1.0)(log, 1)
    assert number_of_tasks(changed) < number_of_tasks(log)
    kept = log.searches.kept
    together = log.searches.session[kept][1:] == log.searches.session[kept][:-1]
    assert (changed.labels.task[kept][1:] == changed.labels.task[kept][:-1])[together].mean() > 0.8
    assert (wide_tasks(0.0)(log, 1).labels.task == log.labels.task).all()


def test_drifting_keeps_one_word(log):
    before, after = texts_of(log), texts_of(drifting(1.0)(log, 1))
    changed = [b for a, b in zip(before, after, strict=True) if a != b]
    assert len(changed) > 100
    assert all(2 <= len(text.split()) <= 9 for text in changed)


def test_own_words_are_few_for_each_person(log):
    changed = own_words(1.0)(log, 1)
    mine = log.searches.user[log.searches.kept] == log.searches.user[log.searches.kept[0]]
    last = {text.rsplit(" ", 1)[1] for text, own in zip(texts_of(changed), mine, strict=True) if own}
    assert len(last) <= 3


def test_split_by_days_makes_more_tasks(log):
    assert number_of_tasks(split_by_days(1.0)(log, 1)) > number_of_tasks(log)


def test_a_lasting_interest_is_gone_on_with_in_its_words(log):
    changed = lasting_interests(1.0)(log, 1)
    assert number_of_tasks(changed) < number_of_tasks(log)
    kept = log.searches.kept
    before, after = log.labels.task[kept], changed.labels.task[kept]
    moved = np.flatnonzero(before != after)
    assert np.isin(after[moved], before).all()  # no new task: an older one of hers
    owner = dict(zip(before.tolist(), log.searches.user[kept].tolist(), strict=True))
    assert all(owner[int(after[i])] == log.searches.user[kept[i]] for i in moved)
    said = [set(text.split()) for text in texts_of(changed)]
    alike = [any(said[i] & said[j] for j in np.flatnonzero(after[:i] == after[i])) for i in moved]
    assert np.mean(alike) > 0.8
    untouched = np.flatnonzero(before == after)
    assert all(texts_of(log)[i] == texts_of(changed)[i] for i in untouched)
    assert (lasting_interests(0.0)(log, 1).labels.task == log.labels.task).all()


def test_longer_sessions_are_fewer_and_in_the_same_order(log):
    changed = longer_sessions(0.5)(log, 1)
    user, time = changed.searches.user, changed.searches.time
    same = user[1:] == user[:-1]
    assert (np.diff(time)[same] >= 0).all()
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    assert (time[starts] == log.searches.time[starts]).all()
    sessions = [len(np.unique(one.searches.session)) for one in (changed, log)]
    people = len(starts)
    assert 0.4 < (sessions[0] - people) / (sessions[1] - people) < 0.6
    inside = (log.searches.session[1:] == log.searches.session[:-1]) & same
    assert (np.diff(time)[inside] == np.diff(log.searches.time)[inside]).all()


def test_joined_logs_hold_the_people_of_both(log):
    both = joined([log, log])
    assert len(both.searches) == 2 * len(log.searches)
    assert number_of_tasks(both) == 2 * number_of_tasks(log)
    assert texts_of(both) == texts_of(log) * 2
    assert both.searches.site_at[-1] == len(both.searches.site)


@pytest.mark.parametrize("setting", [name for name in SETTINGS if name != "as generated"])
def test_the_shipped_model_beats_every_baseline_on_hard_logs(log, setting):
    for number, change in enumerate(SETTINGS[setting]):
        log = change(log, number)
    block = make_block(log.searches, log.texts, log.searches.kept, within="history", vectors=None)
    model = load_model("default")
    best = summary(score_block(block, find_tasks(block, model), log.labels))
    for find in BASELINES.values():
        other = summary(score_block(block, find(block), log.labels))
        for measure in ("pair_f1", "b3"):
            assert best[measure]["value"] > other[measure]["value"]
