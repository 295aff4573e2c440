"""Keys: every selection on every kind of artifact."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.attacks.likelihood import Likelihood
from crowdlog.errors import InputError
from crowdlog.mechanisms.keys import SELECTIONS, Keys
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.utility.registry import score
from tests.support.logs import crowd_rows, make_log

QUERIES = ["weather boston", "used cars", "train times"]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """600 people with the same three queries; each also has one that nobody else asks."""
    rows = crowd_rows(600, QUERIES)
    return make_log(
        tmp_path_factory.mktemp("keys"),
        [*rows, *((f"u{i}", f"my{i} own{i}", 9000, f"http://own{i}.example") for i in range(600))],
    )


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_each_selection_names_what_many_share_of_each_kind(selection, artifact, crowd):
    mechanism = Keys(epsilon=8, delta=1e-9, selection=selection, artifact=artifact, items=6)
    (name, table), *others = mechanism.protect(crowd, SeededRandomness(1)).tables.items()
    assert (name, others) == (Artifact(artifact).table, [])
    assert 0 < table.num_rows <= 6
    assert "own" not in str(table.to_pylist())


def test_counts_come_with_their_noise(crowd):
    mechanism = Keys(epsilon=8, delta=1e-9)
    queries = mechanism.protect(crowd, SeededRandomness(2)).tables["queries"].to_pydict()
    sd = mechanism.plan[0].noise.sd
    assert mechanism.promise().settings["queries: count noise sd"] == sd
    assert queries["noise"] == [sd] * 3
    assert all(abs(count - 600) < 7 * sd for count in queries["count"])


def test_more_weight_for_the_choice_lowers_the_threshold():
    low, high = (Keys(epsilon=1, delta=1e-6, weight_select=weight).plan[0] for weight in (9, 1))
    assert low.selection.crossing.centre < high.selection.crossing.centre


@pytest.mark.parametrize(
    ("selection", "bar"),
    [
        ("laplace", 4),
        ("geometric", 6),
        ("sips", 4.993),
        ("policy", 4.725),
        ("weighted", 4.724),
        ("adaptive", 5.222),
    ],
)
def test_the_label_names_what_a_key_must_reach_in_the_end(selection, bar):
    promise = Keys(epsilon=6, delta=1e-4, selection=selection).promise()
    assert promise.settings["queries: threshold (weight)"] == pytest.approx(bar, abs=1e-3)
    assert 0 <= promise.settings["queries: selection noise sd"] < 1
    crossing = promise.tables[0].selection.crossing
    assert crossing.centre == promise.settings["queries: threshold (weight)"]
    assert crossing.sd == promise.settings["queries: selection noise sd"]


def test_one_item_per_user_where_that_is_the_method():
    assert Keys(epsilon=1, delta=1e-6, selection="laplace").promise().settings["selection d"] == 1
    assert Keys(epsilon=1, delta=1e-6, selection="sips").promise().settings["selection items_per_user"] == 200


def test_an_unknown_selection_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match="must be one of 'adaptive', 'weighted'"):
        Keys(epsilon=1, delta=1e-6, selection="best")


def names_alone(**more):
    return Keys(epsilon=8, delta=1e-9, selection="routed", weight_counts=0, **more)


def test_names_alone_get_the_whole_promise_and_have_no_counts(crowd):
    mechanism = names_alone(route="shared")
    promise = mechanism.promise()
    assert [(step.epsilon, step.delta) for step in promise.steps] == [(0, 0), (8, 1e-9)]
    assert (promise.counts, promise.error_bars, promise.accounting) == (
        "",
        {},
        ({"step": "promised", "epsilon": 8.0, "delta": 1e-9},),
    )
    table = mechanism.protect(crowd, SeededRandomness(2)).tables["queries"]
    assert table.column_names == ["query", "count"]
    assert sorted(table["query"].to_pylist()) == sorted(QUERIES)
    assert set(table["count"].to_pylist()) == {1}


def test_names_alone_say_so_everywhere(crowd, tmp_path):
    mechanism = names_alone(route="shared")
    release = mechanism.release(crowd, tmp_path / "names")
    assert release.label.plans == mechanism.plan
    assert "the column count is 1 in every row" in (release.path / "explanation.md").read_text()
    assert "| counts | none published |" in (release.path / "label.md").read_text()
    page = (release.path / "index.html").read_text()
    assert "without counts" in page
    assert '<table class="bars">' not in page
    scores = {found.name for found in score(release, crowd, on=["coverage"])}
    assert "coverage:queries:impressions" in scores
    assert "coverage:queries:median_relative_error" not in scores


def test_numbers_of_a_route_that_may_not_have_been_taken_say_so():
    """The label is made before the look: a reader must not take the long route's bar for the release's."""
    looked, fixed = names_alone().promise(), names_alone(route="long").promise()
    ours = {f"{name} on the long route" for name in fixed.settings}
    assert set(looked.settings) == ours
    assert "A noisy look at the log decides" in looked.steps[0].what
    assert fixed.steps[0].what == "At most 300 different ones of each person support a choice."


@pytest.mark.parametrize("route", ["short", "shared"])
def test_one_unit_of_each_person_is_not_told_as_a_bound_of_many(route):
    promise = names_alone(route=route).promise()
    assert promise.steps[0].what == "Each person supports one by one unit, however many she has."
    assert "selection items_per_user" not in promise.settings


def test_names_alone_never_look_at_counts(crowd, monkeypatch):
    """A release without counts must not even make them."""
    monkeypatch.setattr(Histories, "counts", lambda *_args: pytest.fail("counted"))
    assert names_alone().protect(crowd, SeededRandomness(2)).tables["queries"].num_rows == 3


@pytest.mark.parametrize("inside", [True, False])
def test_a_name_that_is_shown_speaks_for_who_has_it(inside):
    noise = Likelihood.of(names_alone().plan[0])
    shown = np.array([1.0 if inside else np.nan])
    assert (noise.evidence(np.ones(1), np.zeros(1), shown)[0] > 0) == inside
