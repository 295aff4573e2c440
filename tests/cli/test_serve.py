"""What the dashboard is given on the command line: what cannot be used is told, before anything listens."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from click import UsageError
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.web.workspace import Workspace

PASSWORD = "long enough, and more"


def add(desk: Path, password: Path):
    words = ["serve", str(desk), "--add", "Ada", "owner", "--password-file", str(password)]
    return CliRunner().invoke(cli, words, standalone_mode=False)


@pytest.fixture(autouse=True)
def temporary_folder_as_it_was(monkeypatch):
    """The command names a folder for uploads, for its whole process: here for this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)


@pytest.fixture
def password(tmp_path) -> Path:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\r\n")
    return file


def test_who_was_added_by_the_command_stands_in_the_audit_trail(tmp_path, password):
    assert add(tmp_path / "desk", password).exception is None
    with closing(Workspace(tmp_path / "desk")) as desk:
        assert desk.accounts.log_in("Ada", PASSWORD)
        (line,) = desk.audit()
    assert line[1:] == ("the command line", "set the role of Ada to owner")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe\0", "is not UTF-8"),
        (b"", "must hold the password"),
        (b"long enough, one\nlong enough, two\n", "on one line"),
    ],
)
def test_a_password_that_cannot_be_read(tmp_path, content, told):
    if content is not None:
        (tmp_path / "given").write_bytes(content)
    answer = add(tmp_path / "desk", tmp_path / "given")
    assert isinstance(answer.exception, InputError)
    assert told in str(answer.exception)


def test_a_folder_or_a_database_that_is_none(tmp_path, password):
    answer = add(password, password)
    assert isinstance(answer.exception, InputError)
    assert "cannot be the dashboard's folder: File exists" in str(answer.exception)
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "dashboard.sqlite").write_bytes(b"something else " * 500)
    answer = add(tmp_path / "desk", password)
    assert isinstance(answer.exception, InputError)
    assert "dashboard.sqlite is no database" in str(answer.exception)


def test_ports_and_certificates_that_are_none(tmp_path, password):
    desk = str(tmp_path / "desk")
    add(tmp_path / "desk", password)
    answer = CliRunner().invoke(cli, ["serve", desk, "--port", "70000"], standalone_mode=False)
    assert isinstance(answer.exception, UsageError)
    for given, why in ((str(tmp_path / "none"), "No such file"), (str(password), "no pair in PEM")):
        words = ["serve", desk, "--port", "0", "--certfile", given, "--keyfile", given]
        answer = CliRunner().invoke(cli, words, standalone_mode=False)
        assert isinstance(answer.exception, InputError)
        assert why in str(answer.exception)
