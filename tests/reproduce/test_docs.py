"""The guide names studies that exist, and the commands it shows are understood."""

import re
import shlex
from pathlib import Path

from crowdlog.cli.reproduce import command
from crowdlog.reproduce.studies import STUDIES, chosen

GUIDE = (Path(__file__).parents[2] / "docs" / "reproduce.md").read_text(encoding="utf-8")


def test_every_study_has_a_row_and_every_row_a_study():
    assert set(re.findall(r"^\| `([a-z0-9.-]+)` \|", GUIDE, flags=re.MULTILINE)) == set(STUDIES)


def test_the_commands_are_understood():
    lines = re.findall(r"^crowdlog reproduce .*", GUIDE, flags=re.MULTILINE)
    assert lines
    for line in lines:
        parsed = command.make_context("reproduce", shlex.split(line, comments=True)[2:]).params
        assert chosen(parsed["which"] or "")
