"""What every mechanism must do, whatever it is.

A mechanism is found through the table of mechanisms; give it an example below.
"""

from __future__ import annotations

import dataclasses
import math
import random
import re
from pathlib import Path

import pytest

from crowdlog.artifacts.public_lists import read_pool
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.mechanisms.microaggregation import Microaggregation
from crowdlog.mechanisms.parameters import with_role
from crowdlog.plan.candidates import Pool
from crowdlog.plan.selections import GradedRounds
from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness
from crowdlog.release.contract import CONTRACT, check_tables
from crowdlog.release.folder import Release
from crowdlog.release.guard_rails import as_drawn
from crowdlog.release.publish import open_ledger, publish
from tests.support.logs import crowd_rows, make_log
from tests.support.randomness import FrozenRandomness

SAMPLER = 1e-30  # how far a table of noise is from its law, at most
TREE = str(Path(__file__).parents[1] / "support" / "tree.tsv")
# At least one example of each. The thresholds lie far below the 400 users of the crowd and far above one
# user.
EXAMPLES = {
    "AClick": [
        "AClick(epsilon=4, q_f=2)",
        "AClick(epsilon=4, q_f=2, weight_clicks=0, representation='template')",
        "AClick(epsilon=4, q_f=2, mode='open')",
    ],
    "ASession": [
        "ASession(epsilon=4, delta=1e-9, l_q=2)",
        "ASession(epsilon=4, delta=1e-9, l_s=2, l_q=3, l=2, weight_clicks=0, representation='spelling')",
    ],
    "ClosedDomain": [
        "ClosedDomain(epsilon=4, d=2, pool='ngrams')",
        "ClosedDomain(epsilon=4, d=2, pool='ngrams', keep='random', representation='light')",
    ],
    "Crowd": [
        "Crowd(epsilon=4, delta=1e-9)",
        "Crowd(epsilon=4, delta=1e-9, weight_clicks=0, weight_pairs=0, representation='light')",
    ],
    "FTa": [
        "FTa(k=300)",
        "FTa(k=300, artifact='click')",
        "FTa(k=300, artifact='pair', representation='heavy')",
    ],
    "FTu": ["FTu(k=300)", "FTu(k=300, artifact='undirected-window-pair')"],
    "KA": ["KA(K=300)"],
    "KAnonymity": ["KAnonymity(k=300)"],
    "SemanticKAnonymity": [
        "SemanticKAnonymity(k=300, theta=0.9)",
        "SemanticKAnonymity(k=300, theta=0.5, min_users=5)",
    ],
    "Keys": [
        "Keys(epsilon=4, delta=1e-9)",
        "Keys(epsilon=4, delta=1e-9, selection='weighted', artifact='session-pair')",
        "Keys(epsilon=4, delta=1e-9, selection='policy', artifact='click', representation='light')",
        "Keys(epsilon=4, delta=1e-9, selection='sips', artifact='undirected-window-pair')",
        "Keys(epsilon=4, delta=1e-9, selection='laplace', artifact='pair')",
        "Keys(epsilon=4, delta=1e-9, selection='geometric', items=2)",
        "Keys(epsilon=4, delta=1e-9, selection='greedy')",
        "Keys(epsilon=4, delta=1e-9, selection='mad2r', artifact='click')",
        "Keys(epsilon=4, delta=1e-9, selection='routed')",
        "Keys(epsilon=4, delta=1e-9, selection='routed', route='short', artifact='click')",
        "Keys(epsilon=4, delta=1e-9, selection='routed', route='shared')",
        "Keys(epsilon=4, delta=1e-9, selection='routed', weight_counts=0)",
        "Keys(epsilon=4, delta=1e-9, artifact='click', weight_counts=0)",
    ],
    "Korolova": [
        "Korolova(epsilon=4, delta=1e-9, d=2)",
        "Korolova(epsilon=4, delta=1e-9, d=2, weight_suggestions=2)",
        "Korolova(epsilon=4, delta=1e-9, d=2, representation='light')",
    ],
    "Ladder": [
        "Ladder(epsilon=4, delta=1e-9, people=401, least_rows=0)",
        "Ladder(epsilon=4, delta=1e-9, least_rows=0, representation='light')",
    ],
    "DPa": [
        "DPa(epsilon=4, delta=1e-9, d=2)",
        "DPa(epsilon=4, delta=1e-9, d=2, artifact='click', keep='random')",
    ],
    "DPu": ["DPu(epsilon=4, delta=1e-9, d=2)", "DPu(epsilon=4, delta=1e-9, d=2, artifact='session-pair')"],
    "Zealous": [
        "Zealous(epsilon=4, delta=1e-9, d=2)",
        "Zealous(epsilon=4, delta=1e-9, d=2, keep='random')",
        "Zealous(epsilon=4, delta=1e-9, d=2, setting='probabilistic', users=1000)",
    ],
    "Mdav": ["Mdav(k=4)", "Mdav(k=4, distance='equality', swaps=1)", "Mdav(k=4, distance='random')"],
    "Nebula": [
        "Nebula(epsilon=4, delta=1e-9, p=0.55, d=2, k=100)",
        "Nebula(epsilon=4, delta=1e-9, p=0.55, d=1, keep='random', artifact='click')",
    ],
    "OdpClusters": [
        f"OdpClusters(k=4, tree='{TREE}')",
        f"OdpClusters(k=4, tree='{TREE}', categories=5, levels=2)",
    ],
    "Poblete": ["Poblete()"],
    "SemanticMdav": [f"SemanticMdav(k=4, tree='{TREE}')", f"SemanticMdav(k=4, tree='{TREE}', exact=100)"],
    "HashedTokens": ["HashedTokens()"],
    "Pseudonyms": ["Pseudonyms()"],
    "SplitSessions": ["SplitSessions()", "SplitSessions(session_minutes=5)"],
}
SPELLINGS = [spelling for spellings in EXAMPLES.values() for spelling in spellings]
PROTECTING = [spelling for spelling in SPELLINGS if parse(spelling).promise().guarantee.protects]
# unsafe mechanisms show what one person alone has
NOT_UNSAFE = [spelling for spelling in SPELLINGS if not parse(spelling).unsafe]
QUERIES = ["weather boston", "used cars"]


