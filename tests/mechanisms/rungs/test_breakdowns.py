"""Lengths, hours, activity, shares and topics of a ladder: against counting by hand, and with noise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crowdlog.artifacts.breakdowns import BREAKDOWN_TABLES, CAP, Breakdown
from crowdlog.artifacts.public_lists import PUBLIC_TOPICS
from crowdlog.artifacts.topics import OTHER, word_topics
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.rungs.setting import BREAKDOWNS_FROM, choose_breakdowns
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log
from tests.support.randomness import FrozenRandomness

LADDER = "Ladder(epsilon=4, delta=1e-9, people=400, least_rows=0"
# Who searches what, at which second: 400 people alike, and one who searches much.
SEARCHES = [("diabetes diet", 3600 * 7), ("used cars", 3600 * 9), ("used cars", 3600 * 33), ("qzx", 100)]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rows = [
        (f"u{user}", query, second, "http://cars.com" if query == "used cars" else None)
        for user in range(400)
        for query, second in SEARCHES
    ]
    rows += [("heavy", "a b c d e f g h i j k l", 60 * i, None) for i in range(300)]
    return make_log(tmp_path_factory.mktemp("log"), rows)


def counts(table):
    texts = [name for name in table.column_names if name not in ("count", "noise", "low", "high")]
    return {tuple(row[name] for name in texts): row["count"] for row in table.to_pylist()}


@pytest.fixture(scope="module")
def few_words(tmp_path_factory):
    """A short list: noise for 100,000 words would take most of the time."""
    path = tmp_path_factory.mktemp("lists") / "words.txt"
    path.write_text("used\ncars\ndiet\n", encoding="utf-8")
    return f", words='{path}')"


def test_people_are_divided_as_by_hand(log, few_words):
    tables = parse(f"{LADDER}{few_words}").protect(log, FrozenRandomness()).tables
    found = {name: Counter(counts(tables[name])) for name in BREAKDOWN_TABLES}
    assert +found["lengths"] == {("2",): 300, ("1",): 100, ("10+",): 1}
    assert +found["hours"] >= Counter({("07",): 100, ("09",): 200, ("00",): 100})
    assert +found["activity"] == {("4-7",): 400, ("256-511",): 1}
    health, cars = word_topics()["diabetes"], word_topics()["cars"]
    assert +found["topics"] == {(health,): 100, (cars,): 200, (OTHER,): 101}
    assert found["topic_hours"][health, "07"] == 100
    shares = dict(
        zip(("queries", "words", "clicked", "site", "searches"), found["shares"].values(), strict=True)
    )
    assert shares["clicked"] == shares["site"] == 200  # cars.com is released
    assert shares["queries"] in (300, 400)
    assert shares["searches"] == round(400 * 4 / CAP + 1)


def test_searches_of_released_queries_say_how_often_a_person_asks_one(log, few_words):
    """400 people ask "used cars" twice and two more once each: 4/3 on average, whatever is released."""
    released = parse(f"{LADDER}{few_words}").protect(log, FrozenRandomness())
    repeats = counts(released.tables["repeats"])
    queries = released.tables["queries"].to_pylist()
    twice = {"used cars": 2}
    searches = sum(400 * twice.get(row["query"], 1) for row in queries)
    assert repeats == {("1-10",): round(searches / CAP), ("11-100",): 0, ("101+",): 0}
    factor = released.notes["searches for each person, queries 1-10"]
    assert factor == pytest.approx(searches / (400 * len(queries)), rel=0.1)


def test_every_value_is_shown_and_intervals_hold_the_truth_as_often_as_they_say(log, few_words):
    """20 seeds at an ε where noise matters; truth from the run without noise."""
    true = parse(f"{LADDER}{few_words}").protect(log, FrozenRandomness()).tables
    noisy = parse(f"Ladder(epsilon=1, delta=1e-6, people=400, least_rows=0{few_words}")
    inside = []
    for seed in range(20):
        tables = noisy.protect(log, SeededRandomness(seed)).tables
        for plan in noisy.plan:
            if isinstance(plan.artifact, Breakdown) and plan.name not in ("shares", "repeats", "topic_hours"):
                table = tables[plan.name]
                assert list(counts(table)) == list(plan.artifact.values)
                assert set(table["noise"].to_pylist()) == {plan.noise.sd}
                count = np.array(list(counts(true[plan.name]).values()))
                low, high = table["low"].to_numpy(), table["high"].to_numpy()
                inside += ((low <= count) & (count <= high)).tolist()
    assert len(inside) > 1500
    # without noise the counts of 0 lie within at the lower end, which is cut off: 97.5 % of them
    assert 0.94 < np.mean(inside) < 0.99


def test_topics_of_a_file_and_none(log, few_words, tmp_path):
    path = tmp_path / "topics.tsv"
    path.write_text("used cars\tvehicles\nnever asked\tnothing\n", encoding="utf-8")
    tables = parse(f"{LADDER}, topics='{path}'{few_words}").protect(log, FrozenRandomness()).tables
    assert PUBLIC_TOPICS in parse(f"{LADDER}, topics='{path}')").promise().assumptions
    assert PUBLIC_TOPICS not in parse(f"{LADDER})").promise().assumptions
    assert counts(tables["topics"]) == {("nothing",): 0, ("vehicles",): 200, (OTHER,): 201}
    bare = parse(f"{LADDER}, topics=None{few_words}").protect(log, FrozenRandomness()).tables
    assert not {"topics", "topic_hours"} & set(bare)
    none = parse(f"{LADDER}, weight_shares=0)")
    assert not set(BREAKDOWN_TABLES) & {plan.name for plan in none.plan}
    assert none.setting.mu["shares"] == 0


def test_a_file_of_topics_that_is_not_there_is_told_before_anything_is_charged():
    with pytest.raises(InputError, match=r"topics\.tsv"):
        parse("Ladder(epsilon=1, delta=1e-6, people=20000, topics='/nowhere/topics.tsv')").check_inputs()


def test_which_breakdowns_are_worth_it_follows_from_public_numbers():
    assert choose_breakdowns(500, 5.0, topics=True, wanted=True) == ()
    assert "topic_hours" not in choose_breakdowns(19_999, 5.0, topics=True, wanted=True)
    assert choose_breakdowns(20_000, 5.0, topics=True, wanted=True) == tuple(BREAKDOWNS_FROM)
    assert choose_breakdowns(1, 0.0, topics=False, wanted=True) == (
        "lengths",
        "hours",
        "activity",
        "shares",
        "repeats",
    )
    assert choose_breakdowns(20_000, 5.0, topics=True, wanted=False) == ()


def test_the_privacy_of_breakdowns_is_part_of_the_whole():
    ladder = parse("Ladder(epsilon=1, delta=1e-6, people=20000)")
    assert sum(mu**2 for mu in ladder.setting.mu.values()) <= ladder.mu**2
    noise = {plan.noise.sd for plan in ladder.plan if isinstance(plan.artifact, Breakdown)}
    (sd,) = noise
    vectors = sum(plan.artifact.vectors for plan in ladder.plan if isinstance(plan.artifact, Breakdown))
    assert vectors == 13  # five tables of one vector each, five shares, three bands of queries
    assert sd >= vectors**0.5 / ladder.setting.mu["shares"]
