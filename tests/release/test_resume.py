"""What a crash left is finished: each charge on its own, with one output at most."""

import errno
import json
import os
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError
from crowdlog.files.locks import hold
from crowdlog.mechanisms import parse
from crowdlog.privacy.ledger import Ledger
from crowdlog.release import publish as publishing
from crowdlog.release.folder import Release, folder_hash
from crowdlog.release.guard_rails import USERS
from crowdlog.release.place import find_place
from crowdlog.release.publish import LOCK, open_ledger, publish
from crowdlog.release.resume import Unfinished, give_up, resume
from tests.support.logs import crowd_rows, make_log

MECHANISM = parse("DPu(epsilon=4, delta=1e-9, d=2)")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("log"), crowd_rows(400, ["weather boston"])).path


@pytest.fixture
def log(made, tmp_path):
    from crowdlog.log.store import LogStore

    shutil.copytree(made, tmp_path / "store")
    return LogStore.open(tmp_path / "store")


def charge(log, target, mechanism=MECHANISM):
    """A release that was killed after its charge."""
    promise = mechanism.promise()
    with open_ledger(log) as ledger:
        return ledger.charge(promise.guarantee, repr(mechanism), str(target), steps=promise.accounting)


def test_a_resumed_release_is_signed_and_knows_the_public_number_of_users(log, tmp_path):
    key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], check=True)
    charge(log, tmp_path / "plain")
    (plain,) = resume(log, parse)
    charge(log, tmp_path / "signed")
    (signed,) = resume(log, parse, users=1000, sign=key)
    assert (plain.signed_by() is None, signed.signed_by() is None) == (True, False)
    assert (USERS in plain.label.promise.unprotected, USERS in signed.label.promise.unprotected) == (
        True,
        False,
    )
    signed.check()


class Killed(BaseException):
    """kill -9, from within."""


def die(*_words):
    raise Killed


def killed_before(monkeypatch, step, log, target):
    """A release that made its output and was killed before this step; returns the staged folder."""
    staged = find_place(target).staged(log.info.id, 1)
    with monkeypatch.context() as patch:
        if step == "rename":
            patch.setattr(publishing, "give_final_name", die)
        else:
            patch.setattr(Ledger, "publish", die)
        with pytest.raises(Killed):
            publish(MECHANISM, log, target)
    assert states(log) == ["publishing"]
    return staged


def states(log):
    with open_ledger(log) as ledger:
        return [entry.state for entry in ledger.entries()]


def test_a_charged_release_is_finished_once_and_old_pieces_are_destroyed(log, tmp_path):
    target = tmp_path / "out"
    staged = find_place(target).staged(log.info.id, charge(log, target))
    staged.parent.mkdir(mode=0o700)
    staged.mkdir()
    (staged / "queries.parquet").write_bytes(b"drawn by a killed run")
    (release,) = resume(log, parse)
    assert release.queries().num_rows == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "store"]
    assert resume(log, parse) == []
    assert states(log) == ["published"]


def test_a_renamed_but_unmarked_release_is_marked_not_made_again(log, tmp_path, monkeypatch):
    killed_before(monkeypatch, "publish", log, tmp_path / "out")
    before = folder_hash(tmp_path / "out")
    (again,) = resume(log, parse)
    assert again.path == tmp_path / "out"
    assert folder_hash(again.path) == before
    assert states(log) == ["published"]


def test_a_recorded_but_unrenamed_release_is_shown_not_made_again(log, tmp_path, monkeypatch):
    before = folder_hash(killed_before(monkeypatch, "rename", log, tmp_path / "out"))
    (release,) = resume(log, parse)
    assert folder_hash(release.path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "store"]


@pytest.mark.parametrize("step", ["rename", "publish"])
def test_an_output_that_may_have_been_seen_is_never_drawn_again(log, tmp_path, monkeypatch, step):
    staged = killed_before(monkeypatch, step, log, tmp_path / "out")
    seen = tmp_path / "www"
    (staged if step == "rename" else tmp_path / "out").rename(seen)
    for _attempt in range(2):
        with pytest.raises(
            Unfinished, match=r"may have been seen.*never drawn a second time.*--charge 1 --give-up"
        ):
            resume(log, parse)
    assert not (tmp_path / "out").exists()
    with pytest.raises(Unfinished, match="never drawn a second time"):
        resume(log, parse, to=tmp_path / "elsewhere")
    assert not (tmp_path / "elsewhere").exists()
    (release,) = resume(log, parse, to=seen)
    assert release.path == seen
    with open_ledger(log) as ledger:
        assert [(entry.state, entry.out) for entry in ledger.entries()] == [("published", str(seen))]


def test_a_changed_folder_is_not_the_release_that_was_made(log, tmp_path, monkeypatch):
    killed_before(monkeypatch, "publish", log, tmp_path / "out")
    (tmp_path / "out" / "label.md").write_text("changed")
    with pytest.raises(Unfinished, match="does not lie unchanged"):
        resume(log, parse)
    assert states(log) == ["publishing"]


