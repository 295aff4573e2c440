"""The README's tour and its Python lines run as they stand."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def tour() -> list[str]:
    return [
        line
        for block in re.findall(r"```sh\n(.+?)```", README, flags=re.DOTALL)
        for line in block.splitlines()
        if line.startswith("crowdlog ")
    ]


@pytest.mark.slow
def test_the_tour_and_the_python_lines_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(tour()) >= 10
    for line in tour():
        result = CliRunner().invoke(cli, shlex.split(line, comments=True)[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}\n{result.exception!r}"
    (snippet,) = re.findall(r"```python\n(.+?)```", README, flags=re.DOTALL)
    # the tour has made these already
    snippet = snippet.replace('"STORE"', '"STORE2"').replace('"OUT"', '"OUT2"')
    done = subprocess.run([sys.executable, "-c", snippet], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ε = 2.3" in done.stdout


def test_the_pictures_and_pages_it_names_exist():
    root = Path(__file__).parent.parent
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert (root / target).exists(), target


def test_the_site_begins_with_the_same_tour():
    page = (Path(__file__).parent.parent / "docs" / "index.md").read_text(encoding="utf-8")
    assert [line for line in tour() if line not in page.splitlines()] == []
