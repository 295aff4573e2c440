"""Several processes that share one PostgreSQL decide as one would: an invitation is used once, a report is
counted once, a crowd log is made by one of them, and the trail stays one chain.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.trail import Trail
from crowdlog.crowd.shuffle import shuffled
from crowdlog.errors import InputError
from tests.crowd.services.members import RANDOM, SmallCrowd

WORKERS = 4


@pytest.fixture
def stores(tmp_path, postgres_url):
    """A small collection, and what four workers of its aggregation server have of it."""
    with SmallCrowd(tmp_path, postgres_url) as crowd:
        made = [CollectionStore(postgres_url, tmp_path / "aggregation", RANDOM) for _ in range(WORKERS)]
        yield crowd, made
        for one in made:
            one.close()


def at_once(tasks):
    """Run the tasks at the same moment, each in a thread; return what they return or raise."""
    barrier = threading.Barrier(len(tasks))

    def run(task):
        barrier.wait()
        try:
            return task()
        except Refused as refused:
            return refused.status

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


def test_an_invitation_is_used_by_one_of_many_at_once(stores):
    crowd, workers = stores
    name = crowd.manifest.id
    before = workers[0].counts(name)["joined"]
    tokens = [f"token {number}" for number in range(25)]
    workers[0].invite(name, tokens)
    for token in tokens:
        tasks = [
            lambda one=one, number=number, token=token: one.use_invitation(name, token, b"%d" % number)
            for number, one in enumerate(workers)
        ]
        assert sorted(map(str, at_once(tasks))) == ["403"] * (WORKERS - 1) + ["None"]
    assert workers[0].counts(name)["joined"] == before + len(tokens)


def test_reports_that_come_to_all_at_once_are_counted_once(stores):
    crowd, workers = stores
    name = crowd.manifest.id
    people = [crowd.envelopes(crowd.member(), {f"q{number}": 1 for number in range(4)}) for _ in range(6)]
    reports = [crowd.aggregation._opened(crowd.manifest, one) for person in people for one in person]
    workers[0].advance(name, "uploading")
    # each in an order of its own, as a mix that sends again has
    orders = [shuffled(reports, RANDOM) for _ in workers]
    kept = at_once(
        [lambda one=one, own=own: one.keep(name, own, 0) for one, own in zip(workers, orders, strict=True)]
    )
    assert sum(one["received"] for one in kept) == len(reports)
    assert sum(one["duplicates"] for one in kept) == (WORKERS - 1) * len(reports)
    counted = workers[0].counts(name)
    assert (counted["received"], counted["over_limit"], counted["stored"]) == (len(reports), 0, len(reports))


def test_one_worker_has_the_claim_until_it_ends(stores):
    crowd, workers = stores
    name = crowd.manifest.id
    with workers[0].claim(name) as first, workers[1].claim(name) as second, workers[2].claim("x") as other:
        assert (first, second, other) == (True, False, True)
    with workers[1].claim(name) as again:
        assert again


def test_a_key_that_one_worker_destroys_is_forgotten_by_the_others(stores):
    crowd, workers = stores
    name = crowd.manifest.id
    workers[0].advance(name, "uploading")
    for one in workers:
        one.keep(name, [], 0)
    workers[0].cancel(name)
    for one in workers:
        with pytest.raises(Refused, match="The collection has ended"):
            one.keep(name, [], 0)


def test_workers_write_one_trail(tmp_path):
    trails = [Trail(tmp_path) for _ in range(WORKERS)]
    at_once(
        [lambda one=one: [one.add("operator", f"POST /{number}") for number in range(10)] for one in trails]
    )
    assert len(Trail(tmp_path).lines()) == 10 * WORKERS


def test_a_line_cut_short_by_a_crash_does_not_break_the_trail(tmp_path):
    Trail(tmp_path).add("operator", "POST /one")
    with (tmp_path / "trail.jsonl").open("a") as file:
        file.write('{"time": 1, "ro')
    after = Trail(tmp_path)
    after.add("operator", "POST /two")
    after.add("operator", "POST /three")
    assert [line["call"] for line in Trail(tmp_path).lines()] == ["POST /one", "POST /two", "POST /three"]


@pytest.mark.parametrize("service", ["randomness", "mix", "aggregation"])
def test_several_workers_need_the_aggregation_server_and_postgresql(tmp_path, service):
    (tmp_path / "token").write_text("x" * 40)
    command = ["crowd", "serve", service, "--data", str(tmp_path / "data"), "--workers", "2", "--check"]
    arguments = [*command, "--token-file", str(tmp_path / "token")]
    with pytest.raises(InputError, match="Several --workers are for the aggregation server"):
        CliRunner().invoke(cli, arguments, standalone_mode=False, catch_exceptions=False)
