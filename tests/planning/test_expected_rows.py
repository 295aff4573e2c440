"""What to expect of a release is told before it is charged, from a public table."""

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.planning.expected_rows import BEHIND, SHARED, expectation, expected_queries
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log

CROWD = "Crowd(epsilon=2.3, delta=1e-6)"


@pytest.mark.parametrize("users", SHARED)
def test_the_table_is_read_as_it_stands_and_more_people_share_more(users):
    for behind, queries in zip(BEHIND, SHARED[users], strict=True):
        assert expected_queries(behind, users) == pytest.approx(queries, abs=1e-6)
        assert expected_queries(behind, 2 * users) >= queries - 1e-6
    assert expected_queries(5, 1) == pytest.approx(0)


@pytest.mark.slow
def test_the_table_and_what_follows_from_it_are_measured(tmp_path):
    """The line of 1,000 people, anew; and mechanisms show as much of that log as they were expected to."""
    synthesize(tmp_path / "log.tsv", users=1000, seed=1)
    log = import_log(tmp_path / "log.tsv", tmp_path / "store")
    shown = [
        parse(f"FTu(k={k})").protect(log, SeededRandomness(1)).tables["queries"].num_rows for k in BEHIND
    ]
    assert tuple(shown) == SHARED[1000]
    kept = parse(CROWD).protect(log, SeededRandomness(1)).tables["queries"].num_rows
    assert 2 <= kept <= 12
    assert "about 5 queries" in expectation(parse(CROWD), 1000)[0]


def test_every_mechanism_can_be_asked():
    told = {name: expectation(parse(find(name).example), 20_000) for name in MECHANISMS}
    assert all(told[name] is not None for name in ("Crowd", "Korolova", "DPu", "Zealous", "FTu"))
    assert not any(found[1] for found in told.values() if found is not None)


def test_an_empty_release_is_said_before_it_is_charged(tmp_path):
    log = make_log(tmp_path, crowd_rows(50, ["weather"]))
    words = ["release", str(log.path), CROWD, "-o", str(tmp_path / "out")]
    said = "With about 50 people expect an empty release: a query needs about 30 of them to be shown"
    refused = CliRunner().invoke(cli, [*words, "--users", "50"])
    assert isinstance(refused.exception, InputError)
    assert str(refused.exception).startswith(said)
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
    assert CliRunner().invoke(cli, [*words, "--users", "50", "--i-know"]).exit_code == 0
    # The log's own number of people refuses nothing: that would depend on one of them.
    own = CliRunner().invoke(cli, [*words[:-1], str(tmp_path / "own")])
    assert own.exit_code == 0
    assert own.stderr.startswith(said)


@pytest.mark.slow
def test_a_ladder_expects_what_it_shows(tmp_path):
    """A log of another seed than those its figures come from; noise and log move them by a factor of two."""
    ladder = parse("Ladder(epsilon=2.3, delta=1e-6, people=1000)")
    synthesize(tmp_path / "log.tsv", users=1000, seed=1404)
    log = import_log(tmp_path / "log.tsv", tmp_path / "store")
    tables = ladder.protect(log, SeededRandomness(1)).tables
    expected = ladder.rows_to_expect(1000)
    assert {"words", "sites"} <= set(expected) <= set(tables)
    for name in ("words", "sites"):
        assert expected[name] / 2 <= tables[name].num_rows <= 2 * expected[name], name
    told, empty = expectation(ladder, 1000)
    assert told.startswith("With about 1,000 people expect about 80 words")
    assert not empty
    assert expectation(parse("Ladder(epsilon=0.1, delta=1e-6, people=50)"), 50)[1]


def test_one_query_is_not_told_as_many():
    told = {expectation(parse(f"Crowd(epsilon={e}, delta=5e-5)"), 600)[0] for e in (0.8, 0.9, 1, 1.1, 1.2, 5)}
    assert any("expect about 1 query, as" in sentence for sentence in told)
    assert not any("about 1 queries" in sentence for sentence in told)


@pytest.mark.parametrize(
    "spelling",
    [
        "SemanticMdav(k=300)",
        "Mdav(k=200, word_users=150)",
        "OdpClusters(k=290)",
        "Zealous(epsilon=1, delta=1e-6, d=5, artifact='click')",
        "Zealous(epsilon=1, delta=1e-6, d=5, artifact='session-pair')",
        "FTu(k=150, artifact='word')",
    ],
)
def test_what_is_no_table_of_queries_is_told_to_be_empty_too(spelling):
    """Nothing of its kind has so many people in a log of 300; in one of 10⁶ something may."""
    told = expectation(parse(spelling), 300)
    assert told is not None
    assert told[1]
    assert told[0].startswith("With about 300 people expect an empty release: what is shown needs about")
    assert expectation(parse(spelling), 1_000_000) is None


def test_an_empty_release_of_histories_is_said_before_it_is_charged(tmp_path):
    """Nobody's words but those of all twenty would be shown."""
    nouns = "dog cat car tree house river mountain apple bread cheese guitar piano doctor school engine "
    nouns += "window garden kitchen bicycle camera"
    rows = [(f"u{n}", noun, n, None) for n, noun in enumerate(nouns.split())]
    log = make_log(tmp_path, rows)
    words = ["release", str(log.path), "SemanticMdav(k=20)", "-o", str(tmp_path / "out")]
    refused = CliRunner().invoke(cli, [*words, "--users", "20"])
    assert isinstance(refused.exception, InputError)
    assert "expect an empty release" in str(refused.exception)
    told = CliRunner().invoke(cli, [*words, "--i-know"])
    assert told.exit_code == 0, told.output
    assert told.stderr.startswith("With about 20 people expect an empty release")
    assert Release.open(tmp_path / "out").label.rows == 0
