"""A log as a source of counts: keys in, texts out. Texts that only a public list has get negative keys."""

from __future__ import annotations

import numpy as np
import pytest

from crowdlog.artifacts.kinds import Artifact, Sequences
from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.artifacts.public_lists import read_pool
from crowdlog.engine import bound
from crowdlog.engine.log_source import NOWHERE, bounded_by, numbered, open_log
from crowdlog.plan.bounds import (
    FirstKeys,
    FirstOccurrences,
    RandomKeys,
    RandomOccurrences,
    SessionCut,
    SquaredBudget,
    Unbounded,
)
from crowdlog.plan.candidates import Favours, OfShown, Pool, PublicResults
from crowdlog.plan.decide import Kept
from crowdlog.plan.selections import AtLeast, NoisyThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log

# ann asks dogs twice and clicks both times, and cats; bob asks dogs, and one that no list has.
ROWS = [
    ("ann", "www.dogs.com", 0, "http://dogs.example"),
    ("ann", "cats", 60, None),
    ("ann", "www.dogs.com", 120, "http://dogs.example"),
    ("bob", "www.dogs.com", 0, "http://other.example"),
    ("bob", "a private name", 60, "http://dogs.example"),
]
POOL = ["ants", "cats", "www.dogs.com", "zebras"]


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, ROWS)


@pytest.fixture
def pool(tmp_path):
    return write(tmp_path, "pool.txt", *POOL)


