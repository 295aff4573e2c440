"""What the ladder's proof needs of its parts: the number of people, long queries, allowances in the label."""

from __future__ import annotations

import math
import re
from typing import ClassVar

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import ladder as module
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.ladder import ASKING, INVENTED, PUBLIC_PEOPLE
from crowdlog.mechanisms.rungs.climb import longest_closed
from crowdlog.mechanisms.rungs.setting import TABLES
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.graded import Graded
from tests.support.logs import crowd_rows, few_and_many, make_log
from tests.support.randomness import FrozenRandomness

HELD = {"weather", "boston", "used", "cars"}
ASKED = "Ladder(epsilon=2, delta=1e-6, least_rows=0)"


class Recorded:
    """Noise of a fixed value that notes its scale."""

    scales: ClassVar[list[float]] = []

    def __init__(self, scale):
        self.scales.append(scale)

    def draw(self, n, _randomness):
        return np.full(n, 1234)


def test_people_that_nobody_gave_are_counted_with_noise_and_that_number_is_used(tmp_path, monkeypatch):
    """Repair 3 of the design: N̂ = people + noise of 0.5 % of μ², and never the number itself."""
    monkeypatch.setattr(module, "RoundedGaussian", Recorded)
    Recorded.scales.clear()
    asked = parse(ASKED)
    log = make_log(tmp_path, crowd_rows(300, ["used cars"]))
    setting = asked._asked(log.info.users, FrozenRandomness())
    assert setting.people == 300 + 1234
    assert Recorded.scales == [pytest.approx(1 / (asked.mu * math.sqrt(ASKING)))]
    assert Recorded.scales[0] * asked.mu * math.sqrt(ASKING) >= 1
    assert PUBLIC_PEOPLE not in asked.promise().assumptions


@pytest.mark.parametrize("people", [1, 999, 20_000, 49_999, 50_000, 10**7])
def test_shares_never_add_up_to_more_than_is_left(people):
    """Whatever number was drawn, all steps together cost what is left of μ²."""
    asked = parse(ASKED)
    spent = sum(mu**2 for mu in asked.setting_for(people, 1 - ASKING).mu.values())
    assert spent <= (1 - ASKING) * asked.mu**2
    assert spent + ASKING * asked.mu**2 <= asked.mu**2


def test_queries_of_three_words_are_open_where_their_bar_would_lie_higher():
    """Repair 5: decided by the number of released words, which is public."""
    graded = Graded(AdaptiveGaussian(), 0.5)
    assert longest_closed(graded, open_bar=13.0, size=100, allowed=0.1) == 3
    assert longest_closed(graded, open_bar=8.0, size=100, allowed=0.1) == 2
    assert longest_closed(graded, open_bar=1e9, size=2**20, allowed=0.1) == 2  # 2⁶⁰ cells are too many


def test_the_label_tells_the_allowance_and_not_what_the_log_holds(tmp_path):
    """Repair 8: the same released words, the same notes, whatever else is in the log."""
    rows = crowd_rows(400, ["weather boston", "used cars"])
    alone = [("lone", f"weather used {i}", 60 * i, "http://boston.com") for i in range(30)]
    ladder = parse("Ladder(epsilon=4, delta=1e-9, people=400, least_rows=0)")
    notes = []
    for name, whole in (("without", rows), ("with", rows + alone)):
        protected = ladder.protect(make_log(tmp_path, whole, name), FrozenRandomness())
        notes.append(protected.notes)
        words = protected.tables["words"].num_rows
        for table in TABLES:
            allowed = protected.notes[f"{table}: invented rows, on average, at most"]
            most = ladder.setting.invented_words if table == "words" else ladder.setting.invented(words)
            assert 0 < allowed <= most + 0.001
    assert notes[0] == notes[1]
    assert INVENTED in ladder.promise().unprotected
    assert "protected by ε, not hidden by δ" in INVENTED


def test_rows_say_nothing_of_whether_anybody_holds_them(tmp_path):
    """Repair 2: the same columns for all rows, in the order of counts and texts alone."""
    log = make_log(tmp_path, crowd_rows(400, ["weather boston", "used cars"]))
    ladder = parse("Ladder(epsilon=4, delta=1e-9, people=400, least_rows=0)")
    told = ["count", "noise", "low", "high", "at_least"]
    invented = 0
    for seed in range(12):
        for name, table in ladder.protect(log, SeededRandomness(seed)).tables.items():
            if name in TABLES:
                texts = [column for column in table.column_names if column not in told]
                assert table.column_names == [*texts, *told]
                assert not any(table[column].null_count for column in table.column_names)
                rows = table.to_pylist()
                assert rows == sorted(rows, key=lambda row: (-row["count"], *(row[each] for each in texts)))
                invented += sum(row["word"] not in HELD for row in rows) if name == "words" else 0
    assert invented > 0  # rows that nobody holds are among them


