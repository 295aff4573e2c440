"""The owner's guide is true: its commands run from beginning to end, and so does every one in its text."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import CrowdlogError
from crowdlog.log.store import LogStore
from crowdlog.privacy.guarantee import approximate
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log

PAGE = (Path(__file__).parents[1] / "docs" / "owners.md").read_text(encoding="utf-8")
(BLOCK,) = re.findall(r"```\n(.+?)```", PAGE, flags=re.DOTALL)
TEXT = PAGE.replace(f"```\n{BLOCK}```", "")
SPANS = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", TEXT)]
RELEASE = "release STORE 'Crowd(epsilon=1, delta=1e-7)' --users 20000"
LATER = "-o STORE2 --ledger"  # a second import, and where its budget is kept

# Each command or option in the text of the guide, as it is run here; its exit code; what is said.
RUN: dict[str, list[tuple[str, int, str]]] = {
    "crowdlog budget STORE --epsilon 6 --delta 1e-5 --gaussian": [
        ("budget FRESH --epsilon 6 --delta 1e-5 --gaussian", 0, "Σμ²")
    ],
    "crowdlog budget STORE": [
        ("budget FRESH --epsilon 7 --delta 1e-5 --gaussian", 0, ""),
        ("budget FRESH --epsilon 8 --delta 1e-5 --gaussian", 0, "limits before +ε = .*7, δ = 1e-05, set"),
        ("budget STORE", 0, "limit"),
    ],
    "crowdlog import MONTH.tsv -o STORE2 --ledger STORE/ledger.sqlite": [
        ("import MONTH.tsv -o STORE2", 1, "--ledger"),  # it is asked about
        (f"import MONTH.tsv {LATER} STORE/ledger.sqlite", 0, ""),
        ("budget STORE2", 0, "2.3"),
    ],
    "--ledger people.sqlite --new-ledger": [
        ("import MONTH.tsv -o STORE3 --ledger people.sqlite", 1, "--new-ledger"),
        ("import MONTH.tsv -o STORE3 --ledger people.sqlite --new-ledger", 0, ""),
    ],
    "--ledger people.sqlite": [("import MONTH.tsv -o STORE5 --ledger people.sqlite", 0, "")],
    "--ledger own": [("import MONTH.tsv -o STORE4 --ledger own", 0, "")],
    "crowdlog split --share-ledger": [("split STORE -o parts --share-ledger", 0, "")],
    "--no-check": [(f"{RELEASE} --no-check -o unchecked", 0, "published|queries")],
    "crowdlog verify OUT --truth STORE": [("verify OUT --truth STORE", 0, "")],
    "crowdlog verify OUT --key HEX|FILE": [
        ("verify OUT --key HEX", 0, ""),
        (f"verify OUT --key {'00' * 32}", 1, "is not signed with the key given"),
    ],
    "crowdlog page OUT -o march.html --title 'March' --logo LOGO.svg": [
        ("page OUT -o march.html --title 'March' --logo LOGO.svg", 0, "march.html")
    ],
    "--users": [("release STORE 'Crowd(epsilon=0.1, delta=1e-9)' -o own", 0, "")],
    "crowdlog resume STORE": [("resume STORE", 0, "Nothing to finish")],
    "crowdlog check STORE --accept-ledger": [
        (f"{RELEASE} -o after", 1, "older than its store"),
        ("check STORE --accept-ledger", 0, ""),
    ],
    "crowdlog budget STORE --book EPSILON DELTA": [("budget STORE --book 2.3 1e-6", 0, "")],
    "--i-know": [
        ("release STORE 'FTu(k=3)' -o anonymous", 2, "--i-know"),
        ("release STORE 'FTu(k=3)' -o anonymous --i-know", 0, "k-anonymity"),
        (f"{RELEASE} -o promised", 2, "an earlier release of these people had no differential privacy"),
    ],
    "semantic --around-file": [
        ("semantic FRESH --around-file text --user-file user --min-users 1 --theta 0.9 -o figures", 0, "")
    ],
    "score --prefix-file": [("score anonymous --truth STORE --prefix-file text --on coverage", 0, "")],
}
# Words, not commands; and options that other pages and their tests have.
WORDS = {
    *("Crowd", "Ladder", "--sign"),
    *("show", "compare", "score", "attack", "semantic", "tasks", "recommend", "forward"),
    *(
        "--ledger postgresql://HOST/DATABASE",
        "--ledger STORE/ledger.sqlite",
        "--user-file",
        "--concept-file",
        "people.sqlite.head",
    ),
}


def crowdlog(command: str) -> tuple[int, str]:
    """A command in this process; its exit code is that of the error it ends with."""
    result = CliRunner().invoke(cli, shlex.split(command))
    error = result.exception
    if isinstance(error, CrowdlogError):
        return error.exit_code, f"{result.output}{error}"
    return result.exit_code, f"{result.output}{error or ''}"


@pytest.fixture(scope="module")
def owner(tmp_path_factory) -> Path:
    """The folder of an owner who has typed the first block of the guide into a shell."""
    folder = tmp_path_factory.mktemp("owner")
    assert crowdlog(f"synth {folder}/LOG.tsv --users 300 --seed 3")[0] == 0
    shutil.copy(folder / "LOG.tsv", folder / "MONTH.tsv")
    user, query = (folder / "LOG.tsv").read_text().splitlines()[1].split("\t")[:2]
    (folder / "text").write_text(f"{query}\n")
    (folder / "user").write_text(f"{user}\n")
    (folder / "LOGO.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    assert crowdlog(f"import {folder}/LOG.tsv -o {folder}/elsewhere/FRESH --ledger own")[0] == 0
    script = f'set -e\ncrowdlog() {{ "{sys.executable}" -m crowdlog.cli "$@"; }}\n{BLOCK}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False, timeout=1200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "elsewhere" / "FRESH").rename(folder / "FRESH")
    return folder


@pytest.mark.slow
def test_the_commands_run_from_beginning_to_end(owner):
    assert BLOCK.count("\n") == 8
    assert {"KEY.pem", "LOG.tsv", "OUT", "STORE"} <= {path.name for path in owner.iterdir()}
    with open_ledger(LogStore.open(owner / "STORE")) as ledger:
        assert ledger.entries()[0].state == "published"


def test_every_command_of_the_text_is_run_here():
    assert [span for span in SPANS if span not in RUN and span not in WORDS] == []
    assert [span for span in RUN if span not in SPANS] == []


@pytest.mark.slow
def test_the_commands_of_the_text_do_what_it_says(owner, monkeypatch):
    """The ledger is cut off where the text begins to speak of that."""
    monkeypatch.chdir(owner)
    key = json.loads(Path("OUT/label.json").read_text())["seal"]["public_key"]
    shutil.copy("STORE/ledger.sqlite", "older.sqlite")
    for span in RUN:
        if span == "crowdlog check STORE --accept-ledger":
            shutil.copy("older.sqlite", "STORE/ledger.sqlite")
        for command, expected, says in RUN[span]:
            code, said = crowdlog(command.replace("HEX", key))
            assert code == expected, f"{command}\n{said}"
            assert re.search(says, said), f"{command}\n{said}"


@pytest.mark.parametrize("damage", ["deleted", "emptied", "changed"])
def test_accepting_is_not_promised_for_a_ledger_that_cannot_be_read(tmp_path, damage):
    """The guide sends its owner to a new import, as the error does."""
    log = make_log(tmp_path, crowd_rows(5, ["weather"]))
    ledger = Path(log.ledger())
    whole = CliRunner().invoke(cli, ["check", str(log.path)])
    assert "a ledger of 0 charges" in whole.output
    with open_ledger(log) as opened:
        opened.book(approximate(1, 1e-6))
    assert "a ledger of 1 charge that" in CliRunner().invoke(cli, ["check", str(log.path)]).output
    if damage == "deleted":
        ledger.unlink()
    elif damage == "emptied":
        ledger.write_bytes(b"")
    else:
        with closing(sqlite3.connect(ledger)) as db, db:
            db.execute("UPDATE journal SET content = replace(content, 'e', 'f') WHERE number = 2")
    refused = CliRunner().invoke(cli, ["check", str(log.path), "--accept-ledger"])
    assert isinstance(refused.exception, CrowdlogError)
    assert "import the log again" in str(refused.exception)
    told = " ".join(PAGE.split())
    assert (
        "accepts no ledger that is deleted, emptied or changed in a line: then import the log again" in told
    )
