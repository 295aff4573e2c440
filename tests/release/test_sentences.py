"""The catalogue: every sentence that a label, an explanation or a page of a release can print, with what must
be true of a release that prints it (`tests/release/told/`).

A sentence that is in the source and not here fails; so does one that no release prints, one that a release
prints of which it is not true, and one that is printed and comes from nowhere in the catalogue. Sentences of
errors have cases of their own (test_error_sentences.py).
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crowdlog.log.store import LogStore
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.release.label import Label
from crowdlog.release.publish import note_look
from crowdlog.utility.splits import split_store
from tests.mechanisms.test_every_mechanism import EXAMPLES
from tests.release.told import CATALOGUE
from tests.release.told.truths import Filled, mechanism
from tests.support.logs import crowd_rows, make_log
from tests.support.sentences import (
    ROOT,
    SOURCE,
    covering,
    pattern,
    sentences,
    template_texts,
    told_parts,
)

# Layout, not sentences; and texts that only `str(guarantee)` prints (tests/privacy/test_guarantee.py).
# What members of a collection draw themselves is in tests/crowd/services/test_aggregation_server.py, what is
# only collected, never released from a store, in tests/crowd/test_publication.py.
LAYOUT = re.compile(
    r"Each member draws herself|searches in a row of three|pages reached from a query|What it searched one "
    r"after the other|Where its searches led|visited pages of queries|The aggregation server also sees|"
    r"its tables \(|[#|{}\s-]*$|## How it was made|\| \{\} |# \{\}\n|The numbers of this chart|"
    r"The chart is drawn by a script|"
    r"th scope=row|Any result is \{\} with|\{\} \(\{\}\)\. It is no differential|No guarantee: what is|at "
    r"most (e\^)?\{\} times|except with a probability|apart from a chance|one user, added|"
    r"semantic k-anonymity of q"
)
# Help of parameters that is put together, spellings to try, and what the list of mechanisms is made of.
HELP = re.compile(
    r"times the usual share of the privacy|what is counted: |Write it like|A collection cannot|"
    "file of surfaced URLs$"
)
# Modules whose texts are values of a table, reports of a command, or errors (test_error_sentences.py).
NOT_TOLD = {
    "artifacts/breakdowns.py",
    *("mechanisms/catalogue.py", "mechanisms/asked.py", "plan/agreement.py"),
    *(f"release/{name}.py" for name in ("export", "folder", "place", "publish", "resume", "verify")),
    *("release/verify_clusters.py", "release/verify_exact.py"),
}
TOLD_BY = (
    *("release/*.py", "plan/*.py", "mechanisms/*.py", "mechanisms/rungs/*.py", "pages/bar_chart.py"),
    *("artifacts/public_lists.py", "privacy/guarantee.py"),
)
MODULES = sorted(str(path.relative_to(SOURCE)) for glob in TOLD_BY for path in SOURCE.glob(glob))
PROMISED = "## What is promised, and what stands behind it"
TEMPLATES = ("release", "page", "parts")  # those that a release's page is made of


@dataclass(frozen=True)
class Told:
    """A release, and all that it and its owner are told."""

    label: Label
    text: str


def spellings(folder: Path) -> list[str]:
    """Every mechanism, and every parameter that changes a sentence."""
    files = {
        "pool": "zebra\n",
        "surfaced": "used cars\thttp://a.example\n",
        "topics": "used cars\tshopping\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    pool, surfaced, topics = (str(folder / name) for name in files)
    return [
        *(EXAMPLES[name][0] for name in MECHANISMS),
        "Zealous(epsilon=4, delta=1e-9, d=2, setting='probabilistic', users=1000)",
        "DPu(epsilon=0.05, delta=1e-9, d=2)",  # shows nothing
        "DPu(epsilon=50, delta=1e-6, d=2)",
        "DPu(epsilon=4, delta=0.1, d=2)",
        "DPu(epsilon=4, delta=1e-6, d=2, keep='random', artifact='query-site')",
        "DPa(epsilon=4, delta=1e-6, d=2, keep='random', artifact='word-site')",
        "Zealous(epsilon=4, delta=1e-6, d=2, keep='random')",
        "Keys(epsilon=4, delta=1e-6, weight_counts=0)",
        "Keys(epsilon=4, delta=1e-6, selection='routed', weight_counts=0)",
        "Keys(epsilon=4, delta=1e-6, selection='routed', route='shared', weight_counts=0)",
        f"AClick(epsilon=4, q_f=2, pool='{pool}', weight_clicks=0)",
        "AClick(epsilon=4, q_f=2, mode='open')",
        f"AClick(epsilon=4, q_f=2, urls='public', surfaced='{surfaced}')",
        f"ASession(epsilon=4, delta=1e-9, l_q=2, weight_clicks=0, features='{topics}')",
        f"ClosedDomain(epsilon=4, d=2, pool='{pool}')",
        f"Crowd(epsilon=4, delta=1e-9, pool='{pool}', unknown=0.25, weight_pairs=0, weight_clicks=0)",
        "Korolova(epsilon=4, delta=1e-9, d=2, urls='top-clicked')",
        "Korolova(epsilon=4, delta=1e-9, d=2, urls='top-clicked', weight_clicks=0)",
        "Ladder(epsilon=4, delta=1e-9)",
        "Ladder(epsilon=4, delta=1e-9, people=401, weight_shares=0)",
        f"Ladder(epsilon=4, delta=1e-9, people=1000, topics='{topics}')",
        "Mdav(k=4, distance='random', names='allow')",
        "Poblete(k=2, K=3)",
        "SemanticMdav(k=4, exact=100, swaps=2, medoid='once')",
        "SemanticKAnonymity(k=300, theta=1)",
        "SemanticKAnonymity(k=300, theta=0.9, word_users=2, names='allow')",
        "SemanticKAnonymity(k=300, theta=0.9, word_users=5, min_users=5, sample=1)",
        "SplitSessions(session_minutes=5)",
    ]


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> list[Told]:
    """Releases of every kind, with all that they print."""
    folder = tmp_path_factory.mktemp("sentences")
    log = make_log(folder, crowd_rows(400, ["weather boston", "used cars"]))
    part, _test = split_store(log, folder / "parts")
    made = []
    for number, spelling in enumerate(spellings(folder)):
        made.append(parse(spelling).release(log, folder / f"out{number}", i_know=True, check=False))
    of_part = parse("FTu(k=5)").release(part, folder / "part", i_know=True)
    note_look(log, "compare")
    again = parse("DPu(epsilon=4, delta=1e-9, d=2)")
    made.append(again.release(log, folder / "looked", i_know=True))
    made.append(again.release(log, folder / "seeded", i_know=True, randomness=SeededRandomness(1)))
    told = [Told(release.label, printed(release, log)) for release in made]
    return [*told, Told(replace(of_part.label, source="part"), printed(of_part, part))]


def printed(release: Release, log: LogStore) -> str:
    """Everything that a release prints: its label as strings, its pages, and the advice to its owner."""

    def strings(value: object) -> list[str]:
        if isinstance(value, dict):
            return [text for each in value.values() for text in strings(each)]
        if isinstance(value, list):
            return [text for each in value for text in strings(each)]
        return [value] if isinstance(value, str) else []

    label = json.loads((release.path / "label.json").read_text(encoding="utf-8"))
    pages = [(release.path / name).read_text(encoding="utf-8") for name in ("label.md", "explanation.md")]
    page = html.unescape((release.path / "index.html").read_text(encoding="utf-8"))
    return "\n".join([*strings(label), *pages, page, *mechanism(release.label).advice(log)])


def whole(module: str, beginning: str) -> str:
    if module.endswith(".html"):
        return beginning
    found = {text for text in sentences(module) if text.startswith(beginning)}
    if beginning in found:
        return beginning
    (only,) = found
    return only


@pytest.mark.parametrize("module", MODULES)
def test_the_catalogue_has_every_sentence(module):
    known = CATALOGUE.get(module, {})
    new = [text for text in told_parts(module) if not any(text.startswith(each) for each in known)]
    if module in NOT_TOLD:
        assert new  # else it need not be named there
        return
    assert [text for text in new if not LAYOUT.match(text) and not HELP.match(text)] == []


def test_the_catalogue_has_every_text_of_the_page():
    for name in TEMPLATES:
        module = f"pages/templates/{name}.html"
        known = CATALOGUE.get(module, {})
        new = [text for text in template_texts(module) if not any(text.startswith(each) for each in known)]
        assert [text for text in new if not LAYOUT.match(text)] == [], name


NEW = """
from crowdlog.release.promise import Step

