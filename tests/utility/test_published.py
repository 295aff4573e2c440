"""Releases in another representation are compared with the log written in the same way."""

import pytest

from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.release.label import Label
from crowdlog.utility.published import Published
from crowdlog.utility.registry import score

WRITTEN = [
    "www.cars.com",
    "cars",
    "the weather forecast",
    "weather forcast",
    "bars in boston",
    "bars in new york ny",
]

TOPICS = "ASession(epsilon=1, delta=1e-5, features='topics.tsv')"


@pytest.fixture
def store(make_store):
    rows = [
        (str(user), 100 * i + user, query, 1, f"http://{i // 2}.com")
        for user in range(12)
        for i, query in enumerate(WRITTEN)
    ]
    return make_store(rows)


def _label(spelling):
    return Label((spelling,), parse(spelling).promise(), {}, "a store")


def test_the_label_tells_how_queries_are_written():
    kind = "undirected-session-pair"
    pairs = _label(f"Zealous(epsilon=1, delta=1e-5, d=2, artifact='{kind}', representation='heavy')")
    assert Published.of(pairs) == Published(counts_users=True, pair_kind=kind, representation="heavy")
    assert Published.of(_label(TOPICS)) == Published(topics=True)
    assert Published.of(_label("Pseudonyms()")) == Published()
    assert Published.of(_label("FTu(k=2)")) == Published()


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("artifact", ["query", "click", "pair"])
def test_a_full_release_covers_everything_in_any_representation(store, tmp_path, artifact, representation):
    release = parse(f"FTu(k=1, artifact='{artifact}', representation='{representation}')").release(
        store, tmp_path / "out", i_know=True
    )
    found = {entry.name.split(":")[2]: entry for entry in score(release, store, on=["coverage"])}
    assert found["distinct"].value == found["impressions"].value == 1.0
    assert (
        found["spurious_rate"].value
        == found["median_relative_error"].value
        == found["drop_rate"].value
        == 0.0
    )
    assert found["distinct"].details.get("representation", "original") == representation
    assert ("compared" in found["distinct"].details) == (representation != "original")


def test_coverage_counts_the_queries_as_the_release_writes_them(store, make_release):
    release = make_release(
        store.info.id,
        mechanism="FTu(k=2, representation='template')",
        queries=[("bars in ⟨city⟩", 24), ("cars", 24)],
    )
    found = {entry.name: entry for entry in score(release, store, on=["coverage"])}
    # cars, the weather forecast, weather forecast, bars in ⟨city⟩
    assert found["coverage:queries:distinct"].evaluated == 4
    assert found["coverage:queries:distinct"].value == 0.5
    assert found["coverage:queries:impressions"].value == pytest.approx(4 / 6)
    assert found["coverage:queries:median_relative_error"].value == 0.0


def test_people_tested_on_are_written_so_too(store, make_release, make_store):
    test = make_store(
        [("1", 0, "weather forcast", 1, "http://1.com"), ("2", 0, "new words", 1, "http://9.com")],
        name="test",
    )
    clicks = [("weather forecast", "http://1.com", 12)]
    spelling = "FTu(k=1, artifact='click', representation='spelling')"
    release = make_release(store.info.id, mechanism=spelling, clicks=clicks)
    found = score(release, store, on=["adhoc:RW:nDCG@10"], test=test)[0]
    assert (found.value, found.evaluated, found.details["asked"]) == (1.0, 1, 2)
    plain = make_release(store.info.id, name="plain", clicks=clicks)
    assert score(plain, store, on=["adhoc:RW:nDCG@10"], test=test)[0].evaluated == 0


def test_sorted_words_have_no_completions(store, make_release):
    release = make_release(store.info.id, mechanism="FTu(k=1, representation='heavy')", queries=[("car", 24)])
    with pytest.raises(InputError, match="sorts the words"):
        score(release, store, on=["patterns"])
    assert {entry.name.split(":")[0] for entry in score(release, store)} == {"coverage"}


def test_sequences_of_topics_are_left_out(store, make_release):
    tables = {"sessions": [(["cars", "weather"], 5)], "clicks": [("cars", "http://0.com", 12)]}
    release = make_release(store.info.id, mechanism=TOPICS, **tables)
    found = score(release, store, on=["coverage"])
    assert {entry.name.split(":")[1] for entry in found} == {"clicks"}
    assert "topics" in found[0].details["left_out"]
