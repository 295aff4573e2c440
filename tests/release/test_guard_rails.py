"""What promises little or nothing needs the owner's word, and its label and ledger say so."""

import pytest

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.comparison import compare
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.guard_rails import BESIDE, BESIDE_NOTHING, SEEDED, USERS
from crowdlog.release.publish import note_look, open_ledger, publish
from crowdlog.release.resume import resume
from crowdlog.utility.registry import score
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(60, ["weather boston"]))


def test_epsilon_above_ten_needs_the_owners_word_and_a_warning(log, tmp_path):
    weak = parse("DPu(epsilon=10.5, delta=1e-9, d=2)")
    with pytest.raises(PrivacyRefusal, match="above 10"):
        publish(weak, log, tmp_path / "out")
    label = publish(weak, log, tmp_path / "out", i_know=True).label
    assert "above 10" in label.warnings[0]


def test_a_seeded_release_promises_nothing_in_label_and_ledger(log, tmp_path):
    with pytest.raises(PrivacyRefusal, match="fixed seed"):
        publish(MECHANISM, log, tmp_path / "out", randomness=SeededRandomness(1))
    release = publish(MECHANISM, log, tmp_path / "out", randomness=SeededRandomness(1), i_know=True)
    assert release.label.promise.guarantee.kind == "none"
    assert SEEDED in release.label.warnings
    stored = release.label.to_json()
    assert stored["crowdlog"]["guarantee"] == "none"
    assert "private" not in stored["crowdlog"]
    assert stored["privacy_loss"]["privacy_parameters"] == {}
    with open_ledger(log) as ledger:
        assert not ledger.spent().protects


@pytest.mark.parametrize(
    ("spelling", "family"),
    [("DPu(epsilon=1, delta=1e-9, d=2)", "dp"), ("FTu(k=2)", "k-anonymity"), ("Pseudonyms()", "none")],
)
def test_a_label_says_what_is_guaranteed(log, tmp_path, spelling, family):
    label = publish(parse(spelling), log, tmp_path / "out", i_know=True).label
    assert label.to_json()["crowdlog"]["guarantee"] == family


def test_the_number_of_users_is_public_or_said_to_be_unprotected(log, tmp_path):
    assert USERS in publish(MECHANISM, log, tmp_path / "one").label.promise.unprotected
    assert USERS not in publish(MECHANISM, log, tmp_path / "two", users=100).label.promise.unprotected
    with pytest.raises(PrivacyRefusal, match="one over the number of users"):
        publish(MECHANISM, log, tmp_path / "three", users=10**10)


def test_looks_at_the_log_are_in_ledger_and_label(log, tmp_path):
    assert publish(MECHANISM, log, tmp_path / "before").label.looks == ()
    note_look(log, "compare")
    release = publish(MECHANISM, log, tmp_path / "after")
    (look,) = release.label.looks
    assert look.endswith(": compare")
    assert "parameters may have been chosen" in (tmp_path / "after" / "explanation.md").read_text()


def test_measuring_and_attacking_from_python_are_looks_at_every_log_they_read(log, tmp_path):
    release = publish(MECHANISM, log, tmp_path / "before")
    other = make_log(tmp_path, crowd_rows(40, ["weather boston", "used cars"]), name="other")
    score(release, log, on=["coverage"], test=other)
    attack(release, log, ["singles"], attacker=Attacker(auxiliary=other))
    after = publish(MECHANISM, log, tmp_path / "after").label.looks
    assert [look.split(": ")[1] for look in after] == ["score", "attack"]
    with open_ledger(other) as ledger:
        assert [look.how for look in ledger.looks()] == ["score", "attack"]
    compare(log, [repr(MECHANISM)], utility=["coverage"], attacks=["singles"], seeds=1, jobs=1)
    with open_ledger(log) as ledger:
        assert [look.how for look in ledger.looks()] == ["score", "attack", "compare"]


def test_what_is_refused_before_the_log_is_read_is_no_look(log, tmp_path):
    release = publish(MECHANISM, log, tmp_path / "one")
    with pytest.raises(InputError, match="no measure"):
        score(release, log, on=["beauty"])
    with pytest.raises(InputError, match="no attack"):
        attack(release, log, ["hammer"])
    with open_ledger(log) as ledger:
        assert ledger.looks() == []


def test_a_promise_after_a_release_without_one_needs_the_owners_word(log, tmp_path):
    with open_ledger(log) as ledger:
        ledger.set_budget(100, 0.1)
    publish(parse("FTu(k=2)"), log, tmp_path / "one", i_know=True)
    with pytest.raises(PrivacyRefusal, match="had no differential privacy"):
        publish(MECHANISM, log, tmp_path / "two")
    publish(MECHANISM, log, tmp_path / "two", i_know=True)


@pytest.mark.parametrize("earlier", ["FTu(k=2)", "Pseudonyms()", "seeded"])
def test_a_label_tells_of_an_earlier_release_without_a_promise(log, tmp_path, earlier):
    """Whoever reads this one must know: its promise holds of itself alone."""
    assert publish(MECHANISM, log, tmp_path / "first").label.warnings == ()
    if earlier == "seeded":
        publish(MECHANISM, log, tmp_path / "out", randomness=SeededRandomness(1), i_know=True)
    else:
        publish(parse(earlier), log, tmp_path / "out", i_know=True)
    with pytest.raises(PrivacyRefusal, match="had no differential privacy"):
        publish(MECHANISM, log, tmp_path / "later")
    for name, spelling, told in (
        ("later", repr(MECHANISM), BESIDE),
        ("third", "FTu(k=3)", BESIDE_NOTHING),  # k people stand behind each of its texts all the same
        ("fourth", "Pseudonyms()", BESIDE_NOTHING),
    ):
        label = publish(parse(spelling), log, tmp_path / name, i_know=True).label
        assert {BESIDE, BESIDE_NOTHING} & set(label.warnings) == {told}
        for page in ("label.json", "label.md", "index.html"):
            assert "without differential privacy was charged" in (tmp_path / name / page).read_text("utf-8")


def test_a_resumed_release_tells_of_another_without_a_promise(log, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("crowdlog.release.publish.finish", lambda *_words: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publish(MECHANISM, log, tmp_path / "first")
    publish(parse("FTu(k=2)"), log, tmp_path / "out", i_know=True)
    (release,) = resume(log, parse)
    assert BESIDE in release.label.warnings
