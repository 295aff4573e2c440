"""A ledger in a real PostgreSQL: shared by stores, one charge at a time, and every damage is noticed."""

import multiprocessing

import psycopg
import pytest

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import pure
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_place import is_there, without_password
from tests.support.logs import crowd_rows, make_log
from tests.support.postgres import running_cluster

pytestmark = pytest.mark.xdist_group("postgres")


@pytest.fixture(scope="module")
def cluster():
    with running_cluster() as own:
        yield own


@pytest.fixture
def url(cluster):
    """A database with no ledger in it yet."""
    with psycopg.connect(cluster.url, autocommit=True) as db:
        db.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return cluster.url


@pytest.fixture
def ledger(url, tmp_path):
    """With two lines of a store and a budget, and one charge."""
    head = tmp_path / "ledger.head"
    Ledger.create(url, "hash", "store", head)
    with Ledger.open(url, "hash", "store", head) as opened:
        opened.set_budget(2.0, 1e-3)
        opened.charge(pure(1.0), "A", "a")
        yield opened


def open_again(url, tmp_path):
    with Ledger.open(url, "hash", "store", tmp_path / "ledger.head") as again:
        return again.entries()


def test_charges_are_kept_and_the_budget_holds(ledger, url, tmp_path):
    assert [entry.mechanism for entry in open_again(url, tmp_path)] == ["A"]
    with pytest.raises(PrivacyRefusal, match="1 of the budget of 2 is spent"):
        ledger.charge(pure(1.5), "B", "b")
    ledger.publishing(1, "digest")
    ledger.publish(1)
    assert open_again(url, tmp_path)[0].state == "published"


def test_two_stores_share_it(ledger, url, tmp_path):
    other = tmp_path / "other.head"
    assert Ledger.create(url, "hash", "second", other, begin=False) == [
        "store"
    ]  # the same log, imported again
    with Ledger.open(url, "hash", "second", other) as second:
        second.charge(pure(1.0), "B", "b")
    with pytest.raises(PrivacyRefusal):
        ledger.charge(pure(0.1), "C", "c")
    assert [entry.store for entry in ledger.entries()] == ["store", "second"]
    assert [entry.id for entry in ledger.unpublished()] == [1]  # each store resumes its own


def _race(url, head, name, results):
    with Ledger.open(url, "hash", "store", head) as ledger:
        try:
            ledger.charge(pure(1.0), "M", name)
            results.put(name)
        except PrivacyRefusal:
            results.put(None)


def test_of_processes_racing_for_the_last_of_the_budget_one_gets_it(ledger, url, tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    names = ["one", "two", "three"]
    racers = [
        context.Process(target=_race, args=(url, tmp_path / "ledger.head", name, results)) for name in names
    ]
    for racer in racers:
        racer.start()
    got = [results.get(timeout=300) for _ in names]
    for racer in racers:
        racer.join()
    assert sorted(map(bool, got)) == [False, False, True]
    assert len(ledger.entries()) == 2


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE crowdlog_journal SET content = replace(content, '1.0', '0.1') WHERE number = 3", "line 3"),
        ("UPDATE crowdlog_journal SET hash = 'x' WHERE number = 2", "line 2"),
        ("DELETE FROM crowdlog_journal WHERE number = 1", "line 1"),
        ("DELETE FROM crowdlog_journal WHERE number = 3", "older than its store"),
        ("DELETE FROM crowdlog_journal", "older than its store"),
        ("DROP TABLE crowdlog_journal", "holds no ledger"),
        (
            "CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; "
            "CREATE TRIGGER own BEFORE INSERT ON crowdlog_journal FOR EACH ROW EXECUTE FUNCTION swallow()",
            "a trigger, a rule or a view was added",
        ),
        (
            "CREATE RULE swallow AS ON INSERT TO crowdlog_journal DO INSTEAD NOTHING",
            "a trigger, a rule or a view was added",
        ),
        (
            "ALTER TABLE crowdlog_journal RENAME TO kept; CREATE VIEW crowdlog_journal AS SELECT * FROM kept",
            "a trigger, a rule or a view was added",
        ),
    ],
)
@pytest.mark.usefixtures("ledger")
def test_damage_is_noticed(url, tmp_path, statement, what):
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(statement.encode())
    with pytest.raises(InputError, match=what):
        open_again(url, tmp_path)


def test_a_store_keeps_its_ledger_there_and_a_lost_server_charges_nothing(cluster, url, tmp_path):
    from crowdlog.log.importer import import_log
    from crowdlog.mechanisms import parse
    from crowdlog.release.publish import open_ledger

    make_log(tmp_path, crowd_rows(60, ["weather"]))
    log = import_log(tmp_path / "log.tsv", tmp_path / "shared", ledger=url, new_ledger=True)
    mechanism = parse("DPu(epsilon=1, delta=1e-4, d=2)")
    mechanism.release(log, tmp_path / "out", budget=(3, 1e-2))
    with open_ledger(log) as ledger:
        assert ledger.entries()[0].state == "published"
    cluster.stop()
    try:
        with pytest.raises(InputError, match="cannot be used") as caught:
            mechanism.release(log, tmp_path / "second")
        assert "postgres@" not in str(caught.value)  # no user, and no password
    finally:
        cluster.start()
    assert not (tmp_path / "second").exists()
    with open_ledger(log) as ledger:
        assert len(ledger.entries()) == 1


@pytest.mark.parametrize(
    "address",
    ["postgresql://me:geheim@[::1/people", "postgresql://me:geheim@nowhere:none/people", "postgresql://%zz/"],
)
def test_an_address_that_is_none_gets_a_sentence_without_its_password(address):
    with pytest.raises(InputError, match="cannot be used") as caught:
        is_there(address)
    assert "geheim" not in str(caught.value)


def test_an_address_is_told_without_its_password_and_can_be_given_again():
    told = "postgresql://me@server:5433/people?host=/run/a%20b&sslmode=require"
    assert without_password(told) == told
    assert without_password(told.replace("me@", "me:geheim@") + "&password=geheim") == told
    assert "geheim" not in without_password("postgresql://me:geheim@[::1/people")
