"""Numbers that cannot be counted with are refused by every command of a collection, with one sentence."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.cli.crowd import command as crowd
from crowdlog.errors import InputError

NO_NUMBERS = ("nan", "inf", "-inf", "1e400", "-1e400", "-1", "", "one")


def _commands(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        else:
            yield (*words, name), command


def _numbers() -> list[tuple[str, str]]:
    """Every option of a command of a collection that is a number."""
    kinds = (click.types.FloatParamType, click.types.IntParamType)
    return [
        (" ".join(words), option.opts[0])
        for words, command in _commands(crowd, ("crowd",))
        for option in command.params
        if isinstance(option, click.Option) and isinstance(option.type, kinds) and not option.hidden
    ]


@pytest.mark.parametrize(("command", "option"), _numbers())
def test_no_number_is_no_number(command, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    integer_may_be_negative = option == "--seed"
    for value in NO_NUMBERS[: 5 if integer_may_be_negative else None]:
        said = CliRunner().invoke(cli, [*command.split(), option, value], standalone_mode=False).exception
        assert isinstance(said, click.ClickException), value
        assert option in said.format_message(), value
    assert not list(tmp_path.iterdir())


def test_numbers_are_found():
    assert {option for _command, option in _numbers()} > {"--upload-hours", "--hours", "--rate", "--delay"}


@pytest.mark.parametrize(
    "option",
    ["--repeat-days", "--smallest-crowd", "--limit", "--invitations", "--k", "--inner-k", "--slots"],
)
def test_terms_beyond_all_measure(option, tmp_path):
    line = ["crowd", "collection", "create", "--operator", "none.json", "--title", "t"]
    line += ["--links", str(tmp_path / "links.txt"), option, "1" + "0" * 30]
    said = CliRunner().invoke(cli, line, standalone_mode=False).exception
    assert isinstance(said, click.ClickException)
    assert option in said.format_message()


@pytest.mark.parametrize("option", ["--log-from", "--log-until", "--mining-from"])
def test_days_before_the_clocks_of_computers(option, tmp_path):
    line = ["crowd", "collection", "create", "--operator", "none.json", "--title", "t"]
    line += ["--links", str(tmp_path / "links.txt"), option, "0001-01-01"]
    said = CliRunner().invoke(cli, line, standalone_mode=False).exception
    assert isinstance(said, InputError)
    assert "1970" in str(said)
