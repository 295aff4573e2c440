"""A collection's terms: floors, and an id that changes with each of them."""

import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.errors import PrivacyRefusal
from tests.crowd.crypto.people import Crowd

TERMS = Crowd(0, inner_k=8).collection


def test_terms_survive_json() -> None:
    again = Collection.from_json(TERMS.to_json())
    assert again == TERMS
    assert again.id == TERMS.id


def test_every_term_changes_the_id() -> None:
    flipped = TERMS.voprf_public[::-1]
    variants = [
        replace(TERMS, terms=flipped),
        replace(TERMS, limit=7),
        replace(TERMS, inner_slots=2),
        replace(TERMS, k=6),
        replace(TERMS, inner_k=9),
        replace(TERMS, payload_size=300),
        replace(TERMS, voprf_public=flipped),
        replace(TERMS, report_issuer=flipped * 2),
        replace(TERMS, evaluation_issuer=flipped * 2),
        replace(TERMS, admission_issuer=flipped * 2),
        replace(TERMS, mix_publics=TERMS.mix_publics[::-1]),
    ]
    assert len({terms.id for terms in [TERMS, *variants]}) == 12
    assert len({terms.context(0) for terms in [TERMS, *variants]}) == 12


@pytest.mark.parametrize(
    "change",
    [
        {"k": 4},
        {"k": 0},
        {"k": -1},
        {"inner_k": 4},
        {"mix_publics": TERMS.mix_publics[:2]},
        {"mix_publics": ()},
    ],
)
def test_terms_that_protect_too_little_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(PrivacyRefusal):
        replace(TERMS, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"k": 1001, "inner_k": 0},
        {"inner_k": 5000},
        {"payload_size": 63},
        {"payload_size": 5000},
        {"voprf_public": b""},
        {"report_issuer": bytes(65)},
        {"evaluation_issuer": bytes(32)},
        {"admission_issuer": b""},
        {"limit": 0},
        {"limit": 10**6 + 1},
        {"mix_publics": (b"", b"", b"")},
        {"terms": b"short"},
    ],
)
def test_terms_out_of_range_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ReportError):
        replace(TERMS, **change)


def test_levels() -> None:
    assert (TERMS.bar(0), TERMS.bar(1)) == (5, 8)
    assert TERMS.context(0) != TERMS.context(1)
    assert TERMS.report_size(1) == 340 + 256 + 16
    assert TERMS.report_size(0) == TERMS.report_size(1) + TERMS.report_size(1)
    with pytest.raises(ReportError):
        replace(TERMS, inner_k=0).bar(1)


JSON = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.lists(st.text(max_size=3), max_size=3)
)


@given(st.dictionaries(st.sampled_from(sorted(json.loads(TERMS.to_json()))), JSON))
def test_any_terms_are_a_collection_or_refused(change: dict[str, object]) -> None:
    with suppress(ReportError, PrivacyRefusal):
        assert Collection.from_json(json.dumps(json.loads(TERMS.to_json()) | change)).k >= 5


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '"a"', "[" * 100_000, "{}"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ReportError):
        Collection.from_json(text)
