import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.ft_a import FTa


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FTa(k=0)", "The 'k' parameter of FTa must be a whole number of at least 1. Got 0."),
        ("FTa(k=2.5)", "The 'k' parameter of FTa must be a whole number of at least 1. Got 2.5."),
        ("FTa(k=True)", "The 'k' parameter of FTa must be a whole number of at least 1. Got True."),
        ("FTa(k=2, artifact='triple')", "The 'artifact' parameter of FTa must be one of 'query', 'click'"),
        ("FTa()", "FTa needs the parameter 'k'"),
        ("FTa(k=2, d=3)", "FTa has no parameter 'd'. It has: k, artifact, representation."),
        ("FTa(2)", "This mechanism cannot be read"),
        ("FTa(k=__import__('os'))", "must be a plain number or text"),
        ("Nothing(k=2)", "There is no mechanism 'Nothing'. There are:"),
        ("FTa(k=2", "This mechanism cannot be read"),
        ("Korolova(epsilon=float('nan'), delta=1e-5, d=20)", "must be a plain number or text"),
        (f"FTa(k={10**400})", "must be a whole number of at least 1 and below 4.6e+18. Got 1000"),
        (f"FTa(k={'9' * 5000})", "This mechanism cannot be read"),
        (f"Korolova(epsilon={10**400}, delta=1e-5, d=20)", "a number above 0 and below 4.6e+18. Got 4.6"),
        ("Korolova(epsilon=-1e999, delta=1e-5, d=20)", "must be a number above 0. Got -inf."),
        (
            "Korolova(epsilon=1e999, delta=1e-5, d=20)",
            "The 'epsilon' parameter of Korolova must be a number above 0",
        ),
    ],
)
def test_bad_spelling_gets_one_clear_sentence(text, message):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_defaults_are_left_out_of_the_spelling():
    assert repr(FTa(k=5)) == "FTa(k=5)"
    assert repr(FTa(k=5, artifact="click")) == "FTa(k=5, artifact='click')"


def test_whole_floats_are_spelled_without_point_and_parse_back():
    mechanism = parse("Korolova(epsilon=2, delta=1e-5, d=20)")
    assert repr(mechanism) == "Korolova(epsilon=2, delta=1e-05, d=20)"
    assert parse(repr(mechanism)) == mechanism == parse("Korolova(epsilon=2.0, delta=0.00001, d=20)")
