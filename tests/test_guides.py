"""The guides for researchers, regulators and collectors are true: every command in them runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli

DOCS = Path(__file__).parents[1] / "docs"
STUDY = DOCS / "examples/studies/apps.json"
PAGES = ("researchers", "regulators", "collectors")
KOROLOVA = "Korolova(epsilon=9, delta=1e-3, d=1)"
# As they are written, and as they are run here, where that differs: smaller, or completed.
RUN = {
    "crowdlog compare STORE 'Crowd(epsilon=[1, 2, 4], delta=1e-6)' 'FTu(k=5)' -o REPORT.html": (
        "crowdlog compare STORE 'FTu(k=5)' --on coverage --with exposure --seeds 1 -o REPORT.html"
    ),
    "crowdlog synth LOG.tsv --users 20000 --seed 1": "crowdlog synth LOG2.tsv --users 200 --seed 1",
    "crowdlog reproduce": "crowdlog reproduce --help",  # tests/reproduce run it
    "crowdlog audit 'Korolova(epsilon=1, delta=1e-4, d=5)'": "crowdlog audit --help",  # tests/audit run it
    "crowdlog verify OUT --key HEX": "crowdlog verify --help",  # tests/test_owners.py runs it
    "crowdlog site": "crowdlog site OUT -o public",
}


def commands() -> list[str]:
    text = "\n".join((DOCS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
    return sorted({" ".join(span.split()) for span in re.findall(r"`(crowdlog [^`]+)`", text)})


@pytest.fixture(scope="module")
def reader(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "STUDY.json").write_bytes(STUDY.read_bytes())
    for command in (
        "crowdlog synth LOG.tsv --users 300 --seed 5",
        "crowdlog import LOG.tsv -o STORE --ledger own",
        f"crowdlog release STORE '{KOROLOVA}' --budget 10 1e-2 -o OUT",
    ):
        run(command, folder)
    return folder


def run(command: str, folder: Path) -> str:
    words = shlex.split(command)[1:]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, (command, result.output, result.exception)
    return result.output


@pytest.mark.slow
@pytest.mark.parametrize("command", commands())
def test_a_command_of_a_guide_runs(reader, command):
    assert run(RUN.get(command, command), reader)


def test_what_is_run_otherwise_stands_in_a_guide():
    assert set(RUN) <= set(commands())
