import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.artifact import (
    MinedArtifact,
    decode_texts,
    encode_secondary,
    encode_texts,
    opened_artifact,
)
from crowdlog.crowd.client.participate import Link
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Job, Manifest, Party, digest_of
from crowdlog.crowd.separate_parties import hosts_of_several
from crowdlog.crowd.terms import Terms
from crowdlog.errors import InputError, PrivacyRefusal
from tests.support.manifests import KEYS, PARTIES, manifest_of

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
        {"job": {}},
        {"job": {**MANIFEST.to_json()["job"], "log_from": "yesterday"}},
        {"sampling": 0},
        {"sampling": 1_000_001},
        {"sampling": 0.5},
        {"secondary": "everything"},
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
        int: lambda: value - 1 if name == "sampling" else value + 1,
        str: lambda: {
            "artifact": "click",
            "representation": "heavy",
            "count": "impressions",
            "secondary": "original",
        }.get(name, "x"),
        list: lambda: [*value[:1], {**value[1], "owner": "somebody else"}, *value[2:]],
        dict: lambda: {**value, "panel" if name == "job" else "purpose": "another"},
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


def _with_party(number: int, **changed) -> dict:
    parties = [asdict(party) for party in PARTIES]
    parties[number] |= changed
    return {"parties": [Party(**party) for party in parties]}


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        (_with_party(2, signing=PARTIES[1].signing), "same key:"),
        (_with_party(2, signing=PARTIES[0].signing.upper()), "same key:"),
        (_with_party(2, url=PARTIES[1].url), "same address"),
        (_with_party(2, url="HTTP://1.INVALID.:80/"), "same address"),
        (_with_party(3, url=PARTIES[2].url), "same address"),
        (_with_party(2, url=PARTIES[0].url), "same address"),
        ({"keys": replace(KEYS, mix_publics=(bytes(32), bytes(32), bytes([1]) * 32))}, "for envelopes"),
        ({"keys": replace(KEYS, mix_publics=(bytes(32), bytes([1]) * 32, bytes(32)))}, "for envelopes"),
        ({"keys": replace(KEYS, evaluation_issuer=KEYS.report_issuer)}, "for credentials"),
        ({"keys": replace(KEYS, admission_issuer=KEYS.report_issuer)}, "for credentials"),
    ],
    ids=[
        "one key for both mixes",
        "a mix that is the randomness server",
        "one address for both mixes",
        "one address written otherwise",
        "a mix at the aggregation server's address",
        "a mix at the randomness server's address",
        "mixes with one key for envelopes",
        "a mix with the aggregation server's key for envelopes",
        "the randomness server issues for the aggregation server",
        "the first mix issues for the aggregation server",
    ],
)
def test_one_service_in_two_roles_is_refused(changed, what):
    terms = Terms("t", 5)
    described = {"parties": PARTIES, "keys": KEYS, **changed}
    with pytest.raises(PrivacyRefusal, match=what):
        terms.manifest(**described, mining_until=4_000_000_000)


@pytest.mark.parametrize("url", ["http://1.invalid:8001", "https://1.invalid", "http://1.invalid/mix2"])
def test_another_port_or_path_is_another_service_and_one_host_is_told(url):
    changed = _with_party(2, url=url)["parties"]
    assert Terms("t", 5).manifest(changed, KEYS, 4_000_000_000).mixes[1].url == url
    assert hosts_of_several([party.url for party in changed]) == ["1.invalid"]
    assert hosts_of_several([party.url for party in PARTIES]) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("published", "Nothing is published."),
        ("dates", "All is deleted tomorrow."),
        ("not_guaranteed", ""),
        ("not_guaranteed", "Nobody can read anything."),
    ],
)
@pytest.mark.parametrize("nested", [{}, {"inner_artifact": "click", "inner_k": 8}])
def test_words_that_do_not_follow_from_the_terms_are_refused(name, words, nested):
    """Under an id of their own, so that nothing else is wrong with them."""
    terms = manifest_of(**nested).to_json()
    assert Manifest.from_json(terms).consent.published.startswith("Each query that at least 5 people sent")
    for field, text in ((name, words), ("purpose", "Another purpose is the operator's to say.")):
        shown = {**terms, "consent": {**terms["consent"], field: text}}
        described = {key: value for key, value in shown.items() if key != "collection"}
        shown["collection"] = {**terms["collection"], "terms": digest_of(described).hex()}
        if field == "purpose":
            assert Manifest.from_json(shown).consent.purpose == text
        else:
            with pytest.raises(PrivacyRefusal, match="follow from the terms"):
                Manifest.from_json(shown)


