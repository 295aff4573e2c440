"""The catalogue of errors: every sentence with which a release can be refused or fail, provoked for real.

The sentences are read from the source: one that has no case here fails, and so does a case whose sentence is
gone. Each case must come to the very line that makes its error, end with the exit code of its class, hold no
text of the log, and be true where it tells what was charged or published. Labels and pages have the catalogue
of test_sentences.py, what commands print that of test_command_sentences.py.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crowdlog.errors import CrowdlogError, noted
from tests.release.errors.bench import QUERY, Bench, Case, Cases, Killed
from tests.release.errors.of_anonymity import ANONYMITY_ERRORS, ANONYMITY_PARTS
from tests.release.errors.of_ledgers import LEDGER_ERRORS, LEDGER_PARTS
from tests.release.errors.of_mechanisms import MECHANISM_ERRORS, MECHANISM_PARTS
from tests.release.errors.of_releases import RELEASE_ERRORS, RELEASE_PARTS
from tests.release.errors.of_spark import SPARK_ERRORS, SPARK_PARTS
from tests.release.errors.of_synthesize import SYNTHESIZE_ERRORS
from tests.release.told import CATALOGUE
from tests.support.logs import crowd_rows, make_log
from tests.support.sentences import SOURCE, ErrorSite, error_parts, error_sites, pattern

CASES = {**RELEASE_ERRORS, **LEDGER_ERRORS, **MECHANISM_ERRORS, **SPARK_ERRORS, **SYNTHESIZE_ERRORS}
CASES |= ANONYMITY_ERRORS
PARTS = {**RELEASE_PARTS, **LEDGER_PARTS, **MECHANISM_PARTS, **SPARK_PARTS, **ANONYMITY_PARTS}
# The way of a release: its own folder, what promises and decides, what counts, what is written and where.
ON_THE_WAY = (
    *("release/*.py", "plan/*.py", "mechanisms/*.py", "mechanisms/rungs/*.py", "files/*.py"),
    *("privacy/*.py", "privacy/selection/*.py", "engine/*.py", "engine/spark/*.py", "artifacts/*.py"),
    *("artifacts/knowledge/*.py", "artifacts/semantic/*.py", "clusters/*.py", "clusters/distances/*.py"),
    *("release/synthesize/*.py", "log/store.py", "log/fetch.py", "pages/picture.py", "extras.py"),
    *(f"cli/{name}.py" for name in ("__init__", "budget", "release", "resume", "verify")),
)
# What `crowdlog semantic` alone reads and draws.
_NO_RELEASE = {"artifacts/semantic/labels.py", "artifacts/semantic/neighbourhood_figure.py"}
MODULES = sorted(
    {str(path.relative_to(SOURCE)) for glob in ON_THE_WAY for path in SOURCE.glob(glob)} - _NO_RELEASE
)
# Texts of these modules that no error holds: help and reports of commands, the page beside a sampled log.
NO_PARTS = re.compile(r"cli/.*|release/(verify|verify_clusters|export|label|promise|synthesize/write)\.py")
# What SQLite and Java are told, what Java says, and an error of ours of which the type alone is shown. 'it is
# empty' is shown by 'cannot be opened ({})'.
NOT_SAID = re.compile(
    r"BEGIN; |LogStore\(|it is empty, or no ledger|appender\.none|-XX:|OutOfMemory\(|Python worker exited"
    r"|ExecutorLost.*\||\{\} failed on"
)


def matching(module: str, fragment: str) -> ErrorSite:
    """The place in the source that a case is for: `#2` is the second of equal sentences."""
    text, _, number = fragment.partition(" #")
    sites = error_sites(module)
    found = [site for site in sites if site.text == text] or [site for site in sites if text in site.text]
    first = found[int(number or 1) - 1]
    assert all(site.text == first.text for site in found), f"{module}: several sentences hold '{text}'"
    return first


@pytest.mark.parametrize("module", MODULES)
def test_every_error_on_the_way_of_a_release_has_a_case(module):
    cases = [matching(module, fragment) for fragment in CASES.get(module, {})]
    assert sorted(cases, key=lambda site: site.first) == error_sites(module)
    if module in PARTS:
        texts = [text for text in error_parts(module) if not NOT_SAID.match(text)]
        known = PARTS[module]
        assert [text for text in texts if not any(part in text for part in known)] == []
        assert [part for part in known if not any(part in text for text in texts)] == []


def test_no_module_is_left_out():
    """What holds parts of sentences and is no module of the label's catalogue is named, or has cases."""
    told = {module for module in MODULES if error_sites(module) and not NO_PARTS.match(module)}
    held = {module: [text for text in error_parts(module) if not NOT_SAID.match(text)] for module in told}
    silent = {module for module in told - set(PARTS) - set(CATALOGUE) if held[module]}
    mechanisms = {module for module in silent if module.startswith(("mechanisms/", "artifacts/"))}
    assert silent - mechanisms <= {
        "clusters/partition.py",  # how it looks in a notebook
        "engine/spark/source.py",  # SQL
        "plan/as_json.py",
        "privacy/accounting.py",
        "privacy/histories.py",
        "privacy/selection/incidence.py",
        "privacy/selection/own_size.py",
    }
    assert set(CASES) | set(PARTS) <= set(MODULES)