def write(folder, name, *lines):
    (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(folder / name)


def plan(kind="query", *, counts="impressions", bound=None, selection=None, written="original", **more):
    artifact = kind if isinstance(kind, Sequences) else Artifact(kind, written)
    return TablePlan(artifact, counts, bound or Unbounded(), selection, None, **more)


def counted(source, wanted):
    return source.counts(wanted, SeededRandomness(1))


def named(source, wanted, number="impressions"):
    """What is counted, by its texts."""
    found = counted(source, wanted)
    numbers = getattr(found, number)
    return rows(source.table(wanted, Kept(found.key, numbers)))


def rows(table):
    texts = [name for name in table.column_names if name not in ("count", "noise")]
    return {tuple(row[name] for name in texts): row["count"] for row in table.to_pylist()}


# --- counting ---


def test_queries_with_impressions_and_people(log):
    with open_log(log) as source:
        wanted = plan(selection=AtLeast(1, "users"))
        assert named(source, wanted) == {("www.dogs.com",): 3, ("cats",): 1, ("a private name",): 1}
        assert named(source, wanted, "users") == {("www.dogs.com",): 2, ("cats",): 1, ("a private name",): 1}


def test_people_are_not_counted_where_nobody_asks_for_them(log):
    with open_log(log) as source:
        assert len(counted(source, plan(selection=AtLeast(1, "impressions"))).users) == 0
        noisy = NoisyThreshold(1.0, 1, 1, on="users")
        for wanted in (plan(counts="users"), plan(selection=noisy), plan(selection=AtLeast(1, "users"))):
            found = counted(source, wanted)
            assert len(found.users) == len(found.key) == 3


@pytest.mark.parametrize(
    ("bound", "impressions"),
    [
        (FirstOccurrences(1), {("www.dogs.com",): 2}),
        (FirstOccurrences(2), {("www.dogs.com",): 2, ("cats",): 1, ("a private name",): 1}),
        (FirstOccurrences(3), {("www.dogs.com",): 3, ("cats",): 1, ("a private name",): 1}),
        (FirstKeys(1), {("www.dogs.com",): 2}),
        (FirstKeys(3), {("www.dogs.com",): 2, ("cats",): 1, ("a private name",): 1}),
        (RandomOccurrences(9), {("www.dogs.com",): 3, ("cats",): 1, ("a private name",): 1}),
        (RandomKeys(9), {("www.dogs.com",): 2, ("cats",): 1, ("a private name",): 1}),
    ],
)
def test_bounds(log, bound, impressions):
    with open_log(log) as source:
        assert named(source, plan(bound=bound)) == impressions
        if isinstance(bound, FirstKeys | RandomKeys):
            assert named(source, plan(bound=bound, counts="users"), "users") == impressions


@pytest.mark.parametrize("bound", [RandomOccurrences(1), RandomKeys(1)])
def test_a_choice_by_lot_keeps_as_many_and_differs(log, bound):
    with open_log(log) as source:
        wanted = plan(bound=bound)
        found = [source.counts(wanted, SeededRandomness(seed)) for seed in range(30)]
    assert {int(one.impressions.sum()) for one in found} == {2}
    assert len({tuple(one.key.tolist()) for one in found}) > 1


def test_clicks_and_pairs_know_their_owners(log):
    with open_log(log) as source:
        ids = {text: i for i, text in enumerate(source.query_texts(np.arange(3)).to_pylist())}
        clicks, pairs = (counted(source, plan(kind)) for kind in ("click", "pair"))
        assert len(clicks.owners) == 1
        assert np.array_equal(clicks.owners[0], unpack(clicks.key)[0])
        assert len(pairs.owners) == 2
        dogs, cats = ids["www.dogs.com"], ids["cats"]
        shown = pairs.owned_by(np.array([dogs, cats]))
        assert sorted(shown.key.tolist()) == sorted([pack([dogs], [cats])[0], pack([cats], [dogs])[0]])
        assert counted(source, plan("query")).owners == ()


def test_a_representation_joins_queries(tmp_path):
    spellings = {"ann": "www.dogs.com", "bob": "dogs", "cyd": "dogs!"}
    log = make_log(tmp_path, [(user, query, 0, None) for user, query in spellings.items()])
    with open_log(log, "light") as source:
        assert source.representation == "light"
        assert named(source, plan(written="light", counts="users"), "users") == {("dogs",): 3}


# --- public lists ---


@pytest.mark.parametrize("representation", ["original", "light"])
def test_places_are_places_in_the_list(log, pool, representation):
    texts = read_pool(pool, representation)
    with open_log(log, representation) as source:
        found, own = source.places(texts), source.query_texts(np.arange(log.info.queries)).to_pylist()
    wanted = texts.to_pylist()
    placed = [wanted[place] if place >= 0 else None for place in found]
    assert placed == [text if text in wanted else None for text in own]
    assert sorted(place >= 0 for place in found) == [False, True, True]


@pytest.mark.parametrize("representation", ["original", "light"])
def test_a_closed_pool_is_all_there_asked_or_not_and_nothing_else(log, pool, representation):
    closed = plan(written=representation, candidates=Pool(pool, 4))
    dogs = "dogs" if representation == "light" else "www.dogs.com"
    texts = read_pool(pool, representation).to_pylist()
    with open_log(log, representation) as source:
        key = counted(source, closed).key
        unasked = [place for place, text in enumerate(texts) if text in ("ants", "zebras")]
        assert sorted(key[key < 0].tolist()) == sorted(-1 - place for place in unasked)
        assert named(source, closed) == {("ants",): 0, ("cats",): 1, (dogs,): 3, ("zebras",): 0}


def test_an_open_pool_has_the_others_too(log, pool):
    with open_log(log) as source:
        opened = named(source, plan(candidates=Pool(pool, 4, others=True)))
    asked = {("cats",): 1, ("www.dogs.com",): 3, ("a private name",): 1}
    assert opened == {("ants",): 0, ("zebras",): 0, **asked}


def test_a_pool_that_the_log_does_not_touch(log, tmp_path):
    far = write(tmp_path, "far.txt", "zebras", "ants")
    with open_log(log) as source:
        found = counted(source, plan(candidates=Pool(far, 2)))
        assert (found.key.tolist(), found.impressions.tolist()) == ([-1, -2], [0, 0])
        texts = source.query_texts(np.array([-2, -1, -2]), Pool(far, 2))
        assert texts.to_pylist() == ["zebras", "ants", "zebras"]


def test_texts_of_the_log_and_of_the_pool_come_in_the_order_asked_for(log, pool):
    with open_log(log) as source:
        own = source.query_texts(np.arange(3)).to_pylist()
        keys = np.array([2, -1, 0, -4, 1])
        texts = source.query_texts(keys, Pool(pool, 4)).to_pylist()
    assert texts == [own[2], "ants", own[0], "zebras", own[1]]


# Of dogs one result was clicked and one was not; zebras are in the pool only; snakes are nowhere.
RESULTS = (
    "www.dogs.com\thttp://dogs.example",
    "www.dogs.com\thttp://unclicked.example",
    "zebras\thttp://zebras.example",
    "snakes\thttp://snakes.example",
    "a private name\thttp://dogs.example",
)


def test_public_results_are_all_there_with_their_clicks(log, tmp_path):
    file = write(tmp_path, "results.tsv", *RESULTS)
    public = plan("click", candidates=PublicResults(file))
    with open_log(log) as source:
        clicks = named(source, public)
    assert clicks == {
        ("www.dogs.com", "http://dogs.example"): 2,
        ("www.dogs.com", "http://unclicked.example"): 0,
        ("zebras", "http://zebras.example"): 0,
        ("snakes", "http://snakes.example"): 0,
        ("a private name", "http://dogs.example"): 1,
    }


def test_results_of_a_text_that_only_the_pool_has_belong_to_its_key(log, tmp_path, pool):
    file = write(tmp_path, "results.tsv", *RESULTS)
    queries, public = plan(candidates=Pool(pool, 4)), plan("click", candidates=PublicResults(file, pool))
    with open_log(log) as source:
        keys = counted(source, queries)
        texts = source.query_texts(keys.key, queries.candidates).to_pylist()
        of = dict(zip(texts, keys.key.tolist(), strict=True))
        found = counted(source, public)
        assert of["zebras"] < 0 <= of["www.dogs.com"]
        for text, urls in (("zebras", 1), ("www.dogs.com", 2), ("cats", 0), ("ants", 0)):
            shown = found.owned_by(np.array([of[text]]))
            table = rows(source.table(public, Kept(shown.key, shown.impressions)))
            assert len(table) == urls
            assert {query for query, _url in table} <= {text}
        shown = found.owned_by(keys.key)
        table = rows(source.table(public, Kept(shown.key, shown.impressions)))
        assert {query for query, _url in table} == {"zebras", "www.dogs.com"}  # others are not in the pool


def test_without_a_pool_results_of_unasked_queries_belong_to_nobody(log, tmp_path):
    file = write(tmp_path, "results.tsv", *RESULTS)
    with open_log(log) as source:
        (owner,) = counted(source, plan("click", candidates=PublicResults(file))).owners
    assert (owner == NOWHERE).sum() == 2  # zebras and snakes
    assert (owner[owner != NOWHERE] >= 0).all()


def test_a_list_that_a_selection_favours(log, pool):
    with open_log(log) as source:
        found = source.histories(plan(favours=Favours(pool, 4, 0.25)), None)
        texts = source.query_texts(found.key).to_pylist()
        prior = dict(zip(texts, found.prior.tolist(), strict=True))
        assert prior == {"www.dogs.com": 1, "cats": 1, "a private name": 0.25}
        assert source.histories(plan(), None).prior is None


# --- histories ---


def test_histories_have_everything_that_people_did(log):
    with open_log(log) as source:
        found = source.histories(plan(), None)
        assert found.histories.counts(1_000_000, SeededRandomness(1))[found.key].sum() == 5
        clicks = source.histories(plan("click"), None)
        assert clicks.histories.size == len(clicks.key) == 3
        assert clicks.histories.counts(1_000_000, SeededRandomness(1)).sum() == 4


def test_histories_of_shown_queries_only(log):
    with open_log(log) as source:
        ids = {text: i for i, text in enumerate(source.query_texts(np.arange(3)).to_pylist())}
        shown = np.array([ids["www.dogs.com"]])
        clicks = source.histories(plan("click", candidates=OfShown()), shown)
        assert set(unpack(clicks.key)[0].tolist()) == {ids["www.dogs.com"]}
        assert clicks.histories.counts(1_000_000, SeededRandomness(1)).sum() == 3
        assert len(source.histories(plan("pair", candidates=OfShown()), shown).key) == 0
        both = np.array([ids["www.dogs.com"], ids["cats"]])
        assert len(source.histories(plan("pair", candidates=OfShown()), both).key) == 2


def test_keys_are_numbered_in_rising_order():
    keys = pack([5, 0, 5, 7], [1, 1, 1, 0])
    known, histories = numbered(np.array([0, 0, 1, 1]), keys, Artifact("click"), None)
    assert known.tolist() == sorted(set(keys.tolist()))
    assert histories.distinct().holders().tolist() == [1, 2, 1]


# --- sequences ---


def session(*queries):
    """Two people ask these, one a minute."""
    return [(user, query, 60 * i, None) for user in ("ann", "bob") for i, query in enumerate(queries)]


SESSIONS = session("a", "b", "a", "b")


def sequences(source, wanted):
    found = counted(source, wanted)
    table = source.table(wanted, Kept(found.key, found.of(wanted.counts)))
    return {" ".join(row["sequence"]): row["count"] for row in table.to_pylist()}


@pytest.mark.parametrize(("counts", "most"), [("impressions", 6), ("users", 2)])
def test_sequences_by_occurrences_and_by_people(tmp_path, counts, most):
    """Two people ask a, b, a, b: it holds (a, b) three times, each other sequence once."""
    with open_log(make_log(tmp_path, SESSIONS)) as source:
        found = sequences(source, plan(Sequences(), counts=counts, bound=SessionCut(1, 4, 11)))
    once = ["a a", "b a", "b b", "a b a", "a b b", "a a b", "b a b", "a b a b"]
    assert found == {"a b": most, **dict.fromkeys(once, 2)}


def test_sequences_are_cut(tmp_path):
    later = [(user, query, second + 100_000, None) for user, query, second, _url in SESSIONS]
    with open_log(make_log(tmp_path, SESSIONS + later)) as source:
        for sessions, times in ((1, 2), (2, 4)):
            wanted = plan(Sequences(), bound=SessionCut(sessions, 2, sessions))
            assert sequences(source, wanted) == {"a b": times}


def test_sequences_of_topics_leave_out_queries_without_one(tmp_path):
    topics = write(tmp_path, "topics.tsv", "a\tletters", "c\tletters")
    with open_log(make_log(tmp_path, session("a", "b", "c"))) as source:
        wanted = plan(Sequences(topics=topics), bound=SessionCut(1, 3, 4))
        assert sequences(source, wanted) == {"letters letters": 2}


def test_sequences_in_a_representation(tmp_path):
    with open_log(make_log(tmp_path, session("www.a.com", "B!")), "light") as source:
        wanted = plan(Sequences("light"), bound=SessionCut(1, 2, 1))
        assert sequences(source, wanted) == {"a b": 2}


def test_kept_sequences_come_most_frequent_first_then_by_text(tmp_path):
    with open_log(make_log(tmp_path, SESSIONS)) as source:
        wanted = plan(Sequences(), bound=SessionCut(1, 4, 11))
        found = counted(source, wanted)
        table = source.table(wanted, Kept(found.key, found.impressions)).to_pylist()
        assert table == sorted(table, key=lambda row: (-row["count"], row["sequence"]))
        assert source.table(wanted, Kept(found.key[:0], found.impressions[:0])).num_rows == 0


# --- naming ---


def test_rows_come_most_frequent_first_then_by_text(log):
    with open_log(log) as source:
        found = counted(source, plan())
        table = source.table(plan(), Kept(found.key, np.array([4, 9, 4])), noise=np.full(3, 1.5))
        assert table.column_names == ["query", "count", "noise"]
        pairs = [(row["query"], row["count"]) for row in table.to_pylist()]
    assert pairs == sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    assert table["noise"].to_pylist() == [1.5] * 3


def test_undirected_pairs_are_named_in_the_order_of_the_alphabet(tmp_path):
    """Not in the order of ids: that would tell which query the log saw first."""
    log = make_log(tmp_path, [("ann", "zebras", 0, None), ("ann", "ants", 60, None)])
    with open_log(log) as source:
        assert named(source, plan("undirected-pair")) == {("ants", "zebras"): 1}
        assert named(source, plan("pair")) == {("zebras", "ants"): 1}


def test_clicks_are_named_with_their_page(log):
    with open_log(log) as source:
        assert named(source, plan("click")) == {
            ("www.dogs.com", "http://dogs.example"): 2,
            ("www.dogs.com", "http://other.example"): 1,
            ("a private name", "http://dogs.example"): 1,
        }


# --- what makes no sense ---


def test_bounds_that_do_not_fit_the_artifact(log):
    with open_log(log) as source:
        for bound in (SquaredBudget(4, 2), SessionCut(1, 2, 1)):
            with pytest.raises(TypeError, match="not a bound on single artifacts"):
                bounded_by(plan(bound=bound), source.artifacts(Artifact("query")), SeededRandomness(1))
        with pytest.raises(TypeError, match="bounded by cutting sessions"):
            counted(source, plan(Sequences(), bound=FirstOccurrences(2)))
        with pytest.raises(TypeError, match="chosen by counts"):
            source.histories(plan(Sequences(), bound=SessionCut(1, 2, 1)), None)


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        (FirstOccurrences, "first"),
        (RandomOccurrences, "random"),
        (FirstKeys, "first_distinct"),
        (RandomKeys, "random_distinct"),
    ],
)
def test_each_bound_is_counted_by_its_own_expression(kind, function, monkeypatch):
    """Bounds by lot are subclasses of the others: the wrong order of cases would count without the lot."""
    called = []
    for name in ("first", "random", "first_distinct", "random_distinct"):
        monkeypatch.setattr(bound, name, lambda _artifacts, d, *_secret, name=name: called.append((name, d)))
    plan = TablePlan(Artifact("query"), "impressions", kind(3), AtLeast(2, "users"), None)
    bounded_by(plan, None, SeededRandomness(1))
    assert called == [(function, 3)]
