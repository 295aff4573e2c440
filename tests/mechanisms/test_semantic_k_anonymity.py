import numpy as np
import pytest

from crowdlog.artifacts.semantic.proper_nouns import person_names
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.k_anonymity import KAnonymity
from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.verify import verify
from tests.artifacts.semantic.logs import CASES, make_log
from tests.support.semantic_miner import Miner


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


PAPER = {"word_users": 2, "names": "allow"}


def test_the_worked_example_is_kept_with_degrees_and_secrets_are_not(log):
    table = released(SemanticKAnonymity(k=10, theta=0.9, **PAPER), log)
    assert set(CASES) <= texts(table)
    assert "my very secret street 4711" not in texts(table)
    assert min(table["degree"].to_pylist()) >= 10


@pytest.mark.parametrize("sample", [1, 20, 10_000])
def test_the_approximate_mode_is_anonymous_too_and_never_more(log, sample):
    exact = texts(released(SemanticKAnonymity(k=5, theta=0.9, min_users=3), log))
    mechanism = SemanticKAnonymity(k=5, theta=0.9, min_users=3, sample=sample, vmax=40)
    approximate = released(mechanism, log, seed=sample)
    assert texts(approximate) <= exact
    assert verify(log, approximate, 5, 0.9, 3, mechanism.rule).holds


def test_degrees_are_those_of_the_analysis(log):
    table = released(SemanticKAnonymity(k=2, theta=0.8, memory="1KB", **PAPER), log)
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
        ("SemanticKAnonymity(k=5, theta=0.9, word_users=6)", "at most k = 5"),
        ("SemanticKAnonymity(k=5, theta=0.9, word_users=1)", "'word_users' parameter"),
        ("SemanticKAnonymity(k=5, theta=0.9, names='no')", "'names' parameter"),
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


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A synthetic log of 10,000 people, and who typed what in it."""
    folder = tmp_path_factory.mktemp("crowd")
    synthesize(folder / "log.tsv", users=10_000, seed=7)
    log = import_log(folder / "log.tsv", folder / "store")
    return log, typed(log)


def typed(log):
    """(user, query), as the store has them."""
    import pyarrow.parquet as pq

    events = pq.read_table(log.events(), columns=["user", "query"]).group_by(["user", "query"]).aggregate([])
    queries = log.query_texts(np.arange(log.info.queries)).to_pylist()
    return [
        (u, queries[q]) for u, q in zip(events["user"].to_pylist(), events["query"].to_pylist(), strict=True)
    ]


def people_of_words(rows):
    people = {}
    for user, query in rows:
        for word in query.split():
            people.setdefault(word, set()).add(user)
    return people


@pytest.mark.slow
def test_no_published_text_holds_a_word_that_fewer_than_k_people_typed(crowd):
    """By the paper's rule a third of the published texts do: that is the price, and it is on the label."""
    log, rows = crowd
    people, k = people_of_words(rows), 10

    def rare(queries):
        return {query for query in queries if min(len(people[word]) for word in query.split()) < k}

    mechanism = SemanticKAnonymity(k=k, theta=0.9)
    protected = mechanism.protect(log, SeededRandomness(1))
    ours = texts(protected.tables["queries"])
    paper = texts(released(SemanticKAnonymity(k=k, theta=0.9, **PAPER), log))
    plain = texts(released(KAnonymity(k=k), log))
    assert rare(ours) == set()
    assert plain < ours < paper
    assert not {q for q in ours - plain for word in q.split() if word in person_names()}
    assert list(protected.notes.values()) == [0, len(rare(paper))]
    assert len(rare(paper)) > 0.2 * len(paper)
    assert len(ours) > 4 * len(plain)  # what is left is still worth it
    assert verify(log, protected.tables["queries"], k, 0.9, rule=mechanism.rule).holds


@pytest.mark.parametrize(
    "spelling",
    [
        "SemanticKAnonymity(k=3, theta=0.9, min_users=3)",
        "SemanticKAnonymity(k=4, theta=0.6, min_users=4, names='allow')",
        "SemanticKAnonymity(k=4, theta=0.7, min_users=3, word_users=2)",
        "SemanticKAnonymity(k=2, theta=0.8, min_users=5, names='allow')",
    ],
)
def test_an_independent_miner_finds_the_same_degrees(tmp_path, spelling):
    synthesize(tmp_path / "log.tsv", users=400, seed=5)
    log = import_log(tmp_path / "log.tsv", tmp_path / "store")
    mechanism = parse(spelling)
    table = released(mechanism, log)
    miner = Miner(typed(log), mechanism.min_users, mechanism.rule.users, mechanism.names)
    degrees = miner.degrees(mechanism.theta)
    expected = {query: degree for query, degree in degrees.items() if degree >= mechanism.k}
    assert dict(zip(table["query"].to_pylist(), table["degree"].to_pylist(), strict=True)) == expected
    assert len(expected) > 5


def test_a_small_log_and_another_language_are_warned_of(log, tmp_path):
    """Ten users of a thousand are not ten of 650,000: few words are concepts, and much counts as alike."""
    mechanism = SemanticKAnonymity(k=10, theta=0.9, min_users=3)
    label = mechanism.release(log, tmp_path / "out", i_know=True).label
    assert any("fewer than 3,000 users" in warning for warning in label.warnings)
    assert any("another language" in line for line in label.promise.assumptions)
    assert mechanism.doubts(3_000) == SemanticKAnonymity(k=10, theta=1).doubts(10) == ()
    public = mechanism.release(log, tmp_path / "public", i_know=True, users=3_000).label
    assert not any("fewer than" in warning for warning in public.warnings)


def test_a_name_rides_on_no_concept_unless_allowed(tmp_path):
    rows = [(f"u{i}", "cheap flights") for i in range(12)] + [(f"n{i}", "smith") for i in range(12)]
    log = make_log(tmp_path, [*rows, ("u3", "cheap flights smith")])
    allowed = SemanticKAnonymity(k=10, theta=0.9, names="allow")
    assert "cheap flights smith" in texts(released(allowed, log))
    assert "cheap flights smith" not in texts(released(SemanticKAnonymity(k=10, theta=0.9), log))
    assert "smith" in texts(released(SemanticKAnonymity(k=10, theta=0.9), log))
    assert any("Names of persons are published" in line for line in allowed.promise().unprotected)