@pytest.mark.parametrize("epsilon", [0.005, 0.02, 0.1])
def test_a_small_epsilon_never_fails_after_the_charge(tmp_path, epsilon):
    """There the bound of the counts is mostly noise: it asked for more noise than can be drawn, half of the
    time and after the release was paid for.
    """
    log = make_log(tmp_path, few_and_many())
    ladder = parse(f"Ladder(epsilon={epsilon}, delta=1e-6, people=300)")
    for seed in range(12):
        ladder.protect(log, SeededRandomness(seed))


def test_a_release_without_queries_has_no_searches_for_each_person(tmp_path):
    """Where no query is released the breakdown of repeated ones has nobody to divide by."""
    log = make_log(tmp_path, few_and_many())
    ladder = parse("Ladder(epsilon=0.01, delta=1e-6, people=30000)")
    assert "repeats" in ladder.setting.breakdowns
    assert "queries" not in ladder.setting.tables
    notes = ladder.protect(log, SeededRandomness(1)).notes
    assert not any(name.startswith("searches for each person") for name in notes)


@pytest.mark.parametrize(
    "more",
    ["people=300", "people=30000", "people=10000000", "least_rows=5", "people=300, weight_counts=1e-6"],
)
def test_noise_that_cannot_be_drawn_is_refused_before_any_charge(tmp_path, more):
    """The least ε that is not refused works; below it a sentence says why."""
    log = make_log(tmp_path, few_and_many())
    for epsilon in (1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.1):
        ladder = parse(f"Ladder(epsilon={epsilon}, delta=1e-6, {more})")
        if refused(ladder):
            assert epsilon < 0.1 or "weight_counts" in more
        else:
            ladder.protect(log, SeededRandomness(1))


@pytest.mark.parametrize(
    ("epsilon", "weights"),
    [(0.005, "weight_words=0.01, weight_named=50"), (0.01, "weight_pairs=100"), (0.01, "weight_clicks=50")],
)
def test_people_who_are_counted_may_be_more_than_the_plan_is_made_for(epsilon, weights):
    """Many people get more tables, which leaves less for counts: that is looked at before the charge, too."""
    assert refused(parse(f"Ladder(epsilon={epsilon}, delta=1e-6, {weights})"))


SIZES = (1, 27, 999, 1_000, 4_999, 5_000, 20_000, 49_999, 50_000, 60_000, 199_999, 200_000, 2 * 10**8)


@pytest.mark.parametrize("least_rows", [0, 5, 300])
@pytest.mark.parametrize("epsilon", [2.3, 0.3, 0.02])
@pytest.mark.parametrize("step", ["words", "named", "clicks", "pairs", "counts", "shares"])
def test_whatever_number_of_people_is_counted_the_noise_can_be_drawn(step, epsilon, least_rows):
    """At the least share of a step that the promise does not refuse: clicks have less of few people than of
    the many that were looked at, which was told after the charge, for ever.
    """

    def asking(exponent):
        options = f"weight_{step}={10**exponent!r}, least_rows={least_rows}"
        return parse(f"Ladder(epsilon={epsilon}, delta=1e-6, {options})")

    low, high = -12.0, 0.0
    for _halving in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if refused(asking(middle)) else (low, middle)
    assert refused(asking(low))
    found = asking(high)
    for people in SIZES:
        assert module._can_be_drawn(found.setting_for(people, 1 - ASKING))


def refused(ladder):
    try:
        ladder.promise()
    except InputError as error:
        return re.search("larger than can be drawn|sigma", str(error)) is not None
    return False


@pytest.mark.parametrize(("epsilon", "people"), [(6, 27), (8, 2)])
def test_sites_of_words_may_be_worth_showing_where_queries_are_not(tmp_path, epsilon, people):
    """With a handful of people, counted or given, the table of queries alone is left out: a release of them
    failed after its charge.
    """
    log = make_log(tmp_path, crowd_rows(30, ["used cars"]))
    ladder = parse(f"Ladder(epsilon={epsilon}, delta=1e-6, people={people})")
    assert ladder.setting.tables == ("words", "sites", "word_sites")
    release = ladder.release(log, tmp_path / "out")
    assert tuple(release.label.tables) == ladder.setting.tables
