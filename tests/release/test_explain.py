import math
import re

import pyarrow as pa
import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.guarantee import NO_GUARANTEE, approximate
from crowdlog.release.explain import explain, label_page
from crowdlog.release.meaning import meaning_for_one_person, posterior_bound
from crowdlog.release.page import charts_of, release_page
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    log = make_log(folder, crowd_rows(400, ["weather <b>boston</b>", "used cars"]))
    return {
        name: publish(parse(name), log, folder / str(i), i_know=True)
        for i, name in enumerate(["Korolova(epsilon=4, delta=1e-9, d=2)", "FTu(k=5)"])
    }


def test_posterior_of_a_coin_flip():
    assert posterior_bound(0) == pytest.approx(0.5)
    assert posterior_bound(math.log(3)) == pytest.approx(0.75)
    assert posterior_bound(1e6) == 1.0


def test_meaning_in_words():
    assert "at most 75 % sure" in meaning_for_one_person(approximate(math.log(3), 0))
    assert "at most 1 in 1,000,000" in meaning_for_one_person(approximate(1.0, 1e-6))
    assert "no mathematical promise" in meaning_for_one_person(NO_GUARANTEE)


def test_the_explanation_tells_what_each_step_spent(releases):
    release = releases["Korolova(epsilon=4, delta=1e-9, d=2)"]
    text = explain(release.label)
    for step in release.label.promise.steps:
        assert step.name in text
        assert step.what in text
        assert step.what in label_page(release.label)
    assert "This spends ε = 2" in text
    assert "Together: ε = 4" in text
    assert (release.path / "explanation.md").read_text(encoding="utf-8") == text


def test_the_label_page_of_a_release_without_differential_privacy_warns(releases):
    page = label_page(releases["FTu(k=5)"].label)
    assert "**Only k-anonymity of queries, no differential privacy" in page
    assert "| promise | k-anonymity of queries |" in page
    assert "done by at least 5 people" in page
    assert "δ = 1" not in page


@pytest.mark.parametrize("name", ["Korolova(epsilon=4, delta=1e-9, d=2)", "FTu(k=5)"])
def test_steps_have_an_epsilon_where_one_is_promised(releases, name):
    """Zeros beside the steps of k-anonymity would read as perfect privacy."""
    label = releases[name].label
    protects = label.promise.guarantee.protects
    assert ("| step | ε | δ |" in label_page(label)) == protects
    assert ("ε</th>" in release_page(label, {})) == protects


def test_the_html_page_shows_sessions_query_by_query(releases):
    label = releases["Korolova(epsilon=4, delta=1e-9, d=2)"].label
    sessions = pa.table({"session": [["weather", "<i>rain</i>"]], "count": [5]})
    assert "weather → &lt;i&gt;rain&lt;/i&gt;" in release_page(label, {"sessions": sessions})


def test_the_html_page_escapes_what_people_typed(releases):
    release = releases["Korolova(epsilon=4, delta=1e-9, d=2)"]
    page = release_page(release.label, {"queries": release.queries()}, story=[("7", "things <hidden>")])
    assert "weather &lt;b&gt;boston&lt;/b&gt;" in page
    assert "<b>boston" not in page
    assert "things &lt;hidden&gt;" in page
    assert "http-equiv" not in page
    assert "src=" not in page  # nothing is loaded from elsewhere


def test_a_chart_that_is_cut_shows_the_largest_counts_of_a_table_in_any_order(releases):
    """Tables of public values lie in the order of these: their first rows are not their largest."""
    label = releases["FTu(k=5)"].label
    hours = [f"{hour:02}" for hour in range(30)]
    table = pa.table({"hour": hours, "count": list(range(30))})
    (chart,) = charts_of(label, {"hours": table})
    assert [bar.count for bar in chart.bars] == [str(count) for count in range(29, 4, -1)]
    assert chart.note.startswith("The 25 largest of 30.")
    (whole,) = charts_of(label, {"hours": table.slice(0, 24)})
    assert [bar.text for bar in whole.bars] == hours[:24]  # shown as a whole: in its own order


def test_the_explanation_tells_the_price_of_the_rule_for_rare_words(tmp_path):
    """How many texts the paper's rule would have released stands there, not on the label alone."""
    shared = crowd_rows(20, ["camera batteries"])
    rare = [(f"x{i}", "camera batteries zweibrueck", *shared[0][2:]) for i in range(2)]
    log = make_log(tmp_path, [*shared, *rare])
    spelling = "SemanticKAnonymity(k=3, theta=0.6, min_users=3)"
    release = publish(parse(spelling), log, tmp_path / "out", i_know=True)
    text = explain(release.label)
    told = text.split("## What was counted on the way\n\n")[1]
    words = "queries with a word of fewer than 3 people, released"
    by_the_paper = release.label.notes[f"{words} by the paper's rule"]
    assert by_the_paper > release.label.notes[words] == 0
    assert told.splitlines() == [f"- {words} = 0", f"- {words} by the paper's rule = {by_the_paper}"]


def test_an_explanation_without_notes_has_no_heading_for_them(releases):
    assert "counted on the way" not in explain(releases["FTu(k=5)"].label)


def test_tables_are_told_in_words(tmp_path):
    """`query_sites` is a file's name; what stands in backticks is a column."""
    log = make_log(tmp_path, crowd_rows(400, ["weather boston", "used cars"]))
    release = publish(parse("Ladder(epsilon=4, delta=1e-9, people=400)"), log, tmp_path / "out")
    assert "query_sites" in release.label.tables
    text = explain(release.label)
    assert re.search(r"It holds .*\d clicked sites of queries", text)
    assert "**Select clicked sites of queries, " in text
    assert "- clicked sites of queries: invented rows" in text
    assert not re.search(r"\w_\w", re.sub(r"`\w+`", "", text))
