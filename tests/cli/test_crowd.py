"""A whole collection by its commands: five volunteers, one operator, real services."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.crowd.services.local import LocalServices
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.release.folder import Release

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
    run("collection", "publish", collection, *at, "-o", tmp_path / "crowdlog")
    release = Release.open(tmp_path / "crowdlog")
    assert release.queries().to_pylist() == [{"query": "weather", "count": 7}]
    assert release.clicks().to_pylist() == [{"query": "weather", "url": "http://w.example", "count": 7}]


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
