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
