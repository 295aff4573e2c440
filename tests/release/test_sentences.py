"""The catalogue: every sentence that a label, an explanation or a page of a release can print, with what must
be true of a release that prints it.

A sentence that is in the source and not here fails; so does one that no release prints, and one that a
release prints of which it is not true. What a mechanism says of itself is in its promise, and proved in its
page; sentences of errors are in the tests of their modules.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.release.label import Label
from crowdlog.release.publish import note_look
from crowdlog.utility.splits import split_store
from tests.mechanisms.test_every_mechanism import EXAMPLES
from tests.support.logs import crowd_rows, make_log
from tests.support.sentences import ROOT, pattern, sentences

True_ = Callable[[Label], bool]


def dp(label: Label) -> bool:
    return label.promise.guarantee.protects


def kind(*kinds: str) -> True_:
    return lambda label: label.promise.guarantee.kind in kinds


def shows(table: str) -> True_:
    """A chart of the table is on the page."""
    return lambda label: bool(label.tables.get(table))


def always(_label: Label) -> bool:
    return True


def unsafe(label: Label) -> bool:
    return any(parse(spelling).unsafe for spelling in label.mechanisms)


def seeded(label: Label) -> bool:
    return not label.noise_from_system


def step(text: str) -> True_:
    """The promise itself has the sentence in a step: what it says is proved where the step is."""
    return lambda label: any(text in each.what for each in label.promise.steps)


# Where a sentence comes from: the sentence as it begins in the source, and of which labels it is true.
CATALOGUE: dict[str, dict[str, True_]] = {
    "release/guard_rails.py": {
        "Its noise comes from a fixed seed": seeded,
        "This mechanism is known to be unsafe": lambda label: unsafe(label) and not seeded(label),
        "No formal guarantee: whoever": lambda label: (
            label.promise.guarantee.family == "none" and not unsafe(label) and not seeded(label)
        ),
        "This store is a part of another one": lambda label: label.source == "part",
        "Whether the log has fewer than 1/δ users": lambda label: (
            dp(label) and label.promise.guarantee.delta > 0
        ),
        "Only {}, no differential privacy": lambda label: label.promise.guarantee.k is not None,
        "{}: whoever knows enough about a person": lambda label: (
            label.promise.guarantee.family != "dp" and not unsafe(label) and not seeded(label)
        ),
        "ε = {} is above {}: the promise": lambda label: 10 < label.promise.guarantee.epsilon < math.inf,
        "δ = {} is not below one over": lambda label: dp(label) and label.promise.guarantee.delta >= 1 / 400,
    },
    "release/explain.py": {
        "The owner measured trials against the log": lambda label: bool(label.looks),
        "Looks at the log before this release": lambda label: bool(label.looks),
        "how often it was searched": lambda label: label.promise.counts == "impressions",
        "how many people searched it": lambda label: label.promise.counts == "users",
        "It holds {}. A count says {}": lambda label: bool(label.promise.counts),
        ": ε = {}, δ = {}": dp,
        " This spends ε = {}": dp,
        " and δ = {}": lambda label: dp(label) and any(each.delta for each in label.promise.steps),
        "one user: Neighbouring logs differ": dp,
        "nobody in particular": lambda label: label.promise.guarantee.k is not None,
        "# What this release is": always,
        "\n## What it means for you": always,
        "\n## What is not promised": lambda label: bool(label.promise.unprotected),
        "Not covered by the promise": lambda label: bool(label.promise.unprotected),
        "Where we differ from the paper": lambda label: bool(label.promise.errata),
        "\n## What was spent": dp,
        "\n## What was done": lambda label: not dp(label),
        "\n## What this means for one person": always,
    },
    "release/meaning.py": {
        "{} can be at most {} % sure": kind("pure DP", "probabilistic DP"),
        " With a probability of at most 1 in {} this promise may fail": kind("probabilistic DP"),
        "{}, and guesses after seeing this release": kind("approximate DP"),
        "Somebody who thinks it as likely as not": dp,
        "{}. What all of these have in common": lambda label: label.promise.guarantee.k is not None,
        "There is no mathematical promise": lambda label: label.promise.guarantee.family == "none",
    },
    "release/page.py": {
        "What the crowd searched for": shows("queries"),
        "Words it searched with": shows("words"),
        "Words one after the other": shows("word_pairs"),
        "Sites it went to": shows("sites"),
        "Sites it chose for a query": shows("query_sites"),
        "Sites it chose for a word": shows("word_sites"),
        "What it searched next": shows("pairs"),
        "What it searched in one session": shows("sessions"),
        "reformulations (what was asked next)": lambda label: "pairs" in label.tables,
        "sites clicked for a query": lambda label: "query_sites" in label.tables,
        "sites clicked for a word": lambda label: "word_sites" in label.tables,
        "privacy loss of one person, δ": dp,
    },
    "release/assemble.py": {"NOT PRIVATE: the noise came": seeded},
    "privacy/guarantee.py": {
        "Everything that is published was done by": kind("k-anonymity of queries"),
        "At least {k} people stand behind": kind("semantic k-anonymity of queries"),
        "Every history that is published": kind("k-anonymity of users"),
    },
}
# Layout, not sentences; and texts that only `str(guarantee)` prints (tests/privacy/test_guarantee.py).
LAYOUT = re.compile(r"[#|{}\s-]*$|## How it was made|\| \{\} |# \{\}\n")
ELSEWHERE = ("privacy/guarantee.py",)


@pytest.fixture(scope="module")
def releases(tmp_path_factory) -> list[tuple[Label, str]]:
    """Releases of every kind, with all that they print."""
    folder = tmp_path_factory.mktemp("sentences")
    log = make_log(folder, crowd_rows(400, ["weather boston", "used cars"]))
    part, _test = split_store(log, folder / "parts")
    spellings = [EXAMPLES[name][0] for name in MECHANISMS]
    spellings += [
        "Zealous(epsilon=4, delta=1e-9, d=2, setting='probabilistic', users=1000)",
        "DPu(epsilon=50, delta=1e-6, d=2)",
        "DPu(epsilon=4, delta=0.1, d=2)",
    ]
    made = []
    for number, spelling in enumerate(spellings):
        made.append(parse(spelling).release(log, folder / f"out{number}", i_know=True, check=False))
    of_part = parse("FTu(k=5)").release(part, folder / "part", i_know=True)
    note_look(log, "compare")
    again = parse("DPu(epsilon=4, delta=1e-9, d=2)")
    made.append(again.release(log, folder / "looked", i_know=True))
    made.append(again.release(log, folder / "seeded", i_know=True, randomness=SeededRandomness(1)))
    told = [(release.label, printed(release)) for release in made]
    from dataclasses import replace

    return [*told, (replace(of_part.label, source="part"), printed(of_part))]


def printed(release: Release) -> str:
    """Everything that a release prints: its label as strings, and its pages."""
    import html

    def strings(value: object) -> list[str]:
        if isinstance(value, dict):
            return [text for each in value.values() for text in strings(each)]
        if isinstance(value, list):
            return [text for each in value for text in strings(each)]
        return [value] if isinstance(value, str) else []

    label = json.loads((release.path / "label.json").read_text(encoding="utf-8"))
    pages = [(release.path / name).read_text(encoding="utf-8") for name in ("label.md", "explanation.md")]
    page = html.unescape((release.path / "index.html").read_text(encoding="utf-8"))
    return "\n".join([*strings(label), *pages, page])


def whole(module: str, beginning: str) -> str:
    (found,) = {text for text in sentences(module) if text.startswith(beginning)}
    return found


@pytest.mark.parametrize("module", CATALOGUE)
def test_the_catalogue_has_every_sentence(module):
    if module in ELSEWHERE:
        return
    known = CATALOGUE[module]
    new = [
        text
        for text in sentences(module)
        if not any(text.startswith(each) for each in known)
        and not LAYOUT.match(text)
        and "--i-know" not in text
    ]
    assert new == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "beginning"), [(module, each) for module, known in CATALOGUE.items() for each in known]
)
def test_every_sentence_is_true_of_a_release_that_prints_it(releases, module, beginning):
    """It is printed by the releases that it is true of, by at least one, and by no other."""
    looks_like = pattern(whole(module, beginning))
    says = [bool(looks_like.search(text)) for _label, text in releases]
    true = [CATALOGUE[module][beginning](label) for label, _text in releases]
    wrong = [label.mechanisms for (label, _t), a, b in zip(releases, says, true, strict=True) if a != b]
    assert wrong == []
    assert any(says)


def test_the_table_of_promises_can_be_followed():
    text = (ROOT / "proofs" / "README.md").read_text(encoding="utf-8")
    table = text.split("## What is promised, and what stands behind it")[1].split("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ") and "---" not in line][
        1:
    ]
    assert len(rows) >= 20
    for row in rows:
        page, part = re.search(r"\[([\w.-]+)\]\([\w.-]+\): (.+)", row[1]).groups()
        assert part.strip() in (ROOT / "proofs" / page).read_text(encoding="utf-8"), row[1]
        for name, test in re.findall(r"(tests/[\w/]+\.py)(?:::(\w+))?", " ".join(row)):
            assert (ROOT / name).is_file(), name
            assert not test or f"def {test}(" in (ROOT / name).read_text(encoding="utf-8"), test
    named = " ".join(row[0] for row in rows)
    assert [name for name in MECHANISMS if f"`{name}`" not in named] == []


def test_every_mechanism_names_a_page_that_is_there():
    for name in MECHANISMS:
        assert Path(ROOT / parse(find(name).example).promise().proof).is_file(), name
