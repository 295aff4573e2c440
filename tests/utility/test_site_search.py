"""Sites for a query: addresses are taken by their sites, releases of sites as they are."""

import pyarrow as pa
import pytest

from crowdlog.measure.released import read_tables
from crowdlog.measure.tables import Tables, tables_of
from crowdlog.measure.vocabulary import TextIds, Vocabulary
from crowdlog.utility.context import Fold, MeasureSettings
from crowdlog.utility.paired_scores import scored
from crowdlog.utility.site_search import measure
from tests.support.small_logs import clicks_log

URLS = ["http://www.a.com/x", "http://a.com/y", "https://b.org/z"]


def fold(learnt, tested, urls):
    return Fold(tables_of(clicks_log(learnt)), clicks_log(tested), (2, len(URLS)), urls)


def score_of(released, split):
    return scored("sites:RW", measure(released, split, MeasureSettings())["sites:RW"], "nDCG@10", 0)


def test_another_address_of_the_same_site_is_right():
    split = fold([(0, 0, 1)], [(0, 1, 1)], TextIds(pa.array(URLS)))
    assert score_of(split.original, split).value == 1
    other = fold([(0, 0, 1)], [(0, 2, 1)], TextIds(pa.array(URLS)))
    assert score_of(other.original, other).value == 0


def test_a_release_of_sites_and_no_addresses_is_tried():
    words = Vocabulary(pa.array(["q0", "q1"]), pa.array(URLS))
    table = pa.table({"query": ["q0", "q0"], "site": ["b.org", "a.com"], "count": [9, 2]})
    released = read_tables({"query_sites": table}, words, 26)
    split = fold([(0, 0, 1), (1, 2, 1)], [(0, 2, 1), (1, 2, 1)], words.urls)
    found = score_of(released, split)
    assert found.value == 1  # b.org is first
    assert (found.details["answered"], found.details["asked"]) == (1, 2)  # q1 is not in the release
    assert found.details["original_unanswered_as_zero"] == pytest.approx(0.5)


def test_no_clicks_no_score():
    nothing = Tables(None, None, None, None)
    assert measure(nothing, fold([(0, 0, 1)], [(0, 0, 1)], TextIds(pa.array(URLS))), MeasureSettings()) == {}