def test_every_mechanism_has_an_example():
    assert set(EXAMPLES) == set(MECHANISMS)


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """400 people ask the same two queries; one of them has a secret of her own."""
    rows = [*crowd_rows(400, QUERIES), ("u7", "canary secret 4711", 5000, "http://canary.example")]
    return make_log(tmp_path_factory.mktemp("crowd"), rows)


def charges(log):
    with open_ledger(log) as ledger:
        return ledger.entries()


def counts_by_key(name, table):
    return {
        str([row[column] for column in CONTRACT[name] if column != "count"]): row["count"]
        for row in table.to_pylist()
    }


def lists_everything(mechanism):
    """Whether every entry of a public list is shown, whatever anybody did."""
    return bool(mechanism.plan) and all(
        isinstance(plan.candidates, Pool) and plan.selection is None for plan in mechanism.plan
    )


def assert_the_list_alone(mechanism, protected):
    (plan,) = mechanism.plan
    public = read_pool(plan.candidates.file, mechanism.representation).to_pylist()
    assert sorted(protected.tables["queries"]["query"].to_pylist()) == sorted(public)


def contents(protected):
    return {name: table.to_pylist() for name, table in protected.tables.items()}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spelling_parses_back(spelling):
    mechanism = parse(spelling)
    assert parse(repr(mechanism)) == mechanism


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_parameter_has_help_and_the_class_says_what_it_is(name):
    kind = find(name)
    assert all(field.metadata["help"] for field in dataclasses.fields(kind))
    assert kind.title
    assert kind.source
    assert kind.__doc__


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_promise_is_the_sum_of_its_steps_and_no_more_than_asked_for(spelling):
    mechanism = parse(spelling)
    promise = mechanism.promise()
    assert promise == mechanism.promise()
    assert promise.steps
    if promise.guarantee.protects:
        # Some accounting is better than the sum, none is worse.
        assert promise.guarantee.epsilon <= math.fsum(step.epsilon for step in promise.steps) * (1 + 1e-12)
        assert promise.guarantee.delta <= math.fsum(step.delta for step in promise.steps) * (1 + 1e-12)
        (epsilon,) = with_role(mechanism, "epsilon").values()
        # without a δ of its own, no more than the distance of the sampler
        (delta,) = with_role(mechanism, "delta").values() or (SAMPLER,)
        assert promise.guarantee.epsilon <= epsilon
        assert promise.guarantee.delta <= delta


@pytest.mark.parametrize("spelling", PROTECTING)
def test_every_bound_is_a_step_with_its_numbers(spelling):
    """Whoever reads a label or an explanation, which print all steps, learns how much of a person counts."""
    promise = parse(spelling).promise()
    for plan in promise.tables:
        told = [step.what for step in promise.steps if plan.name in bounded_in(step.name)]
        assert told
        numbers = {"keys": plan.bound.keys} if plan.names_only else vars(plan.bound)
        for name, value in numbers.items():
            assert name == "cells" or re.search(rf"\b{value}\b", " ".join(told))


def bounded_in(step):
    """The tables whose bound this step tells."""
    kind, _space, tables = step.replace("Divide and count", "Bound", 1).partition(" ")
    return tables.split(", ") if kind == "Bound" else []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_tables_keep_their_contract_and_show_the_crowd(spelling, crowd):
    protected = parse(spelling).protect(crowd, FrozenRandomness())
    check_tables(protected.tables)
    assert set(protected.tables) <= set(CONTRACT)
    assert any(table.num_rows for table in protected.tables.values())


@pytest.mark.parametrize("spelling", NOT_UNSAFE)
def test_what_one_person_alone_has_is_not_shown(spelling, crowd):
    protected = parse(spelling).protect(crowd, SeededRandomness(3))
    assert "canary secret" not in str(contents(protected))
    assert "canary.example" not in str(contents(protected))
    if lists_everything(parse(spelling)):
        assert_the_list_alone(parse(spelling), protected)


