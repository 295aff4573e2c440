"""Answers that the browser extension saved, as a study. A file that a browser wrote: tests/extension."""

import json

import pytest

from crowdlog.applications.frustration.study import read_study
from crowdlog.errors import InputError


def answer(time, label, urls=2, **others):
    numbers = {"characters": 9, "letters_per_word": 4, "task_seconds": 60, "task_actions": 3, "urls": urls}
    made = {"step": 0, "time": time, "about": "canary", "values": {"frustrated": "very", **numbers, **others}}
    return made if label is None else {**made, "label": label}


def saved(path, *answers):
    path.write_text(json.dumps({"study": "frustration", "answers": answers}), encoding="utf-8")
    return path


def test_a_file_is_one_person_in_order_of_time(tmp_path):
    other = {"step": 1, "time": 5, "about": "x", "values": {"goal": "canary"}}
    found = read_study(saved(tmp_path / "her.json", answer(30, 2, 4), other, answer(10, 1), answer(40, None)))
    assert found.names == ["her"]
    assert found.task.tolist() == [0, 1, 2]
    assert found.search == ["1", "2", "3"]
    assert found.label.tolist() == [0, 1, -1]  # the first choice is "not frustrated", also where it is alone
    assert found.features.tolist() == [[9, 4, 60, 3, 2], [9, 4, 60, 3, 3], [9, 4, 60, 3, 8 / 3]]


def test_a_folder_has_a_file_for_each_person(tmp_path):
    saved(tmp_path / "b.json", answer(1, 1))
    saved(tmp_path / "a.json", answer(1, 5), answer(2, 1))
    saved(tmp_path / "c.json")  # took part, and was not asked yet
    (tmp_path / "notes.txt").write_text("of the experimenter")
    found = read_study(tmp_path)
    assert (found.names, found.user.tolist()) == (["a", "b"], [0, 0, 1])
    assert found.label.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "it holds no list of answers"),
        (json.dumps({"answers": []}), "holds no answers with the numbers"),
        (json.dumps({"answers": [answer(1, 1, urls="canary")]}), "answer 1 has a time, label or number"),
        (json.dumps({"answers": [answer(1, 1), answer("canary", 1)]}), "answer 2 has"),
        (json.dumps({"answers": [answer(1, "canary")]}), "answer 1 has"),
        (json.dumps({"answers": [answer(1, 0)]}), "answer 1 has"),
        (json.dumps({"answers": [answer(1, 1, urls=float("nan"))]}), "answer 1 has"),
        (json.dumps({"answers": [answer(1, 1, urls=10**400)]}), "answer 1 has"),
    ],
)
def test_what_cannot_be_used_is_told_without_its_text(tmp_path, text, told):
    (tmp_path / "her.json").write_text(text)
    with pytest.raises(InputError, match=told) as error:
        read_study(tmp_path / "her.json")
    assert "canary" not in str(error.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match=r"gone\.json cannot be read"):
        read_study(tmp_path / "gone.json")
    with pytest.raises(InputError, match="the folder holds no JSON file"):
        read_study(tmp_path)
    (tmp_path / "her.json").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="it is not UTF-8 text"):
        read_study(tmp_path)
