"""Lists of values stand for one mechanism each."""

import pytest

import crowdlog as cl
from crowdlog.comparison.spellings import spellings
from crowdlog.errors import InputError


def test_every_combination_once():
    found = spellings(
        [
            "DPu(epsilon=[1, 2.5], delta=1e-6, d=[5, 20])",
            "DPu(epsilon=1, delta=1e-6, d=5)",
            "Pseudonyms",
            cl.FTu(k=5),
        ]
    )
    assert found == (
        "DPu(epsilon=1, delta=1e-06, d=5)",
        "DPu(epsilon=1, delta=1e-06, d=20)",
        "DPu(epsilon=2.5, delta=1e-06, d=5)",
        "DPu(epsilon=2.5, delta=1e-06, d=20)",
        "Pseudonyms()",
        "FTu(k=5)",
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "DPu(epsilon=[], delta=1e-6, d=5)",
            r"The list of 'epsilon' is empty in 'DPu\(epsilon=\[\], .*give at least one value",
        ),
        ("DPu(epsilon=[1, -1], delta=1e-6, d=5)", "must be a number above 0. Got -1"),
        ("DPu(epsilon=[[1]], delta=1e-6, d=5)", "The 'epsilon' parameter of DPu"),
        ("DPu(", "cannot be read"),
        ("magic(epsilon=[1])", "no mechanism 'magic'"),
        ("[DPu]", "cannot be read"),
    ],
)
def test_bad_spellings_get_one_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        spellings([text])