def test_a_release_that_waits_can_be_shown_in_another_place(log, tmp_path, monkeypatch):
    before = folder_hash(killed_before(monkeypatch, "rename", log, tmp_path / "out"))
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(Unfinished, match=r"is not the release.*--charge 1 --to PLACE"):
        resume(log, parse)
    (release,) = resume(log, parse, to=tmp_path / "new" / "place")
    assert folder_hash(release.path) == before
    assert release.path == tmp_path / "new" / "place"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "out", "store"]


@pytest.mark.parametrize("way", ["the folder itself", "a link to it", "a place beside it"])
def test_the_staged_folder_is_not_a_place_to_show_it(log, tmp_path, monkeypatch, way):
    """It was taken for the release, and then removed with the partial folder: the only output there was."""
    staged = killed_before(monkeypatch, "rename", log, tmp_path / "out")
    before = folder_hash(staged)
    (tmp_path / "link").symlink_to(staged)
    to = {"the folder itself": staged, "a link to it": tmp_path / "link"}.get(way, staged.with_name("new"))
    with pytest.raises(Unfinished, match=f"Choose a place outside, such as {tmp_path / 'out'}"):
        resume(log, parse, to=to)
    assert folder_hash(staged) == before
    (release,) = resume(log, parse)
    assert folder_hash(release.path) == before


def test_a_link_to_the_staged_folder_at_out_is_not_the_release(log, tmp_path, monkeypatch):
    staged = killed_before(monkeypatch, "rename", log, tmp_path / "out")
    before = folder_hash(staged)
    (tmp_path / "out").symlink_to(staged)
    with pytest.raises(Unfinished, match=r"is not the release that was charged for it\. Move it away"):
        resume(log, parse)
    (tmp_path / "out").unlink()
    (release,) = resume(log, parse)
    assert folder_hash(release.path) == before


