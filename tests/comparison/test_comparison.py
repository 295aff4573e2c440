"""What a comparison finds, on a log where it can be reckoned by hand."""

import json

import pytest

import crowdlog as cl
from crowdlog.comparison import compare
from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.errors import InputError
from crowdlog.experiments.seeded_release import SeededRun
from crowdlog.release.publish import open_ledger
from tests.comparison.conftest import MECHANISMS


def point(comparison, mechanism, name):
    (found,) = [p for p in comparison.points if p["mechanism"] == mechanism and p["name"] == name]
    return found


def test_a_threshold_keeps_three_of_63_queries(comparison):
    found = point(comparison, "FTu(k=5)", "coverage:queries:distinct")
    assert found["value"] == pytest.approx(3 / 63)
    assert (found["low"], found["high"]) == (found["value"], found["value"])
    assert found["trials"] == 2
    assert found["epsilon"] is None
    assert point(comparison, "FTu(k=5)", "coverage:queries:impressions")["value"] == pytest.approx(180 / 240)


def test_a_private_mechanism_has_its_epsilon(comparison):
    found = point(comparison, MECHANISMS[1], "coverage:queries:distinct")
    assert found["epsilon"] == pytest.approx(cl.parse(MECHANISMS[1]).promise().guarantee.epsilon)
    assert found["series"] == "DPu(delta=0.001, d=3)"
    assert found["value"] == pytest.approx(3 / 63)


def test_what_publishes_nothing_is_worth_nothing_and_says_so(comparison):
    assert point(comparison, MECHANISMS[2], "coverage:queries:impressions")["value"] == 0
    attack = point(comparison, MECHANISMS[2], "linkage")
    assert attack["value"] is None
    assert "Publishes nothing" in attack["note"]


def test_an_impossible_measure_says_why(comparison):
    assert "needs a table of clicks" in point(comparison, "FTu(k=5)", "adhoc")["note"]


def test_attacks_stand_beside_chance(comparison):
    found = point(comparison, "FTu(k=5)", "linkage")
    assert found["chance"] == pytest.approx(1 / 60)
    assert found["value"] == pytest.approx(1 / 60)
    assert not found["broken"]


def test_kept_by_frequency_words_and_topic(comparison):
    kept = {
        (r["by"], r["from"]): (r["kept"], r["in_log"])
        for r in comparison.kept_by()
        if r["mechanism"] == "FTu(k=5)"
    }
    assert kept["frequency", "1"] == (0, 60)
    assert kept["frequency", "10"] == (3, 3)
    assert kept["number of words", "2"] == (2, 62)
    assert kept["number of words", "3"] == (1, 1)
    assert kept["topic", "nature"] == (1, 1)
    assert kept["topic", "secret"] == (0, 1)


def test_everybody_is_in_the_histogram_of_exposure(comparison):
    found = [row for row in comparison.exposure() if row["mechanism"] == "FTu(k=5)"]
    assert len(found) == 20
    assert sum(row["people"] for row in found) == 60
    assert found[-1]["end"] == pytest.approx(1)


def test_the_table_has_a_row_for_every_trial(comparison):
    table = comparison.table()
    rows = [row for row in table.to_pylist() if row["name"] == "coverage:queries:distinct"]
    assert sorted((row["mechanism"], row["seed"]) for row in rows) == sorted(
        (m, s) for m in MECHANISMS for s in (1, 2)
    )
    assert {"epsilon", "delta", "low", "high", "chance", "evaluated"} <= set(table.column_names)


def test_a_notebook_shows_a_table_and_pandas_takes_the_rows(comparison):
    shown = comparison._repr_html_()
    assert "Comparison(3 mechanisms, 2 seeds)" in shown
    # three tables with a heading each; in one of them the log itself
    assert shown.count("<tr>") == 3 * (1 + len(MECHANISMS)) + 1
    frame = comparison.table().to_pandas()
    assert len(frame) == len(comparison.rows)
    assert set(frame["mechanism"]) == {*MECHANISMS, LOG_ITSELF.mechanism}
    assert comparison.against_attacks().to_dict()["layer"]


def test_commands_repeat_and_publish(comparison, log):
    commands = comparison.commands("FTu(k=5)")
    assert commands["publish"] == "No differential privacy: think before you publish it."
    assert commands["repeat"].startswith(
        f"crowdlog compare {log.path} 'FTu(k=5)' --on coverage,adhoc:nDCG@10 --with linkage,exposure "
        "--topics "
    )
    assert "--i-know" not in comparison.commands(MECHANISMS[1])["publish"]


def test_nothing_is_charged_kept_or_told(comparison, log, cache):
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
    assert list(cache.glob("*partial*")) == []
    kept = "".join(file.read_text(encoding="utf-8") for file in cache.iterdir())
    assert "canary" not in kept + json.dumps(comparison.as_dict()) + repr(comparison)
    assert "weather" not in kept
    assert all(label.noise_from_system is False for label in comparison.labels.values())


def test_a_second_run_finds_everything_and_a_wider_one_does_the_rest(
    comparison, log, cache, topics, monkeypatch
):
    """Without workers: whatever is missing would fail."""
    same = {
        "topics": topics,
        "cache": cache,
        "utility": ["coverage", "adhoc:nDCG@10"],
        "attacks": ["linkage", "exposure"],
    }
    monkeypatch.setattr("subprocess.Popen", None)
    assert compare(log, MECHANISMS, seeds=2, **same).points == comparison.points
    assert compare(str(log.path), [cl.parse("FTu(k=5)")], seeds=1, **same).grid.runs() == [
        LOG_ITSELF,
        SeededRun("FTu(k=5)", 1),
    ]
    with pytest.raises(TypeError):
        compare(log, MECHANISMS, seeds=3, **same)


def test_from_python_without_a_cache(log):
    found = cl.compare(log, ["FTu(k=5)"], utility=["coverage"], attacks=[], seeds=1)
    assert {row["kind"] for row in found.rows} == {"utility"}
    assert found.frontier().to_dict()["layer"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"mechanisms": []}, "at least one mechanism"),
        ({"mechanisms": ["Magic()"]}, "no mechanism 'Magic'"),
        ({"utility": ["magic"]}, "no measure 'magic'"),
        ({"attacks": ["magic"]}, "no attack 'magic'"),
        ({"utility": ["coverage:magic"]}, "no measure 'coverage:magic'"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"jobs": 0}, "jobs must be at least 1"),
        ({"topics": "none.tsv"}, "cannot be read"),
        ({"tree": "none.txt"}, "none.txt"),
        ({"labels": "none.tsv"}, "cannot be read"),
        ({"log": "none"}, "no log store"),
    ],
)
def test_bad_input_gets_one_sentence(comparison, log, cache, change, sentence):
    asked = {
        "log": log,
        "mechanisms": MECHANISMS[:1],
        "utility": ["coverage"],
        "attacks": [],
        "seeds": 1,
        "cache": cache,
    } | change
    with pytest.raises(InputError, match=sentence):
        compare(asked.pop("log"), asked.pop("mechanisms"), **asked)
