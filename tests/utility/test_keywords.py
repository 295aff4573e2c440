"""The absorbing walk against the linear equations it solves."""

import pytest

from crowdlog.errors import InputError
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.registry import score


def test_rare_edges_are_left_out_of_both_graphs(make_store, make_release):
    rows = [
        (str(i), 60 * i, "boots", 1, "http://shoes.com" if i < 12 else f"http://other{i}.com")
        for i in range(20)
    ]
    store = make_store(rows)
    release = make_release(
        store.info.id, clicks=[("boots", "http://shoes.com", 11), ("noise", "http://shoes.com", 9)]
    )
    for fewest, found in ((10, (1, 1, 1)), (1, (2, 0, 0))):
        settings = MeasureSettings(concepts={"shoes": ["shoes.com"]}, fewest_clicks=fewest)
        concept = score(release, store, on=["keywords:overlap@0.95"], settings=settings)[0].details[
            "concepts"
        ][0]
        assert (concept["released"], concept["original"], concept["in_both"]) == found


@pytest.fixture
def store(make_store):
    clicks = [
        ("boots", "http://www.shoes.com"),
        ("shoes", "http://www.shoes.com"),
        ("sandals", "http://shoes.com/sale"),
        ("bank", "http://bank.com"),
    ]
    return make_store([(str(i), 60 * i, query, 1, url) for i, (query, url) in enumerate(clicks * 2)])


def test_keywords_of_a_concept(store, make_release):
    release = make_release(
        store.info.id, clicks=[("boots", "http://www.shoes.com", 2), ("fake", "http://www.shoes.com", 1)]
    )
    found = {
        entry.name: entry
        for entry in score(
            release,
            store,
            on=["keywords"],
            settings=MeasureSettings(concepts={"shoes": ["www.shoes.com"]}, fewest_clicks=1),
        )
    }
    overlap, kept = found["keywords:overlap@0.5"], found["keywords:kept@0.95"]
    assert overlap.details["concepts"] == [{"concept": "shoes", "released": 2, "original": 3, "in_both": 1}]
    assert overlap.value == 0.5
    assert overlap.evaluated == 2
    assert overlap.interval[0] <= 0.5 <= overlap.interval[1]
    assert kept.value == pytest.approx(1 / 3)


def test_without_concepts_the_most_clicked_sites_are_taken(store, make_release):
    release = make_release(store.info.id, clicks=[("bank", "http://bank.com", 2)])
    entry = score(release, store, on=["keywords:overlap@0.5"], settings=MeasureSettings(fewest_clicks=1))[0]
    assert [row["original"] for row in entry.details["concepts"]] == [3, 1]
    assert [row["released"] for row in entry.details["concepts"]] == [0, 1]
    assert "shoes" not in str(entry)


def test_a_concept_nobody_clicked_is_refused(store, make_release):
    release = make_release(store.info.id, clicks=[("bank", "http://bank.com", 2)])
    with pytest.raises(InputError, match="'cars' has no site"):
        score(release, store, on=["keywords"], settings=MeasureSettings(concepts={"cars": ["cars.com"]}))