@pytest.mark.parametrize("killed", [False, True])
def test_the_ledger_follows_when_the_folder_around_was_moved(log, tmp_path, monkeypatch, killed):
    (tmp_path / "here").mkdir()
    killed_before(monkeypatch, "rename", log, tmp_path / "here" / "out")
    (tmp_path / "here").rename(tmp_path / "there")
    if killed:  # once more, before the ledger hears that it is published
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "publish", die)
            with pytest.raises(Killed):
                resume(log, parse, to=tmp_path / "there" / "out")
        resumed = resume(log, parse)
    else:
        resumed = resume(log, parse, to=tmp_path / "there" / "out")
    assert [release.path for release in resumed] == [tmp_path / "there" / "out"]
    with open_ledger(log) as ledger:
        (entry,) = ledger.entries()
    assert (entry.state, entry.out) == ("published", str(tmp_path / "there" / "out"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store", "there"]


@pytest.mark.parametrize("why", ["another charge has it", "the ledger cannot be written"])
def test_a_place_that_is_refused_gets_no_copy(log, tmp_path, monkeypatch, why):
    staged = killed_before(monkeypatch, "rename", log, tmp_path / "out")
    taken = tmp_path / "taken"

    def full(*_words):
        raise InputError("The ledger could not be written")

    copied = []
    if why == "another charge has it":
        charge(log, taken)
        monkeypatch.setattr(shutil, "copyfile", lambda *words: copied.append(words))
    else:
        monkeypatch.setattr(Ledger, "move", full)
    with pytest.raises(Unfinished, match=r"charge 2, charged|could not be written"):
        resume(log, parse, charge=1, to=taken)
    assert copied == []
    assert staged.exists()
    assert not find_place(taken).partial.exists()


def test_a_full_disk_is_named_when_a_release_cannot_be_copied(log, tmp_path, monkeypatch):
    killed_before(monkeypatch, "rename", log, tmp_path / "out")

    def full(*_words, **_options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(Unfinished, match=r"could not be copied to .*: No space left on device"):
        resume(log, parse, to=tmp_path / "new")
    assert not find_place(tmp_path / "new").partial.exists()


def test_inputs_are_checked_before_anything_is_drawn(log, tmp_path, monkeypatch):
    charge(log, tmp_path / "out")

    def missing(_self):
        raise InputError("The pool is missing.")

    monkeypatch.setattr(type(MECHANISM), "check_inputs", missing)
    with pytest.raises(Unfinished, match="Charge 1: The pool is missing"):
        resume(log, parse)
    assert states(log) == ["charged"]
    assert not (tmp_path / "out").exists()


def test_a_lost_output_is_given_up_and_stays_spent(log, tmp_path, monkeypatch):
    killed_before(monkeypatch, "publish", log, tmp_path / "out")
    with pytest.raises(InputError, match="lies complete at"):
        give_up(log, 1)
    shutil.rmtree(tmp_path / "out")
    give_up(log, 1)
    assert states(log) == ["lost"]
    assert resume(log, parse) == []
    publish(MECHANISM, log, tmp_path / "out")
    with open_ledger(log) as ledger:
        assert ledger.spent().epsilon == 2 * MECHANISM.promise().guarantee.epsilon


def test_another_folder_in_the_place_of_a_charged_release_is_left_alone(log, tmp_path):
    other = make_log(tmp_path / "other", crowd_rows(400, ["weather boston"]))
    publish(MECHANISM, other, tmp_path / "out")
    charge(log, tmp_path / "out")
    with pytest.raises(Unfinished, match="is not the release that was charged"):
        resume(log, parse)
    assert Release.open(tmp_path / "out").label.source == other.info.id


def test_one_stuck_charge_does_not_block_the_others(log, tmp_path):
    (tmp_path / "file").write_text("a file where a folder should be")
    charge(log, tmp_path / "file" / "out")
    charge(log, tmp_path / "good")
    with pytest.raises(Unfinished, match=r"^Charge 1: .*Not a directory") as raised:
        resume(log, parse)
    assert [release.path for release in raised.value.finished] == [tmp_path / "good"]
    assert raised.value.exit_code == 1
    assert states(log) == ["charged", "published"]
    (release,) = resume(log, parse, to=tmp_path / "elsewhere")
    assert release.queries().num_rows == 1
    assert states(log) == ["published", "published"]


def test_an_error_of_ours_does_not_block_the_others_and_quotes_nothing(log, tmp_path):
    charge(log, tmp_path / "bad")
    charge(log, tmp_path / "good", parse("DPu(epsilon=3, delta=1e-9, d=2)"))

    def picky(text):
        if "epsilon=4" in text:
            raise KeyError("weather boston")
        return parse(text)

    with pytest.raises(Unfinished) as raised:
        resume(log, picky)
    assert str(raised.value) == "Charge 1: an error of ours (KeyError)."
    assert raised.value.exit_code == 3
    assert (tmp_path / "good").exists()


@pytest.mark.parametrize(
    "other",
    [
        "DPu(epsilon=100, delta=1e-9, d=2)",
        "DPu(epsilon=4, delta=1e-9, d=3)",
        "DPu(epsilon=1, delta=1e-9, d=2)",
    ],
)
def test_what_was_not_paid_for_is_not_published(log, tmp_path, other):
    """Another crowdlog may read the same words as another promise."""
    charge(log, tmp_path / "out")
    with pytest.raises(Unfinished, match="Nothing was drawn"):
        resume(log, lambda _text: parse(other))
    assert not (tmp_path / "out").exists()
    assert states(log) == ["charged"]


def test_resume_and_release_do_not_run_at_once(log, tmp_path):
    charge(log, tmp_path / "out")
    running = hold(log.path / LOCK, shared=True)  # as a release does
    also = hold(log.path / LOCK, shared=True)
    with pytest.raises(InputError, match=r"A release or another resume of .* is running just now"):
        resume(log, parse)
    publish(MECHANISM, log, tmp_path / "beside")
    os.close(running)
    os.close(also)
    running = hold(log.path / LOCK)  # as resume does
    with pytest.raises(InputError, match=r"A resume of .* is running just now"):
        publish(MECHANISM, log, tmp_path / "other")
    with pytest.raises(InputError, match="another resume"):
        resume(log, parse)
    os.close(running)
    assert len(resume(log, parse)) == 1
    assert states(log) == ["published", "published"]


def crowdlog(*words):
    done = CliRunner().invoke(cli, [str(word) for word in words])
    return done.exit_code, done.output, done.exception


def test_the_command_finishes_what_it_can_and_says_what_it_cannot(log, tmp_path):
    (tmp_path / "file").write_text("a file where a folder should be")
    for name in ("file/one", "two", "file/three"):
        charge(log, tmp_path / name)
    code, output, error = crowdlog("resume", log.path)
    assert (code, output) == (1, f"finished {tmp_path / 'two'}\n")
    assert isinstance(error, Unfinished)
    assert "Charge 1:" in str(error)
    assert "Charge 3:" in str(error)
    code, _output, error = crowdlog("resume", log.path, "--to", tmp_path / "here")
    assert str(error).startswith("Say with --charge")
    code, output, _error = crowdlog("resume", log.path, "--charge", 1, "--to", tmp_path / "here", "--json")
    assert (code, json.loads(output)["items"][0]["path"]) == (0, str(tmp_path / "here"))
    code, _output, error = crowdlog("resume", log.path, "--charge", 2)
    assert str(error) == "There is no unfinished charge 2. Unfinished: 3."
    code, _output, error = crowdlog("resume", log.path, "--give-up")
    assert "--charge N" in str(error)
    code, output, _error = crowdlog("resume", log.path, "--charge", 3, "--give-up")
    assert (code, output) == (0, "Charge 3 is closed. It stays spent; nothing is published for it.\n")
    assert crowdlog("resume", log.path)[:2] == (0, "Nothing to finish.\n")
    assert states(log) == ["published", "published", "lost"]


def test_the_hash_of_a_folder_is_of_its_names_and_contents(tmp_path):
    seen = set()
    for number, files in enumerate(
        [{"a": "1"}, {"a": "2"}, {"b": "1"}, {"a": "1", "b": ""}, {"ab": "1"}, {}]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)
        seen.add(folder_hash(folder))
    assert len(seen) == 6
    assert folder_hash(tmp_path / "nothing") is None
    (tmp_path / "0" / "link").symlink_to(tmp_path / "1" / "a")
    assert folder_hash(tmp_path / "0") is None
