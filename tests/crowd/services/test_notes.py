"""The free secondary field: a note of the member's own beside an artifact, from her file to the crowd log."""

import pytest

from crowdlog.crowd.client.mining import mine_own, read_notes
from crowdlog.crowd.client.reports import seal
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.slots import Submission
from crowdlog.errors import InputError
from tests.crowd.services.members import RANDOM, Direct, SmallCrowd


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path / "services", count="users", more={"secondary": "note"}) as small:
        yield small


def _files(folder, person: int, notes: dict[str, str]):
    """A log of two searches, and notes."""
    folder.mkdir(exist_ok=True)
    log, noted = folder / f"log{person}.tsv", folder / f"notes{person}.tsv"
    rows = [f"{person}\t{query}\t2006-03-01 00:00:00\t\t" for query in ("flu", "weather")]
    log.write_text("\n".join(["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", *rows]) + "\n")
    noted.write_text("".join(f"{query}\t{note}\n" for query, note in notes.items()))
    return log, noted


def _envelopes(crowd, tmp_path, person: int, notes: dict[str, str]) -> tuple[list[str], list[bytes]]:
    log, noted = _files(tmp_path / "logs", person, notes)
    mined = mine_own(log, crowd.manifest, tmp_path / "logs", RANDOM, noted)
    chosen = sample_artifacts(crowd.manifest, mined, RANDOM).chosen
    prepared = seal(crowd.manifest, crowd.member(), chosen, Direct(crowd.randomness), RANDOM)
    sealed = [Submission.parse(item.submission).envelope for item in prepared]
    for mix in crowd.mixes:
        sealed = [open_layer(mix._key, envelope) for envelope in sealed]
    return [item.readable for item in chosen], sealed


def test_notes_that_k_people_gave_alike_are_published_and_no_others(crowd, tmp_path):
    given = [{"flu": "for my child", "weather": f"at {person}'s house"} for person in range(5)]
    given.append({"weather": "for my child"})
    sent = [_envelopes(crowd, tmp_path, person, notes) for person, notes in enumerate(given)]
    assert sorted(sent[0][0]) == ["flu  (note: for my child)", "weather  (note: at 0's house)"]
    assert sorted(sent[5][0]) == ["flu", "weather  (note: for my child)"]
    crowd.open_uploads()
    for _shown, envelopes in sent:
        assert crowd.send(envelopes).json()["accepted"] == 2
    assert sorted(crowd.published(), key=lambda row: row["query"]) == [
        {"query": "flu", "count": 6, "note": "for my child"},
        {"query": "weather", "count": 6, "note": ""},
    ]


def test_notes_of_nothing_and_notes_nobody_asked_for_are_refused(crowd, tmp_path):
    log, noted = _files(tmp_path / "logs", 0, {"fluh": "misspelt canary", "weather": "x"})
    with pytest.raises(InputError, match="1 of 2 notes belong to no artifact") as refused:
        mine_own(log, crowd.manifest, tmp_path, RANDOM, noted)
    assert "canary" not in str(refused.value)
    with pytest.raises(InputError, match="asks for no notes"):
        mine_own(log, crowd.create(secondary=""), tmp_path, RANDOM, noted)


def test_a_note_stands_behind_the_last_tab(tmp_path):
    path = tmp_path / "notes.tsv"
    path.write_text("one\ttwo\tof a pair\n\nflu\t\n")
    assert read_notes(path) == {("one", "two"): "of a pair", ("flu",): ""}
    path.write_text("no tab here\n")
    with pytest.raises(InputError, match="Line 1 of the notes has no tab"):
        read_notes(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_notes(path)


def test_a_note_that_does_not_fit_keeps_its_artifact_back(crowd, tmp_path):
    log, noted = _files(tmp_path / "logs", 0, {"flu": "x" * 200})
    mined = mine_own(log, crowd.manifest, tmp_path, RANDOM, noted)
    choice = sample_artifacts(crowd.manifest, mined, RANDOM)
    assert (choice.too_long, [item.readable for item in choice.chosen]) == (1, ["weather"])
