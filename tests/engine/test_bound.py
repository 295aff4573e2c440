"""Bounds look at one user's rows alone: what every other user contributes is the same with and without her.

proofs/bounds.md says why. Random bounds are compared under one secret, with users in an order that she does
not change.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from crowdlog.artifacts.kinds import ARTIFACTS, QUERY_ARTIFACTS, Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine import bound
from crowdlog.engine.connection import Engine
from crowdlog.engine.log_source import LogSource
from crowdlog.engine.mine import mine, unpack
from crowdlog.engine.parts import Parts
from crowdlog.engine.rename import Renaming, as_table, rename
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SystemRandomness
from tests.support.logs import make_log

SECRET = "the secret of one release"
BOUNDS = {
    "first": lambda artifacts, d: bound.first(artifacts, d),
    "first_distinct": lambda artifacts, d: bound.first_distinct(artifacts, d),
    "random": lambda artifacts, d: bound.random(artifacts, d, SECRET),
    "random_distinct": lambda artifacts, d: bound.random_distinct(artifacts, d, SECRET),
}
# kinds of which several have one row
SHARING = [kind for kind in QUERY_ARTIFACTS if "session" in kind or "window" in kind]


@contextmanager
def one_thread(log) -> Iterator[Engine]:
    with Engine(log, backend=ibis.duckdb.connect(threads=1)) as engine:
        yield engine


@contextmanager
def two_threads(log) -> Iterator[Engine]:
    with Engine(log, backend=ibis.duckdb.connect(threads=2, preserve_insertion_order=False)) as engine:
        yield engine


@contextmanager
def shuffled(log) -> Iterator[Engine]:
    """The same rows, but they lie in another order."""
    rows = pq.read_table(log.events())
    order = np.random.default_rng(3).permutation(rows.num_rows)
    with Engine(log) as engine, tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        pq.write_table(rows.take(order), file.name)
        engine.events = engine.backend.read_parquet(file.name, table_name="shuffled")
        yield engine


ENGINES = {"one thread": one_thread, "two threads": two_threads, "shuffled": shuffled}


def artifacts_of(engine, log, artifact: Artifact):
    renaming = None if artifact.representation == "original" else rename(log, artifact.representation)
    renamed = None if renaming is None else as_table(renaming)
    return renaming, mine(engine.events, artifact, renamed, Parts(log, renaming))


def texts_of(log, renaming: Renaming | None, artifact: Artifact, keys) -> list[str]:
    with Engine(log) as engine:
        columns = LogSource(engine, renaming).texts(artifact, keys)
    return [
        "|".join(texts) for texts in zip(*(column.to_pylist() for column in columns.values()), strict=True)
    ]


def contributions(log, engine_of, artifact: Artifact, choose, d: int) -> dict[str, Counter[str]]:
    """What each user contributes after the bound, as texts."""
    names = pq.read_table(log.users())["text"].to_pylist()
    with engine_of(log) as engine:
        renaming, artifacts = artifacts_of(engine, log, artifact)
        kept = choose(artifacts, d).select("user", "key").to_pyarrow()
    texts = texts_of(log, renaming, artifact, kept["key"].to_numpy())
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for user, text in zip(kept["user"].to_pylist(), texts, strict=True):
        found[names[user]][text] += 1
    return found


USERS = ("ann", "bob", "cyd")
TEXTS = ("cars", "www.cars.com", "the car", "maps", "news", "new york bars")
rows_of = st.tuples(
    st.sampled_from(TEXTS), st.integers(0, 8).map(lambda n: n * 500), st.sampled_from([None, "http://x"])
)
others = st.lists(
    st.tuples(st.sampled_from(USERS), rows_of).map(lambda pair: (pair[0], *pair[1])), max_size=24
)
hers = st.lists(rows_of.map(lambda row: ("eve", *row)), min_size=1, max_size=12)


# Many who do much in one session: enough for an engine to return their pairs, which share rows, in another
# order.
SITTERS = [
    (f"sitter {user}", text, 60 * i, "http://x") for user in range(300) for i, text in enumerate(TEXTS)
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ARTIFACTS)
# a failure is reported, not shrunk: that takes minutes
@pytest.mark.slow
@settings(max_examples=4, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    rows=others,
    more=hers,
    d=st.integers(1, 5),
    early=st.booleans(),
    representation=st.sampled_from(REPRESENTATIONS),
)
def test_others_contribute_the_same_with_and_without_her(kind, engine, rows, more, d, early, representation):
    """Her rows come after everybody's first row, or at the end: users keep their numbers, queries may get
    others.
    """
    opening = [(user, "cars", 0, None) for user in USERS] + SITTERS
    with_her = [*opening, *more, *rows] if early else [*opening, *rows, *more]
    artifact = Artifact(kind, representation)
    with tempfile.TemporaryDirectory() as folder:
        without, present = (
            make_log(Path(folder), each, name) for each, name in (([*opening, *rows], "d"), (with_her, "e"))
        )
        for name, choose in BOUNDS.items():
            before = contributions(without, ENGINES["one thread"], artifact, choose, d)
            after = contributions(present, ENGINES[engine], artifact, choose, d)
            assert sum(after.pop("eve").values()) <= d, name
            assert after == before, name


@pytest.mark.parametrize("kind", ARTIFACTS)
@settings(max_examples=4)
@given(rows=others, representation=st.sampled_from(REPRESENTATIONS))
def test_a_users_own_numbering_has_no_ties(kind, rows, representation):
    """The lemma's assumption: (user, nth) is unique, and nth counts up from 0."""
    with tempfile.TemporaryDirectory() as folder:
        log = make_log(Path(folder), [("ann", "cars", 0, None), *rows])
        with Engine(log) as engine:
            numbered = (
                artifacts_of(engine, log, Artifact(kind, representation))[1]
                .select("user", "nth")
                .to_pyarrow()
            )
    for user in set(numbered["user"].to_pylist()):
        own = sorted(
            nth
            for who, nth in zip(numbered["user"].to_pylist(), numbered["nth"].to_pylist(), strict=True)
            if who == user
        )
        assert own == list(range(len(own)))


