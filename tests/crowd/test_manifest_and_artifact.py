import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.artifact import impressions_of, primary, secondary, texts_of
from crowdlog.crowd.client.member import Link
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError, PrivacyRefusal

MANIFEST = Manifest(Collection("t", 5, bytes(32), bytes(64), (bytes(32),) * 3), "query", "light", 9, "users", "FTu(k=5)", "http://r", "http://m")


def test_a_manifest_survives_json():
    assert Manifest.from_json(json.loads(json.dumps(MANIFEST.to_json()))) == MANIFEST


@pytest.mark.parametrize(
    "change", [{"limit": 0}, {"limit": True}, {"artifact": "thought"}, {"count": None}, {"mix": 1}, {"collection": {}}, {"more": 1}]
)
def test_a_strange_manifest_is_refused(change):
    with pytest.raises(InputError):
        Manifest.from_json({**MANIFEST.to_json(), **change})


def test_a_collection_below_the_floor_is_refused():
    low = {**MANIFEST.to_json(), "collection": {**MANIFEST.to_json()["collection"], "k": 4}}
    with pytest.raises(PrivacyRefusal):
        Manifest.from_json(low)


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_what_is_no_manifest_is_refused(value):
    with pytest.raises(InputError):
        Manifest.from_json(value)


@given(st.lists(st.text().filter(lambda text: "\t" not in text), min_size=1, max_size=3))
def test_texts_survive_the_primary_field(texts):
    encodable = all(character < "\ud800" or character > "\udfff" for text in texts for character in text)
    assert encodable
    assert texts_of(primary(tuple(texts)), len(texts)) == tuple(texts)


def test_texts_with_tabs_and_foreign_bytes_are_left_out():
    assert primary(("a\tb",)) is None
    assert texts_of(b"\xff", 1) is None
    assert texts_of(b"a\tb", 1) is None


@pytest.mark.parametrize(("values", "total"), [((3, 4), 7), ((0, 4), 5), ((2**40,), 2**32 - 1)])
def test_impressions_are_summed(values, total):
    fields = tuple(secondary(value, "impressions") for value in values)
    assert impressions_of(Opened(b"x", len(values), fields, (), 0)) == total
    assert secondary(5, "users") == b""


def test_a_sender_who_states_nonsense_counts_once():
    assert impressions_of(Opened(b"x", 3, (b"nonsense", (9).to_bytes(4, "big")), (), 0)) == 11


def test_links_are_read_and_written():
    link = Link.parse("https://host:1/under/collections/abc#token")
    assert (link.server, link.collection_id, link.invitation) == ("https://host:1/under", "abc", "token")
    assert Link.parse(str(link)) == link


@pytest.mark.parametrize("text", ["", "ftp://host/collections/a#t", "https://host/collections/a", "https://host/a#t", "https://["])
def test_what_is_no_link_is_refused(text):
    with pytest.raises(InputError):
        Link.parse(text)
