import numpy as np
import pytest

from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.k_anonymity import KAnonymity
from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.verify import verify
from tests.artifacts.semantic.logs import CASES, make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("semantic"))


def released(mechanism, log, seed=1):
    return mechanism.protect(log, SeededRandomness(seed)).tables["queries"]


def texts(table):
    return set(table["query"].to_pylist())


@pytest.mark.parametrize("k", [2, 3, 10, 30])
def test_at_theta_one_it_is_plain_k_anonymity_by_users(log, k):
    plain = released(KAnonymity(k=k), log)
    assert released(SemanticKAnonymity(k=k, theta=1), log).equals(plain)
    assert (
        released(parse(f"FTu(k={k})"), log)
        .select(["query", "count"])
        .equals(plain.select(["query", "count"]))
    )


def test_releases_are_nested_in_k_and_theta(log):
    found = {
        (k, t): texts(released(SemanticKAnonymity(k=k, theta=t, min_users=3), log))
        for k in (2, 5)
        for t in (1, 0.9, 0.6)
    }
    assert found[2, 1] < found[2, 0.9] <= found[2, 0.6]
    assert found[5, 0.9] <= found[2, 0.9]


def test_the_worked_example_is_kept_with_degrees_and_secrets_are_not(log):
    table = released(SemanticKAnonymity(k=10, theta=0.9), log)
    assert set(CASES) <= texts(table)
    assert "my very secret street 4711" not in texts(table)
    assert min(table["degree"].to_pylist()) >= 10


@pytest.mark.parametrize("sample", [1, 20, 10_000])
def test_the_approximate_mode_is_anonymous_too_and_never_more(log, sample):
    exact = texts(released(SemanticKAnonymity(k=5, theta=0.9, min_users=3), log))
    approximate = released(
        SemanticKAnonymity(k=5, theta=0.9, min_users=3, sample=sample, vmax=40), log, seed=sample
    )
    assert texts(approximate) <= exact
    assert verify(log, approximate, 5, 0.9, 3).holds


def test_degrees_are_those_of_the_analysis(log):
    table = released(SemanticKAnonymity(k=2, theta=0.8, memory="1KB"), log)
    degrees = Semantics(log).degrees(0.8)
    ids = {text: i for i, text in enumerate(log.query_texts(np.arange(log.info.queries)).to_pylist())}
    assert [int(degrees[ids[text]]) for text in table["query"].to_pylist()] == table["degree"].to_pylist()


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("SemanticKAnonymity(k=1, theta=0.9)", "'k' parameter"),
        ("KAnonymity(k=1)", "'k' parameter"),
        ("SemanticKAnonymity(k=2, theta=0)", "'theta' parameter"),
        ("SemanticKAnonymity(k=2, theta=1.5)", "'theta' parameter"),
        ("SemanticKAnonymity(k=2, theta=0.12345)", "four decimals"),
        ("SemanticKAnonymity(k=2, theta=0.9, memory='much')", "size of memory"),
    ],
)
def test_bad_parameters_are_one_sentence(spelling, said):
    with pytest.raises(InputError, match=said) as caught:
        parse(spelling)
    assert "\n" not in str(caught.value)


def test_the_label_says_what_is_not_promised():
    promise = SemanticKAnonymity(k=2, theta=0.9).promise()
    assert not promise.guarantee.protects
    assert any("Several queries of one person" in line for line in promise.unprotected)