@pytest.mark.parametrize("kind", SHARING)
def test_a_stranger_does_not_decide_what_a_thousand_people_show(kind, tmp_path):
    """Everybody asks a, b and c in one session; the stranger asks two things of her own."""
    rows = [(f"u{user}", query, 10 * i, None) for user in range(1000) for i, query in enumerate("abc")]
    stranger = [("eve", query, 10 * i, None) for i, query in enumerate("yx")]
    logs = (
        make_log(tmp_path, rows, "without"),
        make_log(tmp_path, rows + stranger, "with"),
        make_log(tmp_path, stranger + rows, "first"),
    )
    mechanism = parse(f"Zealous(epsilon=1, delta=1e-6, d=2, artifact='{kind}')")
    shown = []
    for log in logs:
        tables = [mechanism.protect(log, SystemRandomness()).tables["pairs"].to_pylist() for _ in range(10)]
        shown.append(
            [
                sum((row["query"], row["next_query"]) == pair for table in tables for row in table)
                for pair in (("a", "b"), ("a", "c"))
            ]
        )
    assert shown == [[10, 10]] * 3


@pytest.mark.parametrize("kind", SHARING)
def test_a_random_choice_is_fair_among_pairs_that_share_a_row(kind, tmp_path):
    """d = 1 of the pairs ab, ac, bc: each for a third of 3,000 people, with a heavy stranger or without."""
    rows = [(f"u{user}", query, 10 * i, None) for user in range(3000) for i, query in enumerate("abc")]
    stranger = [("eve", f"own {i}", 10 * i, None) for i in range(300)]
    for name, each in (("without", rows), ("with", rows + stranger)):
        log = make_log(tmp_path, each, name)
        for secret in ("one", "two"):
            with Engine(log) as engine:
                kept = bound.random(mine(engine.events, Artifact(kind)), 1, secret)
                theirs = kept.filter(kept.user < 3000)
                counts = theirs.group_by("key").agg(n=theirs.count()).to_pyarrow()["n"].to_pylist()
            assert len(counts) == 3
            assert all(abs(count - 1000) < 6 * np.sqrt(3000 * 2 / 9) for count in counts)