@dataclass(frozen=True)
class Made:
    """An error that was made, and where."""

    module: str
    line: int
    text: str


@pytest.fixture(scope="module")
def made_once(tmp_path_factory) -> Path:
    """A store with a budget, and a release of it."""
    folder = tmp_path_factory.mktemp("errors")
    log = make_log(folder, crowd_rows(60, [QUERY]))
    from crowdlog.mechanisms import parse

    parse("DPu(epsilon=4, delta=1e-9, d=2)").release(log, folder / "done")
    return folder


@pytest.fixture
def bench(made_once, tmp_path, monkeypatch) -> Iterator[Bench]:
    prepared = Bench(tmp_path, made_once, monkeypatch)
    yield prepared
    for cluster in prepared.clusters:
        with suppress(subprocess.CalledProcessError):  # the case has stopped it
            cluster.stop()
        cluster.remove()


@pytest.fixture
def made(monkeypatch) -> list[Made]:
    """Every error of ours that is made from now on."""
    found: list[Made] = []
    make = CrowdlogError.__init__

    def remember(error: CrowdlogError, *words: Any) -> None:
        make(error, *words)
        caller = sys._getframe(1)
        if (path := Path(caller.f_code.co_filename)).is_relative_to(SOURCE):
            found.append(Made(str(path.relative_to(SOURCE)), caller.f_lineno, str(error)))

    monkeypatch.setattr(CrowdlogError, "__init__", remember)
    return found


def provoke(bench: Bench, case: Case) -> str:
    """What is said: the error's sentence, or what an error of ours takes along."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one it must be is checked by its place
        case(bench)
    error = caught.value
    assert not isinstance(error, Killed)
    said = str(error) if isinstance(error, CrowdlogError) else noted(error)
    assert QUERY not in said
    assert said, repr(error)
    return said


def check_truth(bench: Bench, said: str) -> None:
    """What a sentence tells of charges and files is so."""
    states = bench.charges_now()
    if re.search("othing was (charged|drawn|done|booked)|othing is released|promises nothing|budget", said):
        assert len(states) in (bench.charges, 0), said  # 0: there is no ledger to be read
    if re.search("It is charged|is charged and published|made but could not be named|is made: run", said):
        assert len(states) == bench.charges + 1, said
        assert states[-1] in ("charged", "publishing"), said
    if re.search("othing was published|nothing may be published|nothing was left behind", said):
        assert not bench.out.exists(), said
    if re.search("charged and published|lies complete", said):
        assert (bench.out / "label.json").is_file()
    if "\n" in said:
        pytest.fail(f"more than one line: {said}")


def cases_of(known: Cases) -> list[Any]:
    """Those on Spark run in one process, which starts Java once."""
    together = [pytest.mark.xdist_group("spark"), pytest.mark.slow]
    return [
        pytest.param(module, each, marks=together if "spark" in module else [])
        for module, cases in known.items()
        for each in cases
    ]


@pytest.mark.parametrize(("module", "fragment"), cases_of(CASES))
def test_the_error_is_made_where_it_stands_and_is_true(bench, made, module, fragment):
    site = matching(module, fragment)
    said = provoke(bench, CASES[module][fragment])
    here = [each for each in made if each.module == module and site.first <= each.line <= site.last]
    assert here, f"made elsewhere: {made}"
    assert here[-1].text in said
    check_truth(bench, said)


@pytest.mark.parametrize(("module", "part"), cases_of(PARTS))
def test_the_part_is_said_and_is_true(bench, module, part):
    (text,) = {text for text in error_parts(module) if part in text}
    said = provoke(bench, PARTS[module][part])
    assert pattern(text).search(said), said
    check_truth(bench, said)
