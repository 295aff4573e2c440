"""The images: what they copy is there and is let in, and their steps are commands that exist.

The steps themselves were carried out by `tools/try_containerfile`, which needs root and some minutes.
"""

import json
import re
import shlex
import subprocess
from fnmatch import fnmatch
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import click
import pytest

from crowdlog.cli import cli

ROOT = Path(__file__).resolve().parents[1]
FILES = ("Containerfile", "deploy/Containerfile")


def instructions(name: str) -> list[tuple[str, str]]:
    """As the tool that carries them out reads them."""
    loader = SourceFileLoader("try_containerfile", str(ROOT / "tools" / "try_containerfile"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module.instructions((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FILES)
def test_what_is_copied_is_there_and_let_in(name):
    """A build context without .dockerignore would hold .venv and .git: gigabytes, and whatever lies there."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines, "nothing but what is named"
    let_in = [line[1:] for line in lines if line.startswith("!")]
    for word, rest in instructions(name):
        if word == "COPY":
            for source in shlex.split(rest)[:-1]:
                assert (ROOT / source).exists(), source
                assert any(fnmatch(source, pattern) for pattern in let_in), source


@pytest.mark.parametrize("name", FILES)
def test_what_is_installed_is_locked_and_holds_no_test_tools(name):
    installed = [rest for word, rest in instructions(name) if word == "RUN" and "pip install" in rest]
    (locked,) = [rest for rest in installed if "-r " in rest]
    assert "--require-hashes" in locked
    assert locked.split("-r ")[1].split("/")[-1] == "requirements-run.lock"
    lock = (ROOT / "requirements-run.lock").read_text()
    assert not re.search(r"^(pytest|mypy|playwright)==", lock, re.MULTILINE)
    assert all("--no-deps" in rest for rest in installed), "nothing that no hash is known of"
    assert re.search(r"^setuptools==", lock, re.MULTILINE), "--no-build-isolation needs it"


@pytest.mark.parametrize("name", FILES)
def test_every_step_is_shell_and_every_command_of_ours_exists(name):
    for word, rest in instructions(name):
        if word == "RUN":
            subprocess.run(["/bin/sh", "-n", "-c", rest], check=True)
            for step in rest.split("&&"):
                if step.split()[0] == "crowdlog":
                    assert accepted(shlex.split(step)[1:]), step
        if word == "ENTRYPOINT":
            assert json.loads(rest)[0] == "crowdlog"


def accepted(words: list[str]) -> bool:
    """Whether the command line takes these words."""
    command = cli.get_command(click.Context(cli), words[0])
    return command is not None and command.make_context(words[0], words[1:]) is not None


def test_the_image_keeps_compiled_loops_of_a_log_that_is_large_enough():
    """A small log is imported without compiling: an image made with one would keep nothing."""
    (warm,) = [rest for word, rest in instructions("Containerfile") if "synth" in rest]
    assert int(re.search(r"--users (\d+)", warm)[1]) >= 300
    assert "crowdlog release" in warm
