"""Which tasks a release supports, beside the log itself on the same held-out people."""

import pytest

import crowdlog as cl
from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.comparison.summary_table import answers
from crowdlog.comparison.support import Support, people_needed
from tests.support.logs import make_log

SITES = {f"query {i}": f"http://site{i}.com" for i in range(8)}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Eight queries that everybody searches for with one right site, and one of each person's own, with a
    click that only the release which holds her rows can know.
    """
    rows = [
        (f"u{i}", query, 1000 * j, SITES[query])
        for i in range(60)
        for j, query in enumerate(list(SITES)[: 1 + i % 8])
    ]
    rows += [(f"u{i}", f"own {i}", 50_000, f"http://own{i}.com") for i in range(60)]
    log = make_log(tmp_path_factory.mktemp("support"), rows)
    mechanisms = ["Pseudonyms()", "KA(K=2)", "KA(K=40)"]
    return cl.compare(log, mechanisms, utility=["coverage", "adhoc"], attacks=[], seeds=1)


def test_a_release_of_rows_is_no_better_than_the_log_itself(found):
    """Tested on its own people it would answer everything."""
    rows = found.supports["Pseudonyms()"]["adhoc"]
    (own,) = [
        point["value"]
        for point in found.points
        if (point["mechanism"], point["name"]) == (LOG_ITSELF.mechanism, "adhoc:RW:nDCG@10")
    ]
    assert rows.score == pytest.approx(own)
    assert rows.share == pytest.approx(1.0)
    assert 0 < rows.answered < 1, "nobody else can answer what one person alone asks"
    assert rows.verdict == "yes"


def test_few_clicks_support_little_and_more_people_would_help(found):
    frequent, rare = found.supports["KA(K=2)"]["adhoc"], found.supports["KA(K=40)"]["adhoc"]
    assert frequent.share == pytest.approx(1.0)
    assert rare.share < 0.8
    assert rare.on_answered == pytest.approx(rare.own_on_answered)
    assert rare.people > found.people == 60


def test_each_task_is_answered_in_a_sentence(found):
    """What promises nothing is not told as if it promised something."""
    assert answers(found) == [
        "Ad-hoc search: supported by KA(K=2) (k-anonymity of queries, k = 3); partly by KA(K=40) "
        "(k-anonymity of queries, k = 41); without a promise by Pseudonyms()."
    ]


def test_people_needed_follow_from_the_curve():
    own = {
        "people": 800,
        "without_rare": [
            {"occurrences": 1, "score": 0.5},
            {"occurrences": 5, "score": 0.41},
            {"occurrences": 10, "score": 0.39},
        ],
    }
    assert people_needed(own, 40.0) == 40 * 800 / 5
    nothing = {"people": 800, "without_rare": [{"occurrences": 1, "score": 0.0}]}
    assert people_needed(nothing, 40.0) is None


@pytest.mark.parametrize(("score", "verdict"), [(0.4, "yes"), (0.39, "partly"), (0.19, "no"), (0.0, "no")])
def test_verdicts(score, verdict):
    assert Support(score, 0.5, 0.1, 0.3, 0.3, None).verdict == verdict


def test_a_log_without_any_right_answer_judges_nobody():
    assert Support(0.0, 0.0, 0.0, None, None, None).share is None