@pytest.mark.parametrize("spelling", NOT_UNSAFE)
def test_a_log_of_one_user_gives_nothing(spelling, tmp_path):
    """Rows that noise invents from public words are nobody's: hers say what they are."""
    log = make_log(tmp_path, [("only", f"query{i}", 100 * i, f"http://query{i}.example") for i in range(50)])
    mechanism = parse(spelling)
    if isinstance(mechanism, Microaggregation):
        with pytest.raises(InputError, match="The log has 1 users, and a cluster needs k"):
            mechanism.protect(log, SeededRandomness(4))
        return
    protected = mechanism.protect(log, SeededRandomness(4))
    if lists_everything(mechanism):
        assert_the_list_alone(mechanism, protected)
        return
    texts = [row for rows in contents(protected).values() for row in rows]
    if any(isinstance(plan.selection, GradedRounds) for plan in mechanism.plan):
        texts = [row for row in texts if "query" in str(list(row.values()))]
    assert texts == []


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_neither_names_of_users_nor_order_of_rows_matter(spelling, tmp_path):
    rows = crowd_rows(400, QUERIES)
    names = {f"u{i}": f"v{(i * 37) % 400}" for i in range(400)}
    renamed = [(names[user], query, second, url) for user, query, second, url in rows]
    random.Random(5).shuffle(renamed)
    mechanism = parse(spelling)
    one = mechanism.protect(make_log(tmp_path, rows, "one"), FrozenRandomness())
    two = mechanism.protect(make_log(tmp_path, renamed, "two"), FrozenRandomness())
    assert contents(one) == contents(two)


@pytest.mark.parametrize("spelling", PROTECTING)
def test_one_heavy_user_moves_published_counts_by_no_more_than_her_bound(spelling, tmp_path):
    """Replay with frozen noise: 1,000 repeats move each table by no more than its plan says."""
    rows = crowd_rows(400, QUERIES)
    heavy = [
        ("heavy", QUERIES[i % 2], 30 * i, f"http://{QUERIES[i % 2].replace(' ', '')}.example")
        for i in range(1000)
    ]
    mechanism = parse(spelling)
    without = mechanism.protect(make_log(tmp_path, rows, "without"), FrozenRandomness())
    with_her = mechanism.protect(make_log(tmp_path, rows + heavy, "with"), FrozenRandomness())
    assert [plan.name for plan in mechanism.plan] == list(without.tables) == list(with_her.tables)
    for plan in mechanism.plan:
        before, after = (counts_by_key(plan.name, each.tables[plan.name]) for each in (without, with_her))
        moved = [abs(after.get(key, 0) - before.get(key, 0)) for key in before | after]
        assert math.isfinite(plan.reach.each)
        assert sum(moved) <= plan.reach.total
        assert sum(change**2 for change in moved) <= plan.reach.squares
        assert max(moved, default=0) <= plan.reach.each


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_ledger_is_charged_with_the_promise_and_the_label_is_complete(spelling, tmp_path):
    log, mechanism = make_log(tmp_path, crowd_rows(50, QUERIES)), parse(spelling)
    promise = mechanism.promise()
    release = publish(mechanism, log, tmp_path / "out", i_know=True)
    (entry,) = charges(log)
    assert (entry.mechanism, entry.state) == (repr(mechanism), "published")
    assert entry.guarantee == promise.guarantee
    label = release.label
    assert label.noise_from_system
    assert label.promise == as_drawn(promise, SystemRandomness(), None)
    assert label.promise.proof
    assert [parse(spelling) for spelling in label.mechanisms] == [mechanism]
    assert Release.open(release.path).label == label
    stored = (release.path / "label.json").read_text(encoding="utf-8")
    assert "Infinity" not in stored
    assert "NaN" not in stored
    assert log.info.content_hash not in stored


def test_a_seeded_release_says_it_is_not_private(tmp_path):
    log = make_log(tmp_path, crowd_rows(50, QUERIES))
    release = publish(
        parse("DPu(epsilon=1, delta=1e-9, d=2)"),
        log,
        tmp_path / "out",
        i_know=True,
        randomness=SeededRandomness(1),
    )
    assert release.label.noise_from_system is False
    assert release.label.warnings[0].startswith("NOT PRIVATE")


@pytest.mark.parametrize("spelling", ["FTa(k=2)", "DPu(epsilon=1, delta=0.5, d=2)"])
def test_what_is_not_private_is_refused_and_not_charged(spelling, tmp_path):
    log = make_log(tmp_path, crowd_rows(50, QUERIES))
    with pytest.raises(PrivacyRefusal, match="--i-know"):
        publish(parse(spelling), log, tmp_path / "out")
    assert charges(log) == []
    assert not (tmp_path / "out").exists()


def test_an_existing_folder_is_never_overwritten(tmp_path):
    log = make_log(tmp_path, crowd_rows(50, QUERIES))
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="exists already"):
        publish(parse("DPu(epsilon=1, delta=1e-9, d=2)"), log, tmp_path / "out")
    assert charges(log) == []
