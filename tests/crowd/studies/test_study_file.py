"""Which study files are taken: the same cases as the extension's (extension/tests/src/studies.test.ts)."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.studies.signed import CATALOGUE, STUDY, catalogue, open_signed, sign
from crowdlog.crowd.studies.study_file import check_study, read_json, task_orders
from crowdlog.errors import InputError

ROOT = Path(__file__).parents[3]
CASES = json.loads((ROOT / "tests/vectors/studies.json").read_text())
SHIPPED = sorted((ROOT / "extension/src/studies/shipped").glob("*.json"))
EXAMPLES = sorted((ROOT / "docs/examples/studies").glob("*.json"))


def changed(case: dict[str, Any]) -> Any:
    study = copy.deepcopy(CASES["study"])
    place = study
    for name in case["path"][:-1]:
        place = place[name]
    if "value" in case:
        place[case["path"][-1]] = case["value"]
    else:
        del place[case["path"][-1]]
    return study


def test_the_vectors_study_is_good() -> None:
    assert check_study(CASES["study"]) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_studies_are_good_and_upload_nothing(path: Path) -> None:
    study = json.loads(path.read_text())
    assert check_study(study) == []
    assert study["upload"] == {"how": "nothing"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_good(path: Path) -> None:
    assert check_study(json.loads(path.read_text())) == []


@pytest.mark.parametrize("case", CASES["bad"], ids=lambda case: case["why"])
def test_bad_studies_are_refused(case: dict[str, Any]) -> None:
    wrong = check_study(changed(case))
    place = case["says"].removeprefix("study.")
    assert any(case["says"] in sentence or f"'{place}'" in sentence for sentence in wrong)


def test_a_lab_study_is_good_and_tells_its_orders() -> None:
    study = changed({"path": ["steps", 1], "value": CASES["lab"]})
    assert check_study(study) == []
    (orders,) = task_orders(study)
    assert len(orders) == 6
    assert orders[1] == ["trains", "cake", "shoes"]


def test_counts_of_an_app_need_the_permission_to_look() -> None:
    step = {"do": "questionnaire", "when": "once", "most_per_day": 1, "features": "assistant"}
    study = changed({"path": ["steps"], "value": [{**step, "questions": CASES["lab"]["before"]}]})
    assert check_study(study) == []
    study["permissions"].remove("behaviour")
    assert check_study(study) == ["The study does what it asks no permission for: behaviour."]


def test_signatures() -> None:
    assert open_signed(STUDY, CASES["signed"]) == CASES["study"]
    assert sign(STUDY, CASES["study"], SigningKey(b"k" * 32)) == CASES["signed"]
    forged = {**CASES["signed"], "study": {**CASES["study"], "title": "Another"}}
    with pytest.raises(InputError, match="does not fit"):
        open_signed(STUDY, forged)
    for bad in ({}, [], {**CASES["signed"], "signing": "zz"}, {**CASES["signed"], "more": 1}):
        with pytest.raises(InputError, match="no signed study"):
            open_signed(STUDY, bad)


def test_a_catalogue_holds_good_signed_studies_only() -> None:
    key = SigningKey(b"c" * 32)
    made = catalogue([CASES["signed"]], [{"from": "us", "date": "2026-11-17", "text": "hello"}], key)
    assert open_signed(CATALOGUE, made)["studies"] == [CASES["signed"]]
    assert "feedback" not in made["catalogue"]
    told = catalogue([], [], key, "https://study.example/feedback")
    assert open_signed(CATALOGUE, told)["feedback"] == "https://study.example/feedback"
    with pytest.raises(InputError, match="https"):
        catalogue([], [], key, "http://study.example/feedback")
    late = sign(STUDY, changed({"path": ["until"], "value": "2026-10-01"}), key)
    with pytest.raises(InputError, match="ends before"):
        catalogue([late], [], key)


@pytest.mark.parametrize(
    "messages",
    [
        {},
        [1],
        [{"from": "us"}],
        [{"from": "us", "date": "2026-11-17", "text": 1}],
        [{"from": "us", "date": "2026-11-17", "text": ""}],
        [{"from": "us", "date": "2026-11-17", "text": "x" * 4001}],
        [{"from": "us", "date": "yesterday", "text": "hello"}],
        [{"from": "us", "date": "2026-11-17", "text": "hello", "link": "https://study.example/"}],
    ],
    ids=str,
)
def test_messages_that_nobody_would_see_are_refused(messages: Any) -> None:
    with pytest.raises(InputError, match="Messages must be a list"):
        catalogue([], messages, SigningKey(b"k" * 32))


def test_a_catalogue_names_each_study_once() -> None:
    with pytest.raises(InputError, match="Two studies of the catalogue have the id 'example'"):
        catalogue([CASES["signed"], CASES["signed"]], [], SigningKey(b"k" * 32))


def test_a_file_must_be_json() -> None:
    with pytest.raises(InputError, match="line 2"):
        read_json('{"a": 1,\n}')


def test_a_file_that_is_nested_deeply_is_refused() -> None:
    for depth in (900, 100_000):
        text = json.dumps(CASES["study"]).replace('"An example"', "[" * depth + "]" * depth, 1)
        try:
            assert check_study(read_json(text)) != []
        except InputError as error:
            assert "nested too deeply" in str(error)  # noqa: PT017 - either is a plain refusal


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ({"do": "run-code"}, "steps[0]: 'do' must be one of coverage, group-tasks, join-collection, lab"),
        (3, "steps[0]: 'do' must be one of"),
        ({}, "steps[0]: 'do' must be one of"),
        ({"do": "coverage"}, "steps[0]: 'most_k' is a required property"),
        ({"do": "coverage", "most_k": "x"}, "steps[0].most_k: 'x' is not of type 'integer'"),
    ],
)
def test_what_is_wrong_with_a_step_is_told_for_its_kind(step: Any, told: str) -> None:
    (sentence,) = check_study({**CASES["study"], "steps": [step]})
    assert sentence.startswith(f"The study file is wrong at study.{told}")


def test_what_is_wrong_with_an_upload_is_told_for_its_kind() -> None:
    clear = {"how": "clear", "url": "ftp://study.example/", "warning": "Readable."}
    (sentence,) = check_study({**CASES["study"], "upload": clear})
    assert sentence.startswith("The study file is wrong at study.upload.url: 'ftp://study.example/'")
    (sentence,) = check_study({**CASES["study"], "upload": {"how": "loud"}})
    assert sentence.endswith("'how' must be one of clear, nothing, with the fields of that kind.")
