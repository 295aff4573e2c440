import json

import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.registry import HISTORIES, MEASURES, chosen, score

TOPICS = {
    "pie": "bake.com",
    "cake": "bake.com",
    "car": "cars.com",
    "bus": "cars.com",
    "moon": "sky.org",
    "sun": "sky.org",
}


def rows(users, start=0):
    """People who ask two queries of a topic and click; who is divisible by 7 asks for a secret too."""
    names = list(TOPICS)
    for user in range(start, start + users):
        first = names[user % 6]
        second = names[user % 6 ^ 1]
        yield (str(user + 1), 1000 * user, first, 1 + user % 3, f"http://{TOPICS[first]}")
        yield (str(user + 1), 1000 * user + 60, second, None, None)
        if user % 7 == 0:
            yield (str(user + 1), 1000 * user + 90, f"secret {user}", 1, f"http://secret{user}.com")


@pytest.fixture
def store(make_store):
    return make_store(list(rows(300)))


@pytest.fixture
def release(store, make_release):
    clicks = [(query, f"http://{site}", 50) for query, site in TOPICS.items()]
    names = list(TOPICS)
    pairs = [(names[i], names[i ^ 1], 50) for i in range(6)]
    return make_release(store.info.id, queries=[(query, 100) for query in TOPICS], clicks=clicks, pairs=pairs)


def by_name(scores):
    return {entry.name: entry for entry in scores}


def test_every_measure_is_a_score_with_its_number(store, release):
    scores = score(release, store)
    of_counts = {name for name, measure in MEASURES.items() if measure.needs != HISTORIES}
    assert {entry.name.split(":")[0] for entry in scores} == of_counts
    found = by_name(scores)
    assert found["adhoc:RW:nDCG@10"].value == pytest.approx(1.0)
    assert found["adhoc:RW:per-query:nDCG@10"].evaluated == 6
    assert found["adhoc:RW:nDCG@10"].evaluated > 6, "searches, not queries"
    assert found["suggestion:RR"].value > 0.9
    assert found["sessions:nDCG@10"].value == pytest.approx(found["sessions:nDCG@10"].value)
    assert found["clustering:purity"].evaluated == 0
    json.dumps([entry.as_dict() for entry in scores])


def test_no_text_of_the_log_is_in_a_score(store, release):
    text = json.dumps([entry.as_dict() for entry in score(release, store)])
    assert "secret" not in text
    assert "bake.com" not in text


def test_selections_can_name_parts(store, release):
    assert set(by_name(score(release, store, on=["adhoc:nDCG@10"]))) == {
        f"adhoc:{model}:{unit}nDCG@10" for model in ("RW", "RW-2", "IF") for unit in ("", "per-query:")
    }
    assert [entry.name for entry in score(release, store, on=["adhoc:IF:P@5"])] == [
        "adhoc:IF:P@5",
        "adhoc:IF:per-query:P@5",
    ]
    assert len(score(release, store, on=["adhoc:IF:per-query:P@5"])) == 1
    assert chosen(["adhoc:IF:P@5", "adhoc", "coverage"]) == ["adhoc", "coverage"]


def test_unknown_measures_are_named(store, release):
    with pytest.raises(InputError, match="no measure 'magic'"):
        score(release, store, on=["magic"])
    with pytest.raises(InputError, match="no measure 'adhoc:nDCG@11' for this release"):
        score(release, store, on=["adhoc:nDCG@11"])


def test_a_release_without_clicks_cannot_search(store, make_release):
    bare = make_release(store.info.id, name="bare", queries=[("pie", 3)])
    with pytest.raises(InputError, match="needs a table"):
        score(bare, store, on=["adhoc"])
    measured = {entry.name.split(":")[0] for entry in score(bare, store)}
    assert {"coverage", "patterns"} <= measured
    assert "adhoc" not in measured


def test_a_release_of_another_log_needs_the_flag(release, make_store):
    other = make_store(list(rows(50, start=1000)), name="other")
    with pytest.raises(InputError, match="other-log"):
        score(release, other, on=["coverage"])
    assert score(release, other, on=["coverage"], other_log=True)[0].value is not None


def test_held_out_people_can_be_given(store, release, make_store):
    others = make_store(
        [*rows(60, start=1000), ("9999", 5, "unheard of", 1, "http://new.com")], name="others"
    )
    found = by_name(score(release, store, on=["adhoc:RW:nDCG@10"], test=others))["adhoc:RW:per-query:nDCG@10"]
    assert found.value == pytest.approx(1.0)
    # topics, secrets (1001 = 7 · 143), the new one
    assert found.details["asked"] == 6 + len(range(1001, 1060, 7)) + 1
    assert found.details["original_answered"] == 6


@pytest.mark.parametrize("by", ["user", "row"])
def test_all_folds_are_joined(store, release, by):
    found = by_name(
        score(release, store, on=["adhoc:RW:RR"], settings=MeasureSettings(fold=None, folds=3, by=by))
    )["adhoc:RW:per-query:RR"]
    assert found.evaluated == 18  # six queries in each of three folds
    assert found.details["asked"] == 18 + len(range(0, 300, 7))


def test_scores_are_repeatable(store, release):
    first, again = (
        score(release, store, on=["adhoc", "suggestion"], settings=MeasureSettings(seed=5)) for _ in range(2)
    )
    assert first == again


@pytest.mark.parametrize("mechanism", ["FTu(k=5)", "KA(K=5)", "FTu(k=5, artifact='pair')"])
def test_a_published_release_is_recognised(store, tmp_path, mechanism):
    release = parse(mechanism).release(store, tmp_path / "published", i_know=True)
    found = by_name(score(release, store, on=["coverage"]))
    assert len(found) == 5
    assert {
        name: entry.value for name, entry in found.items() if name.endswith(("error", "spurious_rate"))
    } == dict.fromkeys([name for name in found if name.endswith(("error", "spurious_rate"))], 0.0)


def test_a_release_of_rows_is_not_tested_on_its_own_people(store, tmp_path, make_store):
    release = parse("Pseudonyms()").release(store, tmp_path / "rows", i_know=True)
    with pytest.raises(InputError, match="would test this release of rows on the people in it"):
        score(release, store, on=["adhoc"])
    assert {"coverage", "keywords"} <= {entry.name.split(":")[0] for entry in score(release, store)}
    others = make_store(list(rows(60, start=1000)), name="others")
    assert score(release, store, on=["adhoc:RW:RR"], test=others)[0].value == pytest.approx(1.0)
