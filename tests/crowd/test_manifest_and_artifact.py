import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.artifact import decode_texts, encode_count, encode_texts, opened_artifact
from crowdlog.crowd.client.participate import Link
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import InputError, PrivacyRefusal
from tests.support.manifests import manifest_of

MANIFEST = manifest_of(representation="light", limit=9)
NESTED = manifest_of(inner_artifact="click", inner_k=7, inner_slots=2)


@pytest.mark.parametrize("manifest", [MANIFEST, NESTED], ids=["flat", "nested"])
def test_a_manifest_survives_json(manifest):
    assert Manifest.from_json(json.loads(json.dumps(manifest.to_json()))) == manifest


def test_layers_are_what_opens_at_each_threshold():
    assert [(layer.artifact, layer.k) for layer in MANIFEST.layers] == [("query", 5)]
    assert [(layer.artifact, layer.k) for layer in NESTED.layers] == [("query", 5), ("click", 7)]


@pytest.mark.parametrize(
    "change",
    [
        {"inner_artifact": ""},
        {"inner_policy": ""},
        {"collection": MANIFEST.to_json()["collection"]},
        {"artifact": "click"},
        {"inner_artifact": "query"},
    ],
    ids=["no artifact", "no policy", "no inner k", "clicks outside", "queries inside"],
)
def test_a_half_nested_manifest_is_refused(change):
    with pytest.raises((InputError, PrivacyRefusal)):
        Manifest.from_json({**NESTED.to_json(), **change})


@pytest.mark.parametrize(
    "change",
    [
        {"smallest_crowd": True},
        {"mining_until": -1},
        {"upload_seconds": "1"},
        {"cover": 1},
        {"artifact": "thought"},
        {"count": None},
        {"parties": {}},
        {"parties": [{}]},
        {"parties": []},
        {"consent": {}},
        {"title": "a\x1b[2Ktitle that redraws the screen"},
        {"collection": {}},
        {"more": 1},
    ],
)
def test_a_strange_manifest_is_refused(change):
    with pytest.raises(InputError):
        Manifest.from_json({**MANIFEST.to_json(), **change})


def test_a_collection_below_the_floor_is_refused():
    low = {**MANIFEST.to_json(), "collection": {**MANIFEST.to_json()["collection"], "k": 4}}
    with pytest.raises(PrivacyRefusal):
        Manifest.from_json(low)


@pytest.mark.parametrize("name", [name for name in MANIFEST.to_json() if name != "collection"])
def test_every_term_is_in_the_id(name):
    """Whatever is changed, the id no longer fits, and nobody can make it fit."""
    shown = MANIFEST.to_json()
    value = shown[name]
    changed = {
        bool: lambda: not value,
        int: lambda: value + 1,
        str: lambda: {"artifact": "click", "representation": "heavy", "count": "impressions"}.get(name, "x"),
        list: lambda: [*value[:1], {**value[1], "owner": "somebody else"}, *value[2:]],
        dict: lambda: {**value, "purpose": "another"},
    }[type(value)]()
    if name.startswith("inner"):
        return  # a half-nested manifest is refused before
    with pytest.raises(PrivacyRefusal, match="not those the collection's id was made from"):
        Manifest.from_json({**shown, name: changed})


def test_other_terms_have_another_id():
    assert len({manifest_of(purpose=purpose).id for purpose in ("a", "b", "c")}) == 3


def test_a_crowd_smaller_than_k_is_refused():
    with pytest.raises(PrivacyRefusal, match="smallest crowd"):
        manifest_of(smallest_crowd=4)


def test_consent_says_what_is_published_and_what_is_not_guaranteed():
    consent = NESTED.consent
    assert "at least 5 people" in consent.published
    assert "7 people" in consent.published
    assert "not differential privacy" in consent.not_guaranteed


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_what_is_no_manifest_is_refused(value):
    with pytest.raises(InputError):
        Manifest.from_json(value)


@given(st.lists(st.text().filter(lambda text: "\t" not in text), min_size=1, max_size=3))
def test_texts_survive_the_primary_field(texts):
    encodable = all(character < "\ud800" or character > "\udfff" for text in texts for character in text)
    assert encodable
    assert decode_texts(encode_texts(tuple(texts)), len(texts)) == tuple(texts)


def test_texts_with_tabs_and_foreign_bytes_are_left_out():
    assert encode_texts(("a\tb",)) is None
    assert decode_texts(b"\xff", 1) is None
    assert decode_texts(b"a\tb", 1) is None


@pytest.mark.parametrize(("values", "total"), [((3, 4), 7), ((0, 4), 5), ((2**40,), 2**32 - 1)])
def test_impressions_are_summed(values, total):
    fields = tuple(encode_count(value, "impressions") for value in values)
    assert opened_artifact(Opened(b"x", len(values), fields, (), 0), 2**40).impressions == total
    assert encode_count(5, "users") == b""


def test_a_sender_who_states_nonsense_counts_once():
    assert (
        opened_artifact(Opened(b"x", 3, (b"nonsense", (9).to_bytes(4, "big")), (), 0), 10).impressions == 11
    )


def test_a_sender_who_claims_more_than_the_limit_counts_with_the_limit():
    assert (
        opened_artifact(
            Opened(b"x", 2, ((2**31).to_bytes(4, "big"), (2).to_bytes(4, "big")), (), 0), 10
        ).impressions
        == 12
    )


def test_links_are_read_and_written():
    link = Link.parse("https://host:1/under/collections/abc#token")
    assert (link.server, link.collection_id, link.invitation) == ("https://host:1/under", "abc", "token")
    assert Link.parse(str(link)) == link


@pytest.mark.parametrize(
    "text", ["", "ftp://host/collections/a#t", "https://host/collections/a", "https://host/a#t", "https://["]
)
def test_what_is_no_link_is_refused(text):
    with pytest.raises(InputError):
        Link.parse(text)
