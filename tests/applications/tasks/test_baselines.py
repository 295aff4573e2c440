"""Ways without learning, by hand: Lucchese's two clusterings of a session by letters alone, η = .2."""

import pytest

from crowdlog.applications.tasks.baselines import BASELINES
from tests.applications.tasks.hand_made import block_of


def tasks(name, *texts):
    searches = [{"query": text, "time": 60 * at} for at, text in enumerate(texts)]
    return BASELINES[name](block_of(searches)).tolist()


@pytest.mark.parametrize("name", ["qc-wcc", "qc-htc"])
def test_letters_alone_join_at_a_fifth(name):
    # trigrams 1 of 5, edit 1 − 3/6: .35 in the mean; no stem in common
    assert tasks(name, "abcd", "abcxyz") == [0, 0]
    # no trigram in common, edit 1 − 6/8: .125 in the mean
    assert tasks(name, "abefxxyy", "abcdefgh") == [0, 1]


def test_connected_components_join_through_a_chain_and_heads_and_tails_do_not():
    chain = ["apple pie", "apple pie recipe", "recipe box"]
    assert tasks("qc-wcc", *chain) == [0, 0, 0]
    apart = ["apple pie", "knitting", "apple pie recipe", "recipe box"]
    # apple pie recipe and recipe box are one run; its tail is unlike apple pie
    assert tasks("qc-wcc", *apart) == [0, 1, 0, 0]
    assert tasks("qc-htc", *apart) == [0, 1, 2, 2]