ORDERS = 10


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """A synthetic log of 2,000 people; and ten others without one person each,
    their rows in another order.
    """
    folder = tmp_path_factory.mktemp("orders")
    synthesize(folder / "log.tsv", users=2000, seed=5)
    header, *lines = (folder / "log.tsv").read_text(encoding="utf-8").splitlines()
    by_user: dict[str, list[str]] = {}
    for line in lines:
        by_user.setdefault(line.partition("\t")[0], []).append(line)
    # from the heaviest down
    people = sorted(by_user, key=lambda user: -len(by_user[user]))[:: 2000 // ORDERS]
    staying = [user for user in by_user if user not in people]
    first = [by_user[user][0] for user in staying]  # everybody who stays has the same number in every log
    rest = [line for user in staying for line in by_user[user][1:]] + [
        line for user in people for line in by_user[user]
    ]

    def write(name, rows):
        path = folder / f"{name}.tsv"
        path.write_text("\n".join([header, *first, *rows]) + "\n", encoding="utf-8")
        return import_log([path], folder / name)

    logs = [write("whole", rest)]
    for number, person in enumerate(people):
        others = [line for line in rest if line.partition("\t")[0] != person]
        logs.append(write(f"order-{number}", _in_another_order(others, number)))
    return People(len(staying), logs)


@dataclass(frozen=True)
class People:
    """Logs of the same people but for one each; the first `staying` users are in all of them, under the same
    numbers.
    """

    staying: int
    logs: list[LogStore]
    _numbers: dict[str, int] = field(default_factory=dict)  # of texts: the same in all logs
    _renamed: dict[tuple[int, str], tuple[Renaming | None, Any]] = field(default_factory=dict)

    def bounded(self, number: int, artifact: Artifact, d: int, threads: int) -> dict[str, tuple[Any, Any]]:
        """Users and keys after each bound, sorted; keys are numbered by their texts."""
        renaming, numbers = self._renaming(number, artifact.representation)
        log, found = self.logs[number], {}
        with Engine(
            log, backend=ibis.duckdb.connect(threads=threads, preserve_insertion_order=False)
        ) as engine:
            renamed, parts = None if renaming is None else as_table(renaming), Parts(log, renaming)
            mined = mine(engine.events, artifact, renamed, parts).to_pyarrow()
            pq.write_table(mined, log.path.with_suffix(".mined.parquet"))  # mined once for four bounds
            artifacts = engine.backend.read_parquet(
                log.path.with_suffix(".mined.parquet"), table_name="mined"
            )
            for name, choose in BOUNDS.items():
                kept = choose(artifacts, d).select("user", "key").to_pyarrow()
                users, keys = (
                    kept["user"].to_numpy(),
                    self._in_texts(log, artifact, numbers, parts, kept["key"].to_numpy()),
                )
                order = np.lexsort((keys, users))
                found[name] = users[order], keys[order]
        return found

    def _in_texts(self, log: LogStore, artifact: Artifact, numbers: Any, parts: Parts, keys: Any) -> Any:
        def numbered(column: str, ids: Any) -> Any:
            if column in ("query", "next_query"):
                return numbers[ids]
            if column == "url":
                return self._urls(log)[ids]
            return self._numbered((parts.sites if column == "site" else parts.words).texts)[ids]

        if len(artifact.columns) == 1:
            return numbered(artifact.columns[0], keys)
        first, second = map(numbered, artifact.columns, unpack(keys))
        if not artifact.directed:
            first, second = np.minimum(first, second), np.maximum(first, second)
        return first * 2**32 + second

    def _renaming(self, number: int, representation: str) -> tuple[Renaming | None, Any]:
        if (number, representation) not in self._renamed:
            log = self.logs[number]
            renaming = None if representation == "original" else rename(log, representation)
            texts = pq.read_table(log.queries())["text"] if renaming is None else renaming.texts
            self._renamed[number, representation] = renaming, self._numbered(texts)
        return self._renamed[number, representation]

    def _urls(self, log: LogStore) -> Any:
        return self._numbered(pq.read_table(log.urls())["text"])

    def _numbered(self, texts: Any) -> Any:
        return np.array(
            [self._numbers.setdefault(text, len(self._numbers)) for text in texts.to_pylist()], np.int64
        )


@pytest.mark.slow
@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("kind", ARTIFACTS)
def test_one_user_moves_a_real_histogram_by_her_bound_at_most(kind, representation, orders):
    """In ten orders of rows and with one thread or two; the whole log is counted twice.

    Pairs of windows are millions: for their further representations two of the orders must do.
    """
    artifact, d = Artifact(kind, representation), 5
    whole, again = (orders.bounded(0, artifact, d, threads) for threads in (2, 1))
    some = "window" in kind and representation != "original"
    chosen = range(REPRESENTATIONS.index(representation), ORDERS + 1, 5) if some else range(1, ORDERS + 1)
    logs = [orders.bounded(number, artifact, d, threads=1 + number % 2) for number in chosen]
    for keep, (users, keys) in whole.items():
        assert np.bincount(users).max() <= d
        assert np.array_equal([users, keys], again[keep])
        staying = users < orders.staying
        for others, theirs in (log[keep] for log in logs):
            same = others < orders.staying
            assert np.array_equal([users[staying], keys[staying]], [others[same], theirs[same]])
            if keep.startswith("first"):
                assert _distance(keys, theirs) <= d


def _distance(one: Any, two: Any) -> int:
    """L1 between two histograms."""
    known, numbers = np.unique(np.concatenate([one, two]), return_inverse=True)
    counts = [np.bincount(part, minlength=len(known)) for part in (numbers[: len(one)], numbers[len(one) :])]
    return int(np.abs(counts[0] - counts[1]).sum())


def _in_another_order(lines: list[str], seed: int) -> list[str]:
    """Shuffled; but what a user did in one second keeps its order, because that order is hers."""
    groups: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        user, _query, when = line.split("\t")[:3]
        groups.setdefault((user, when), []).append(line)
    keys = list(groups)
    random.Random(seed).shuffle(keys)
    return [line for key in keys for line in groups[key]]
