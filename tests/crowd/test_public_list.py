import json
from pathlib import Path

import pytest

from crowdlog.crowd.public_list import EMPTY, chained_head, checked_head
from crowdlog.errors import PrivacyRefusal

IDS = [f"{number:064x}" for number in range(1, 4)]


def listed(ids: list[str]) -> dict:
    entries, head = [], EMPTY
    for number, name in enumerate(ids, 1):
        head = chained_head(head, name)
        entries.append({"number": number, "id": name, "title": "x", "head": head.hex()})
    return {"collections": entries, "head": head.hex()}


def test_a_list_that_grew_is_believed():
    seen = [listed(IDS[:count])["head"] for count in range(3)]
    assert checked_head(listed(IDS), IDS[1], seen) == listed(IDS)["head"]


def test_the_heads_are_those_that_the_extension_is_tested_with():
    kept = json.loads((Path(__file__).parents[1] / "vectors" / "public-list.json").read_text())
    assert kept["ids"] == IDS
    assert kept["heads"] == [listed(IDS[:count])["head"] for count in range(4)]


def test_what_was_seen_before_cannot_be_taken_out_or_changed():
    before = listed([IDS[0], "f" * 64])["head"]
    for now in (IDS, [IDS[0]], [*IDS[:1], IDS[2], "f" * 64]):
        with pytest.raises(PrivacyRefusal, match="saw before"):
            checked_head(listed(now), IDS[0], [before])


def test_a_collection_that_is_not_listed_is_not_joined():
    for ids in ([], IDS[1:]):
        with pytest.raises(PrivacyRefusal, match="does not name"):
            checked_head(listed(ids), IDS[0], [])


@pytest.mark.parametrize(
    "change",
    [
        lambda shown: shown["collections"].pop(0),
        lambda shown: shown["collections"].reverse(),
        lambda shown: shown.update(head="00" * 32),
        lambda shown: shown["collections"][0].update(head="00" * 32),
        lambda shown: shown["collections"][0].pop("head"),
        lambda shown: shown["collections"][0].update(id="x"),
        lambda shown: shown["collections"].append(5),
    ],
)
def test_heads_that_are_not_those_of_the_ids_are_refused(change):
    shown = listed(IDS)
    change(shown)
    with pytest.raises(PrivacyRefusal, match="contradicts itself"):
        checked_head(shown, IDS[1], [])