ASSUMED = ("Nobody reads this over her shoulder.",)


class Made:
    "A text of the documentation, not of a label."
    title: ClassVar[str] = "A title of many words"
    k: int = parameter("how many people there must be")

    def steps(self):
        if self.k < 0:
            raise InputError("That cannot be done at all.")
        return Step("Look", f"Look at {self.k} people and forget them.")
"""


def test_a_new_sentence_of_a_mechanism_is_found_in_its_source(tmp_path, monkeypatch):
    (tmp_path / "new.py").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr("tests.support.sentences.SOURCE", tmp_path)
    found = ["Look at {} people and forget them.", "Nobody reads this over her shoulder."]
    assert sorted(told_parts("new.py")) == found


def test_a_new_text_of_a_template_is_found(tmp_path, monkeypatch):
    page = '{% if a %}<p class="x">It is all fine.</p>{% endif %}{{ lines("Two words", b) }}'
    (tmp_path / "new.html").write_text(page, encoding="utf-8")
    monkeypatch.setattr("tests.support.sentences.SOURCE", tmp_path)
    assert template_texts("new.html") == ["It is all fine.", "Two words"]


def test_the_catalogue_names_no_module_that_is_not_looked_at():
    assert {module for module in CATALOGUE if not module.endswith(".html")} <= set(MODULES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "beginning"), [(module, each) for module, known in CATALOGUE.items() for each in known]
)
def test_every_sentence_is_true_of_a_release_that_prints_it(releases, module, beginning):
    """It is printed by the releases that it is true of, by at least one, and by no other; and with the right
    numbers, where they follow from the mechanism.
    """
    true = CATALOGUE[module][beginning]
    sentence = whole(module, beginning)
    looks_like = pattern(sentence, numbers=module == "plan/bounds.py")

    def says(told: Told) -> bool:
        if isinstance(true, Filled) and true(told.label):
            return bool(pattern(true.text(sentence, told.label)).search(told.text))
        if isinstance(true, Filled):  # another mechanism may say the same with other words in the gaps
            return False
        return bool(looks_like.search(told.text))

    wrong = [told.label.mechanisms for told in releases if says(told) != true(told.label)]
    assert wrong == []
    assert any(says(told) for told in releases)


@pytest.mark.slow
def test_nothing_is_said_that_is_not_in_the_catalogue(releases):
    """Of everything that a label says in sentences nothing is left when those of the catalogue are taken out:
    wherever in the source it was written.
    """
    known = {whole(module, each) for module, told in CATALOGUE.items() for each in told}
    known.add("everything")  # a bound in one word
    patterns = [covering(sentence) for sentence in sorted(known, key=len, reverse=True)]
    for told in releases:
        promise = told.label.promise
        said = [step.what for step in promise.steps]
        bounds = {str(plan.bound) for plan in promise.tables}
        for text in (
            *said,
            *promise.assumptions,
            *promise.errata,
            *promise.unprotected,
            *told.label.warnings,
        ):
            bound = text.removeprefix("Count ").removesuffix(".")
            rest = bound if bound in bounds else text
            for each in patterns:
                rest = each.sub("", rest)
            assert not re.search(r"\w", rest), (told.label.mechanisms, text, rest)


@pytest.mark.slow
def test_a_label_has_the_title_and_the_source_of_its_mechanism(releases):
    for told in releases:
        made = mechanism(told.label)
        assert (told.label.description, told.label.published_in) == (made.title, made.source)
        assert made.title in told.text


def promise_rows(page: Path) -> list[list[str]]:
    """The table of promises on a page: for all on proofs/README.md, for one mechanism on its own page."""
    text = page.read_text(encoding="utf-8")
    if PROMISED not in text:
        return []
    table = text.split(PROMISED)[1].split("\n## ")[0]
    return [line.split(" | ") for line in table.splitlines() if line.startswith("| ") and "---" not in line][
        1:
    ]


def test_a_promise_may_stand_on_the_page_of_its_mechanism(tmp_path):
    page = tmp_path / "top-clicks.md"
    head = "| promise | page and part | exact test | audit | what was tried |\n|---|---|---|---|---|\n"
    page.write_text(f"# TopClicks\n\n## Claim\n\n{PROMISED}\n\n{head}| `TopClicks`: DP | a | b | c | d |\n")
    assert promise_rows(page) == [["| `TopClicks`: DP", "a", "b", "c", "d |"]]
    page.write_text("# TopClicks\n\n| a | b |\n")
    assert promise_rows(page) == []


def test_the_table_of_promises_can_be_followed():
    rows = [row for page in sorted((ROOT / "proofs").glob("*.md")) for row in promise_rows(page)]
    assert len(rows) >= 20
    for row in rows:
        page, part = re.search(r"\[([\w.-]+)\]\([\w.-]+\): (.+)", row[1]).groups()
        assert part.strip() in (ROOT / "proofs" / page).read_text(encoding="utf-8"), row[1]
        for name, test in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", " ".join(row)):
            assert (ROOT / name).is_file(), name
            assert not test or f"def {test}(" in (ROOT / name).read_text(encoding="utf-8"), test
    named = " ".join(row[0] for row in rows)
    assert [name for name in MECHANISMS if f"`{name}`" not in named] == []


def test_the_list_of_what_outsiders_tried_can_be_followed():
    text = (ROOT / "docs" / "tried.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 30
    for row in rows:
        named = re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", row[2])
        assert named, row[0]
        for name, test in named:
            assert (ROOT / name).is_file(), name
            assert not test or f"def {test}(" in (ROOT / name).read_text(encoding="utf-8"), test


def test_every_mechanism_names_a_page_that_is_there():
    for name in MECHANISMS:
        assert Path(ROOT / parse(find(name).example).promise().proof).is_file(), name
