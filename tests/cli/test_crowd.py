"""A whole collection by its commands: five volunteers, one operator, real services."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.release.folder import Release
from tests.support.histories import browser_history

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]


def run(*arguments: str, answer: str | None = None):
    """Run a command in this process; return what it printed, or the error it ended with."""
    result = CliRunner().invoke(cli, ["crowd", *map(str, arguments)], input=answer, standalone_mode=False)
    if isinstance(result.exception, InputError | PrivacyRefusal):
        return result.exception
    assert result.exception is None, result.exc_info
    return result.output


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    mix = ["--pool", "2", "--delay", "0"]
    with LocalServices(tmp_path_factory.mktemp("trial"), options={"mix1": mix, "mix2": mix}) as running:
        yield running


def _create(services, links: Path, *options: str) -> tuple[str, list[str]]:
    operator = services.folder / "operator.json"
    shown = run(
        "collection",
        "create",
        "--operator",
        operator,
        "--title",
        "What we search",
        "--k",
        5,
        "--links",
        links,
        "--upload-hours",
        0.003,
        "--limit",
        4,
        "--json",
        *options,
    )
    return json.loads(shown)["collection"], links.read_text().split()


def _log(path: Path, queries: list[str]) -> Path:
    rows = [f"7\t{query}\t2006-03-01 00:{minute:02}:00\t\t" for minute, query in enumerate(queries)]
    path.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *rows]) + "\n")
    return path


def test_a_collection_from_creation_to_crowd_log(services, tmp_path):
    collection, links = _create(
        services, tmp_path / "links.txt", "--invitations", "6", "--count", "impressions"
    )
    at = ("--operator", services.folder / "operator.json")
    homes = [("--home", tmp_path / f"home{person}") for person in range(6)]
    for home, link in zip(homes, links, strict=True):
        shown = run("join", link, *home, "--yes")
        for words in ("people needed to read one", "what is not guaranteed", "mix 2 run by", "not given"):
            assert words in shown
    for person, home in enumerate(homes):
        log = _log(tmp_path / f"log{person}.tsv", ["weather", "weather", f"secret {person}"])
        shown = run("mine", log, *home, answer="y\n")
        assert "weather  (2 times)" in shown
        assert "2 artifacts would be sent, each readable only if 5 people send it." in shown
        assert "everybody can once" in str(run("mine", log, *home, "--yes"))
        for how in ("--now", "--due"):
            assert isinstance(run("send", *home, "--yes", how), PrivacyRefusal)
        waiting = json.loads(run("outbox", *home, "--bytes", "--json"))
        assert {item["artifact"] for item in waiting["waiting"]} == {
            "weather  (2 times)",
            f"secret {person}  (1 times)",
        }
        assert waiting["empty"] == 2  # up to the limit of four
        assert len({item["size"] for item in waiting["waiting"]}) == 1  # lengths tell nothing
        assert all(len(item["bytes"]) == 2 * item["size"] for item in waiting["waiting"])
    struck = next(item for item in waiting["waiting"] if item["artifact"].startswith("secret"))
    assert "1 wait and 3 empty" in run("outbox", *homes[5], "--remove", struck["number"])
    assert "no report number" in str(run("outbox", *homes[5], "--remove", 999))
    assert "You have left; 4 unsent reports were deleted." in run("leave", *homes[5])
    assert "destroyed" in run("collection", "close", collection, *at)
    with services.operator() as operator:
        operator.wait_open(collection)
    for home in homes[:4]:
        assert "4 reports were sent." in run("send", *home, "--yes", "--now")
        assert "0 wait and 0 empty ones beside them; 4 were sent." in run("outbox", *home)
    assert "4 reports were sent." in run("send", *homes[4], "--yes")  # each at its own moment
    assert isinstance(run("send", *homes[5], "--yes"), InputError)  # she left
    stale = tmp_path / "crowdlog.partial-01234567"
    stale.mkdir()
    (stale / "pairs.parquet").write_bytes(b"left by an interrupted fetch of another collection")
    assert "crowd log is in" in run("collection", "publish", collection, *at, "-o", tmp_path / "crowdlog")
    assert not (tmp_path / "crowdlog" / "pairs.parquet").exists()
    assert "weather" in (tmp_path / "crowdlog" / "index.html").read_text(encoding="utf-8")
    assert (tmp_path / "crowdlog").stat().st_mode & 0o077 == 0  # not public before it is released
    assert collection in run("collection", "list", *at)
    status = json.loads(run("collection", "status", collection, *at, "--json"))
    assert (status["phase"], status["received"], status["joined"]) == ("ready", 20, 6)
    assert "is public" in run("collection", "release", collection, *at)
    assert Release.open(tmp_path / "crowdlog").queries().to_pylist() == [
        {"query": "weather", "count": 10, "users": 5}
    ]


def test_a_nested_collection_by_its_commands(services, tmp_path):
    collection, links = _create(
        services, tmp_path / "links.txt", "--invitations", "7", "--inner", "click", "--inner-k", "7"
    )
    at = ("--operator", services.folder / "operator.json")
    homes = [("--home", tmp_path / f"home{person}") for person in range(7)]
    for home, link in zip(homes, links, strict=True):
        shown = run("join", link, *home, "--yes")
        assert "click, at most 3 of each query" in shown
        assert "people needed to read that" in shown
    for person, home in enumerate(homes):
        log = tmp_path / f"log{person}.tsv"
        clicks = [
            "weather\t2006-03-01 00:00:00\t1\thttp://w.example",
            f"weather\t2006-03-01 00:00:00\t2\thttp://{person % 2}.example",
        ]
        log.write_text(
            "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n" + "".join(f"7\t{click}\n" for click in clicks)
        )
        shown = run("mine", log, *home, "--yes")
        assert "weather › " in shown
        assert "1 queries would be sent, each readable only if 5 people send it" in shown
        assert "2 of kind 'click' inside them, readable only if 7" in shown
        assert "http://w.example" in run("outbox", *home)
    run("collection", "close", collection, *at)
    with services.operator() as operator:
        operator.wait_open(collection)
    for home in homes:
        run("send", *home, "--yes", "--now")
    assert "with -o" in str(run("collection", "retry", collection, *at))
    assert "phase 'ready'" in run("collection", "retry", collection, *at, "-o", tmp_path / "crowdlog")
    release = Release.open(tmp_path / "crowdlog")
    assert release.queries().to_pylist() == [{"query": "weather", "count": 7}]
    assert release.clicks().to_pylist() == [{"query": "weather", "url": "http://w.example", "count": 7}]


def _three_searches(path: Path, person: int) -> Path:
    return _log(path, ["hotel rome", "flights rome", "vatican tickets", f"secret {person}"])


def _trail(path: Path, person: int) -> Path:
    return browser_history(path, last=f"secret{person}")


@pytest.mark.parametrize(
    ("kind", "log", "column_texts", "table", "said"),
    [
        (
            "triple",
            _three_searches,
            {"query": "hotel rome", "next_query": "flights rome", "third_query": "vatican tickets"},
            "triples",
            "triples of queries",
        ),
        (
            "query-visit",
            _trail,
            {"query": "used cars", "url": "https://second.example/"},
            "visits",
            "visited pages of queries",
        ),
    ],
)
def test_triples_and_visits_from_a_members_log_to_the_crowd_log(
    services, tmp_path, kind, log, column_texts, table, said
):
    collection, links = _create(services, tmp_path / "links.txt", "--invitations", "5", "--artifact", kind)
    at = ("--operator", services.folder / "operator.json")
    homes = [("--home", tmp_path / f"home{person}") for person in range(5)]
    for home, link in zip(homes, links, strict=True):
        assert f"{kind}, original text" in run("join", link, *home, "--yes")
    for person, home in enumerate(homes):
        shown = run("mine", log(tmp_path / f"log{person}", person), *home, "--yes")
        assert " | ".join(column_texts.values()) in shown
    run("collection", "close", collection, *at)
    with services.operator() as operator:
        operator.wait_open(collection)
    for home in homes:
        run("send", *home, "--yes", "--now")
    run("collection", "publish", collection, *at, "-o", tmp_path / "crowdlog")
    release = Release.open(tmp_path / "crowdlog")
    assert {**column_texts, "count": 5} in release.table(table).to_pylist()
    whole = "".join((tmp_path / "crowdlog" / name).read_text() for name in ("label.json", "index.html"))
    assert said in whole
    assert "secret" not in whole
    assert {row["count"] for row in release.table(table).to_pylist()} == {5}
    assert CliRunner().invoke(cli, ["verify", str(tmp_path / "crowdlog")]).exit_code == 0


def test_more_than_a_hundred_thousand_people_are_invited(services, tmp_path):
    collection, links = _create(services, tmp_path / "links.txt", "--invitations", "100001")
    assert len(set(links)) == 100_001
    at = ("--operator", services.folder / "operator.json")
    more = run("collection", "invite", collection, *at, "--people", 2).split()
    for number, link in enumerate((links[0], links[-1], more[-1])):
        run("join", link, "--home", tmp_path / f"home{number}", "--yes")
    assert "used already" in str(run("join", links[-1], "--home", tmp_path / "other", "--yes"))
    status = json.loads(run("collection", "status", collection, *at, "--json"))
    assert (status["invited"], status["joined"]) == (100_003, 3)


def test_nothing_is_sent_without_consent(services, tmp_path):
    _collection, links = _create(services, tmp_path / "links.txt", "--invitations", "1")
    home = ("--home", tmp_path / "home")
    assert isinstance(run("join", links[0], *home, answer="n\n"), PrivacyRefusal)
    assert isinstance(run("outbox", *home), InputError)  # not a member
    run("join", links[0], *home, "--yes")
    log = _log(tmp_path / "log.tsv", ["weather"])
    assert isinstance(run("mine", log, *home, answer="n\n"), PrivacyRefusal)
    assert "0 wait and 0 empty ones beside them; 0 were sent." in run("outbox", *home)
    # four more must join before anything is evaluated
    assert "1 of at least 5 people have joined" in str(run("mine", log, *home, "--yes"))


def test_a_command_cut_short_goes_on(services, tmp_path, monkeypatch):
    """The randomness server is away while a collection is created, and again while it is cancelled."""
    at = ("--operator", services.folder / "operator.json")
    with services.operator() as operator:
        answered = operator.randomness.call

        def away(method, path, body=None):
            if path == "/collections" or path.endswith("/key"):
                raise Unreachable("The service is away.")
            return answered(method, path, body)

        monkeypatch.setattr(operator.randomness, "call", away)
        with pytest.raises(Unreachable):
            operator.create(Terms("Cut short", 5, limit=2), 1)
        collection = operator.collections()[-1]["id"]
        link = run("collection", "invite", collection, *at).strip()
        assert isinstance(run("join", link, "--home", tmp_path / "home", "--yes"), InputError)
        assert "phase 'mining'" in run("collection", "retry", collection, *at)
        assert "You have joined" in run("join", link, "--home", tmp_path / "home", "--yes")
        with pytest.raises(Unreachable):
            operator.cancel(collection)
    assert key_state(services, collection) == "open"
    assert "phase 'cancelled'" in run("collection", "retry", collection, *at)
    assert key_state(services, collection) == "destroyed"


def key_state(services, collection: str) -> str:
    """Whether the randomness key of a collection exists."""
    with services.operator() as operator:
        return operator.randomness.call("GET", f"/collections/{collection}")["state"]


def test_rounds_follow_each_other(services, tmp_path):
    """Everything is asked as before, for the days after; the terms name the round before and the ledger."""
    at = ("--operator", services.folder / "operator.json")
    ledger = tmp_path / "students.sqlite"
    run("panel", ledger, "--new-ledger")
    given = ("--repeat-days", 30, "--log-from", "2026-01-01", "--log-until", "2026-01-31", "--inner", "click")
    asked = ("--panel", ledger, "--i-know")
    first, _links = _create(services, tmp_path / "1.txt", "--invitations", 1, *given, *asked)
    again = ("collection", "repeat", first, *at, "--invitations", 1, "--json", "--links", tmp_path / "2.txt")
    assert "name their ledger" in str(run(*again))
    second = json.loads(run(*again, *asked))["collection"]
    with services.operator() as operator:
        before, after = (operator.manifest(one).to_json() for one in (first, second))
    days = 30 * 86_400
    moved = {name: before["job"][name] + days for name in ("log_from", "log_until")}
    assert after["job"] == {**before["job"], **moved, "previous": first}
    own = ("collection", "mining_until", "consent", "job")
    assert {name: after[name] for name in after if name not in own} == {
        name: before[name] for name in before if name not in own
    }
    keys = ("terms", "voprf_public", "report_issuer", "evaluation_issuer", "admission_issuer", "id")
    assert {name: value for name, value in after["collection"].items() if name not in keys} == {
        name: value for name, value in before["collection"].items() if name not in keys
    }
    assert first in run("join", (tmp_path / "2.txt").read_text().strip(), "--home", tmp_path / "h", "--yes")
    single, _links = _create(services, tmp_path / "3.txt", "--invitations", 1)
    assert "no further round" in str(run("collection", "repeat", single, *at, "--links", tmp_path / "4.txt"))


def test_mistakes_are_said_in_one_sentence(services, tmp_path):
    collection, links = _create(services, tmp_path / "links.txt", "--invitations", "1")
    home = ("--home", tmp_path / "home")
    server, invitation = links[0].split("/collections/")[0], links[0].split("#")[1]
    assert "must look like" in str(run("join", "not a link", *home))
    assert "no such collection" in str(run("join", f"{server}/collections/{'0' * 64}#{invitation}", *home))
    assert "unknown or was used" in str(
        run("join", f"{server}/collections/{collection}#made-up", *home, "--yes")
    )
    at = ("--operator", services.folder / "operator.json")
    assert "close it before" in str(run("collection", "publish", collection, *at, "-o", tmp_path / "out"))
    assert "does not hold" in str(
        run("collection", "status", collection, "--operator", tmp_path / "links.txt")
    )
    run("join", links[0], *home, "--yes")
    two_users = tmp_path / "two.tsv"
    two_users.write_text(
        "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\ta\t2006-03-01 00:00:00\t\t\n2\tb\t2006-03-01 "
        "00:00:00\t\t\n"
    )
    assert "holds 2 users" in str(run("mine", two_users, *home, "--yes"))


def test_tokens_that_others_can_read_are_not_used(services, tmp_path):
    seen = tmp_path / "operator.json"
    seen.write_text((services.folder / "operator.json").read_text())
    seen.chmod(0o640)
    assert "chmod 600" in str(run("collection", "list", "--operator", seen))
    seen.chmod(0o600)
    assert "phase" in run("collection", "list", "--operator", seen)


def test_up_starts_everything_and_says_where(tmp_path):
    shown = run("up", tmp_path / "trial", "--seconds", "0.3", "--mixes", "3")
    assert [line.split()[0] for line in shown.splitlines()[:5]] == [
        "randomness",
        "mix1",
        "mix2",
        "mix3",
        "aggregation",
    ]
    assert "Ready; stop with Ctrl-C." in shown
    assert len(json.loads((tmp_path / "trial" / "operator.json").read_text())["mixes"]) == 3


def test_a_dead_service_is_started_again_at_its_address(services):
    services.kill("mix1")
    assert services.restart_dead() == ["mix1"]
    services.wait_ready("mix1")
    assert services.restart_dead() == []


def test_every_command_has_an_example():
    crowd = cli.get_command(click.Context(cli), "crowd")
    commands = [*crowd.commands.values(), *crowd.commands["collection"].commands.values()]
    assert len(commands) >= 14
    assert [
        command.name for command in commands if "Example: crowdlog crowd " not in (command.help or "")
    ] == []
