from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.linkage import link_chances
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from tests.support.logs import make_log

# Ann and Eve share a query; Bob and Cyd ask the same.
ROWS = [
    ("ann", "red shoes", 0, None),
    ("ann", "weather", 60, None),
    ("bob", "weather", 0, None),
    ("cyd", "weather", 10, None),
    ("eve", "red shoes", 20, None),
    ("eve", "blue shoes", 90, None),
]


def test_by_hand():
    own = csr_array(np.array([[2, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 1]]))
    shown = csr_array(np.array([[2, 0, 0], [1, 1, 0], [0, 0, 3], [0, 0, 0]]))
    # 2 in common with the first alone; 2 with the first two; 1 with the last two; nothing with anybody: 1 in
    # 4
    assert link_chances(own, shown, np.array([0, 1, 2, 3])).tolist() == [1, 0.5, 0.5, 0.25]
    assert link_chances(own, shown, np.array([1, 2, 0, 0])).tolist() == [0, 0, 0, 0.25]


bag = st.lists(st.integers(0, 3), min_size=4, max_size=4)


@given(
    st.lists(bag, min_size=1, max_size=5),
    st.lists(st.tuples(bag, st.integers(0, 4)), min_size=1, max_size=5),
    st.integers(1, 40),
)
def test_equals_the_definition(people, records, cells):
    """For each record: the people with most queries in common, repetition counted; 1 over their number if its
    owner is one of them.
    """
    owner = [place % len(people) for _shown, place in records]
    expected = []
    for (shown, _place), mine in zip(records, owner, strict=True):
        common = [sum(min(a, b) for a, b in zip(shown, person, strict=True)) for person in people]
        best = [who for who, number in enumerate(common) if number == max(common)]
        expected.append(1 / len(best) if mine in best else 0)
    with mock.patch("crowdlog.attacks.linkage.CELLS", cells):  # in blocks of whatever size
        found = link_chances(
            csr_array(np.array(people)),
            csr_array(np.array([shown for shown, _place in records])),
            np.array(owner),
        )
    assert found.tolist() == expected


def linkage(folder, mechanism="Pseudonyms()", **options):
    log = make_log(folder, ROWS)
    release = parse(mechanism).release(log, folder / "out", i_know=True)
    return attack(release, log, ["linkage"], attacker=Attacker(**options))[0]


def test_pseudonyms_by_hand(tmp_path):
    """Ann and Eve are found; Bob's one query is also Ann's and Cyd's, so each of the two is found 1 time in
    3.
    """
    result = linkage(tmp_path)
    assert result.success == pytest.approx((1 + 1 + 1 / 3 + 1 / 3) / 4)
    assert result.chance == 0.25


def test_a_table_of_counts_is_one_record_for_all(tmp_path):
    result = linkage(tmp_path, "FTa(k=1)")
    assert (result.success, result.chance, result.broken) == (0.25, 0.25, False)


def test_categories_by_hand(tmp_path):
    mapping = tmp_path / "mapping.tsv"
    mapping.write_text("red shoes\tshopping\nblue shoes\tshopping\nweather\tnews\n")
    result = linkage(tmp_path, mapping=mapping)
    # Ann: shopping and news, alone. Eve: shopping twice, alone. Bob, Cyd: news, as Ann.
    assert result.success == pytest.approx((1 + 1 + 1 / 3 + 1 / 3) / 4)
    assert result.details["categories"] == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "red shoes\tshopping\nmy secret\tother\n",
            r"1 of the 2 queries in the mapping .* are not in the log .*: make it for this log\.",
        ),
        ("red shoes\n", r"The mapping .* cannot be used: line 1 is not a query, a tab and a category\."),
        ("", r"The mapping .* is empty\."),
    ],
)
def test_a_bad_mapping_gets_one_sentence_without_its_text(tmp_path, text, said):
    mapping = tmp_path / "mapping.tsv"
    mapping.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        linkage(tmp_path, mapping=mapping)
    assert "secret" not in str(caught.value)
