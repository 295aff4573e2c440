import errno
import os
import shutil

import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError, PrivacyRefusal, noted
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.ledger import Ledger
from crowdlog.release import place
from crowdlog.release.publish import open_ledger, publish
from crowdlog.release.resume import resume
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(400, ["weather boston"]))


def names(folder):
    return sorted((path.name for path in folder.iterdir()), key=lambda name: name.replace(".", " "))


def test_over_budget_is_refused_and_leaves_nothing(log, tmp_path):
    with open_ledger(log) as ledger:
        ledger.set_budget(5, 1e-8)
    publish(MECHANISM, log, tmp_path / "one")
    with pytest.raises(PrivacyRefusal, match="of the budget of"):
        publish(MECHANISM, log, tmp_path / "two")
    assert names(tmp_path) == ["log.tsv", "log-store", "one"]
    with open_ledger(log) as ledger:
        assert len(ledger.entries()) == 1


MOMENTS = ["before the ledger is opened", "before the charge", "while it counts", "after it counted"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_store_that_is_replaced_is_noticed_and_nothing_is_published(log, tmp_path, monkeypatch, moment):
    """The charge is in the old store's ledger or nowhere; the new store is as good as before."""
    new = make_log(tmp_path / "new", crowd_rows(400, ["used cars"]))
    old = tmp_path / "old"

    def replace(_self=None, *_words):
        log.path.rename(old)
        new.path.rename(log.path)

    protect = type(MECHANISM).protect
    hooks = {
        "before the ledger is opened": ("check_inputs", replace),
        "while it counts": (
            "protect",
            lambda self, *words, **options: (replace(), protect(self, *words, **options))[1],
        ),
        "after it counted": (
            "protect",
            lambda self, *words, **options: (protect(self, *words, **options), replace())[0],
        ),
    }
    if moment == "before the charge":
        monkeypatch.setattr(place, "_try", replace)
    else:
        monkeypatch.setattr(type(MECHANISM), *hooks[moment])
    with pytest.raises(InputError, match=r"another import|was replaced"):
        publish(MECHANISM, log, tmp_path / "out")
    monkeypatch.undo()
    assert names(tmp_path) == ["log.tsv", "log-store", "new", "old"]
    charged = moment in ("while it counts", "after it counted")
    with open_ledger(LogStore.open(old)) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["charged"] * charged
    with open_ledger(LogStore.open(log.path)) as ledger:
        assert ledger.entries() == []
    release = publish(MECHANISM, LogStore.open(log.path), tmp_path / "of the new one")
    assert release.queries()["query"].to_pylist() == ["used cars"]
    if charged:
        (release,) = resume(LogStore.open(old), parse)
        assert release.queries()["query"].to_pylist() == ["weather boston"]


def replace_store(log, backup):
    log.path.rename(log.path.with_name("old"))
    shutil.copytree(backup, log.path)


def replace_ledger(log, backup):
    shutil.copy(backup / "ledger.sqlite", log.path / "restored")
    (log.path / "restored").rename(log.ledger())


def replace_by_links(log, _backup):
    """The same file under the same path, but SQLite's log of writes beside it stays in the old folder."""
    log.path.rename(log.path.with_name("old"))
    shutil.copytree(log.path.with_name("old"), log.path, copy_function=os.link)


def move_away(log, _backup):
    log.path.rename(log.path.with_name("old"))


def delete(log, _backup):
    shutil.rmtree(log.path)


MOVES = {
    replace_store: r"or its ledger was replaced during this release\. Nothing was published\. Charge 1 is in",
    replace_ledger: "or its ledger was replaced during this release",
    replace_by_links: "or its ledger was replaced during this release",
    move_away: "was moved or deleted during this release",
    delete: r"was moved or deleted during .* so is the charge",
}


@pytest.mark.parametrize("move", MOVES)
def test_a_copy_of_the_store_is_another_store(log, tmp_path, monkeypatch, move):
    """Its ledger knows nothing of the charge: a release from it would be free."""
    shutil.copytree(log.path, tmp_path / "backup")
    protect = type(MECHANISM).protect

    def moving(self, *words, **options):
        protected = protect(self, *words, **options)
        move(log, tmp_path / "backup")
        return protected

    monkeypatch.setattr(type(MECHANISM), "protect", moving)
    with pytest.raises(InputError, match=MOVES[move]):
        publish(MECHANISM, log, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob("*.partial*"))


def test_a_store_that_is_replaced_after_the_last_look_keeps_its_charge_and_its_release(
    log, tmp_path, monkeypatch
):
    """What was counted is the old log's, and so is the open ledger: the new store hears nothing of it."""
    new = make_log(tmp_path / "new", crowd_rows(400, ["used cars"]))
    publishing = Ledger.publishing

    def replaced(self, *words):
        log.path.rename(tmp_path / "old")
        new.path.rename(log.path)
        publishing(self, *words)

    monkeypatch.setattr(Ledger, "publishing", replaced)
    release = publish(MECHANISM, log, tmp_path / "out")
    assert release.label.source == log.info.id
    with open_ledger(LogStore.open(tmp_path / "old")) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["published"]
    with open_ledger(LogStore.open(log.path)) as ledger:
        assert ledger.entries() == []


def test_an_unforeseen_error_after_the_charge_says_that_it_is_charged(log, tmp_path, monkeypatch):
    def broken(*_words, **_options):
        raise KeyError("weather boston")

    monkeypatch.setattr(type(MECHANISM), "protect", broken)
    with pytest.raises(KeyError) as raised:
        publish(MECHANISM, log, tmp_path / "out")
    assert noted(raised.value).startswith("nothing was published, and charge 1 is made")


def test_a_full_disk_gets_a_sentence_and_the_charge_can_be_finished(log, tmp_path, monkeypatch):
    """The disk becomes full after it was tried: while the release is written."""

    def full(*_words, **_options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(InputError, match=r"could not be written .* It is charged"):
        publish(MECHANISM, log, tmp_path / "out")
    assert names(tmp_path) == ["log.tsv", "log-store"]
    monkeypatch.undo()
    (release,) = resume(log, parse)
    assert release.queries().num_rows == 1