def test_consent_says_what_is_published_and_what_is_not_guaranteed():
    consent = NESTED.consent
    assert "at least 5 people" in consent.published
    assert "7 people" in consent.published
    assert "not differential privacy" in consent.not_guaranteed


def test_consent_says_when_in_plain_words():
    job = Job(mining_from=1_800_000_000, repeat_seconds=14 * 86_400)
    dates = manifest_of(job=job, upload_seconds=7200).consent.dates
    assert "Mining begins on 2027-01-15 08:00 UTC." in dates
    assert "end on 2096-10-02 07:06 UTC at the latest" in dates
    assert "2 hours after that" in dates
    assert "every 14 days" in dates
    assert "begins" not in manifest_of().consent.dates


def test_sampling_needs_cover_and_one_level_with_a_secondary():
    with pytest.raises(PrivacyRefusal, match="cover"):
        manifest_of(sampling=105_000, cover=False)
    for secondary in ("original", "note"):
        with pytest.raises(InputError, match="nested collection has no secondary"):
            manifest_of(secondary=secondary, inner_artifact="click", inner_k=7)
    with pytest.raises(InputError, match="how they were written"):
        manifest_of(secondary="original", artifact="click")
    policy = "FTu(k=5, artifact='click')"
    assert manifest_of(secondary="note", artifact="click", policy=policy).secondary == "note"


@pytest.mark.parametrize("name", ["title", "purpose", "institution", "contact"])
@pytest.mark.parametrize("words", ["two\nlines", "\x1b[2K", "\udcff", "x" * 4001])
def test_the_operator_is_told_which_words_cannot_be_shown(name, words):
    with pytest.raises(InputError, match=f"The {name} must be one line"):
        Terms(**{"title": "t", "k": 5, name: words})


def test_an_operator_s_slips_are_told():
    with pytest.raises(InputError, match="64 hexadecimal digits"):
        Terms("t", 5, job=Job(previous="the last one"))
    with pytest.raises(InputError, match="before it begins"):
        manifest_of(job=Job(mining_from=4_000_000_000))


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


def opened(*secondaries: bytes, people: int | None = None, limit: int = 2**40, text: bool = False):
    group = Opened(b"x", people or len(secondaries), secondaries, (), 0)
    return opened_artifact(group, limit, "impressions", text=text)


def number(value: int) -> bytes:
    return encode_secondary(MinedArtifact(("x",), value), "impressions", text=False)


@pytest.mark.parametrize(("values", "total"), [((3, 4), 7), ((0, 4), 5), ((2**40,), 2**32 - 1)])
def test_impressions_are_summed(values, total):
    assert opened(*map(number, values)).impressions == total
    assert encode_secondary(MinedArtifact(("x",), 5), "users", text=False) == b""


def test_a_sender_who_states_nonsense_counts_once():
    assert opened(b"nonsense", number(9), people=3, limit=10).impressions == 11


def test_a_sender_who_claims_more_than_the_limit_counts_with_the_limit():
    assert opened(number(2**31), number(2), limit=10).impressions == 12


def test_the_text_that_most_senders_wrote_goes_along():
    written = ["Used Cars", "used cars", "Used Cars", "", "\N{ZERO WIDTH SPACE}"]
    items = [MinedArtifact(("used car",), 2, beside=text) for text in written]
    fields = [encode_secondary(item, "impressions", text=True) for item in items]
    found = opened(*fields, b"\xff", text=True)
    assert (found.beside, found.beside_people, found.impressions) == ("Used Cars", 2, 11)
    assert (opened(*fields).beside, opened(*fields).beside_people) == ("", 0)
    users = Opened(b"x", 2, (b"a", b"a"), (), 0)
    assert opened_artifact(users, 9, "users", text=True).beside_people == 2
    assert opened(number(1), text=True).beside == ""


def test_links_are_read_and_written():
    link = Link.parse("https://host:1/under/collections/abc#token")
    assert (link.server, link.collection_id, link.invitation) == ("https://host:1/under", "abc", "token")
    assert Link.parse(str(link)) == link


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftp://host/collections/a#t",
        "https://host/collections/a",
        "https://host/a#t",
        "https://[",
        "https://host/collections/a#\udcff",
    ],
)
def test_what_is_no_link_is_refused(text):
    with pytest.raises(InputError):
        Link.parse(text)
