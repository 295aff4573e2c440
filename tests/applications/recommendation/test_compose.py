"""Queries composed of a crowd's words."""

import numpy as np
import pytest

from crowdlog.applications.recommendation.compose import LESS, MORE, OTHER, Composer, typed_otherwise
from crowdlog.applications.recommendation.crowd_words import CrowdWords, words_of_queries
from crowdlog.applications.recommendation.graph import QueryGraph, graph_of_pairs, load_graph
from crowdlog.applications.recommendation.merge import RecommendationServer
from crowdlog.applications.recommendation.spelling import Speller

WORDS = CrowdWords({"cheap": 100.0, "flights": 80.0, "rome": 50.0}, {("cheap", "flights"): 60.0})


def test_one_word_more_another_and_one_less_by_hand():
    """One pair: 'flights' is the only word that stands behind any, and nothing stands behind it."""
    found = dict(Composer(WORDS).query("old cheap", 10))
    covered = (60 / 230) ** 0.5  # pairs for each word; after 'flights' a query ends surely
    parts = {"old": LESS, "old cheap flights": MORE * covered, "old flights": OTHER * covered}
    ratio = {text: score / parts[text] for text, score in found.items() if text in parts}
    assert set(ratio) == set(parts)
    assert list(ratio.values()) == pytest.approx([ratio["old"]] * 3, rel=0.01)
    assert sum(found.values()) == pytest.approx(1)
    assert "old cheap" not in found


def test_a_known_word_is_followed_as_the_crowd_does():
    words = CrowdWords(
        {"new": 100.0, "york": 90.0, "car": 50.0, "free": 90.0},
        {("new", "york"): 90.0, ("car", "free"): 50.0, ("york", "free"): 20.0},
    )
    composer = Composer(words)
    after = dict(composer.next_words("new"))
    assert after["york"] > after["free"] > 0
    assert sum(after.values()) == pytest.approx(1)
    assert composer.next_words("unheard") == [(word, words.behind[word]) for word in after]
    first = composer.query("hotels new", 1)[0][0]
    assert first == "hotels new york"


def test_without_any_pair_only_what_needs_none():
    assert dict(Composer(CrowdWords({}, {})).query("red car", 10)).keys() == {"red", "redcar"}
    assert Composer(CrowdWords({}, {})).query("", 10) == []


def test_sites_are_typed_in_other_ways():
    ways = [way for way, _share in typed_otherwise("www.ebay.com")]
    assert ways == ["ebay", "ebay.com", "http://www.ebay.com", "ebay .com", "www.ebay"]
    assert "name.org" in dict(typed_otherwise("http://name.org"))
    assert typed_otherwise("www.") == []
    assert Composer(WORDS).query("ebay", 1)[0][0] in {"ebay.com", "ebay flights"}


def test_spelling_goes_to_a_much_more_frequent_neighbour():
    speller = Speller({"addicting": 500.0, "addictive": 3.0, "pictures": 40.0, "picture": 30.0})
    for typed in ("addictinng", "addictng", "addicfing", "addictign", "adddicting"):
        assert speller.suggest(typed)[0][0] == "addicting"
    assert speller.suggest("picture") == []  # not five times as frequent
    assert speller.suggest("addicting") == []
    assert speller.suggest("ab") == []


def test_words_of_queries_count_each_once():
    words = words_of_queries(["new york new york", "new car"], [2.0, 1.0])
    assert words.words == {"new": 3.0, "york": 2.0, "car": 1.0}
    assert words.pairs == {("new", "york"): 2.0, ("york", "new"): 2.0, ("new", "car"): 1.0}


def test_a_graph_keeps_its_words_and_a_release_is_composed_of(tmp_path):
    plain = graph_of_pairs(["red car"], ["car wash"], np.ones(1), {})
    named = QueryGraph(plain.queries, plain.count, plain.flow, WORDS)
    named.save(tmp_path / "g.npz")
    again = load_graph(tmp_path / "g.npz")
    assert again.named is not None
    assert (again.words.words, again.words.pairs) == (WORDS.words, WORDS.pairs)
    assert dict(RecommendationServer(again).answer("weird cheap"))["weird cheap flights"] > 0
    plain.save(tmp_path / "p.npz")
    assert load_graph(tmp_path / "p.npz").named is None
    assert RecommendationServer(plain).answer("weird cheap") == []
    assert dict(RecommendationServer(again, "both").answer("red")).keys() == {"red car", "car wash"}
