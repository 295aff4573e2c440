"""Every study runs on a small log and can be kept as JSON."""

import json

import pytest

from crowdlog.errors import InputError
from crowdlog.reproduce.studies import STUDIES, chosen, find
from crowdlog.reproduce.study import Result


@pytest.mark.slow
@pytest.mark.usefixtures("fewer_releases")
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_runs_and_its_result_can_be_kept(name, bench):
    study = find(name)
    assert study.name == name
    result = study.run(bench)
    assert result.panels
    assert result.claims
    for panel in result.panels:
        assert all(len(row) == len(panel.columns) for row in panel.rows)
    stored = json.loads(json.dumps(result.as_dict()))
    assert Result.from_dict(stored).as_dict() == stored


def test_studies_are_chosen_by_name():
    assert [study.name for study in chosen("KOROLOVA-figure-2")] == ["korolova-figure-2"]
    assert len(chosen("")) == len(STUDIES)
    with pytest.raises(InputError, match=r"There is no study 'nonsense'\. There are: korolova-figure-1"):
        chosen("nonsense")
