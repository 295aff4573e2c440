"""Reports: any bytes are read or refused, every byte is bound, nothing of an artifact shows."""

from contextlib import suppress

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.crowd.crypto.collection import HEADER_SIZE
from crowdlog.crowd.crypto.credential import pseudonym, show
from crowdlog.crowd.crypto.derive import key_of, polynomial, root_of, share_point, tag_of
from crowdlog.crowd.crypto.group import ReportError, encode_scalar
from crowdlog.crowd.crypto.report import (
    Payload,
    Report,
    ReportedArtifact,
    check_report,
    credible,
    group_reports,
    make_report,
)
from crowdlog.crowd.crypto.shamir import value
from tests.crowd.crypto.people import Crowd

CROWD = Crowd(3)
REPORT = CROWD.report(0, b"weather", b"boston")


@given(st.binary(max_size=900))
def test_any_bytes_are_a_report_or_refused(data: bytes) -> None:
    with pytest.raises(ReportError):
        check_report(Report.parse(data), CROWD.collection, CROWD.issuer)


@given(st.integers(0, len(REPORT.data) - 1), st.integers(1, 255))
def test_every_changed_byte_is_refused(index: int, change: int) -> None:
    data = bytearray(REPORT.data)
    data[index] ^= change
    with pytest.raises(ReportError):
        check_report(Report.parse(bytes(data)), CROWD.collection, CROWD.issuer)


@given(st.binary(min_size=612, max_size=612), st.integers(0, 612), st.integers(0, 612))
def test_spliced_reports_are_refused(noise: bytes, start: int, end: int) -> None:
    data = REPORT.data[:start] + noise[start:end] + REPORT.data[max(start, end) :]
    if data != REPORT.data:
        with pytest.raises(ReportError):
            check_report(Report.parse(data), CROWD.collection, CROWD.issuer)


@pytest.mark.parametrize("size", [0, 1, 339, 340, 419, 611, 613, 16_384, 16_385, 100_000])
def test_truncated_and_oversized_reports_are_refused(size: int) -> None:
    with pytest.raises(ReportError):
        check_report(Report.parse((REPORT.data * 200)[:size]), CROWD.collection, CROWD.issuer)


def test_a_good_report_is_accepted_and_survives_its_bytes() -> None:
    again = Report.parse(REPORT.to_bytes())
    check_report(again, CROWD.collection, CROWD.issuer)
    assert again == REPORT
    assert (again.level, again.k, again.collection) == (0, 5, CROWD.collection.id)
    assert len(again.data) == CROWD.collection.report_size()


def test_another_collection_or_k_is_refused() -> None:
    other = Crowd(1, k=6, terms=b"o" * 32)
    with pytest.raises(ReportError, match="another collection"):
        check_report(REPORT, other.collection, other.issuer)
    lied = Report.parse(REPORT.data[:34] + b"\x00\x07" + REPORT.data[36:])
    with pytest.raises(ReportError, match="k = 7"):
        check_report(lied, CROWD.collection, CROWD.issuer)
    with pytest.raises(ReportError):
        Report.parse(REPORT.data[:34] + b"\x00\x04" + REPORT.data[36:])


def test_one_person_has_one_place_per_artifact() -> None:
    again = CROWD.report(0, b"weather", b"boston")
    assert again.data != REPORT.data
    assert (again.group, again.pseudonym, again.share) == (REPORT.group, REPORT.pseudonym, REPORT.share)


def test_people_and_artifacts_meet_in_the_group_only() -> None:
    same, other = CROWD.report(1, b"weather"), CROWD.report(0, b"news")
    assert same.group == REPORT.group
    assert same.pseudonym != REPORT.pseudonym
    assert other.group != REPORT.group
    assert other.pseudonym != REPORT.pseudonym
    assert [len(group) for group in group_reports([REPORT, same, other]).values()] == [2, 1]


def test_derivations_are_bound_to_collection_and_k() -> None:
    other = Crowd(1, k=6)  # the same keys, another k
    assert other.voprf == CROWD.voprf
    assert other.report(0, b"weather").tag != REPORT.tag
    assert other.rand(b"weather") != CROWD.rand(b"weather")


def test_equal_payloads_have_different_ciphertexts_of_one_length() -> None:
    first, second, longer = CROWD.report(0, b"a"), CROWD.report(0, b"a"), CROWD.report(0, b"a" * 200)
    assert first.data[340:] != second.data[340:]
    assert len(first.data) == len(longer.data)


def test_the_artifact_shows_nowhere() -> None:
    report = CROWD.report(0, b"canary", b"canary")
    assert b"canary" not in report.data
    assert "canary" not in repr(report) + repr(ReportedArtifact(b"canary", b"canary"))
    with pytest.raises(ReportError) as caught:
        CROWD.report(0, b"canary" * 50)
    assert "canary" not in str(caught.value)


def test_the_longest_artifact_fits_and_one_byte_more_does_not() -> None:
    assert CROWD.report(0, b"a" * 100, b"b" * 118)
    with pytest.raises(ReportError, match="1 bytes more"):
        CROWD.report(0, b"a" * 100, b"b" * 119)


def test_inner_reports_only_where_they_belong() -> None:
    nested = Crowd(1, inner_k=6)
    inner = nested.report(0, b"pair", level=1)
    assert nested.report(0, b"weather", inner=inner.data).level == 0
    for make in (
        lambda: CROWD.report(0, b"weather", inner=inner.data),
        lambda: nested.report(0, b"weather", inner=inner.data[1:]),
        lambda: nested.report(0, b"weather", inner=inner.data, level=1),
        lambda: CROWD.report(0, b"weather", level=1),
    ):
        with pytest.raises(ReportError):
            make()


@given(st.binary(min_size=64, max_size=300))
def test_any_payload_is_read_or_refused(data: bytes) -> None:
    with suppress(ReportError):
        assert Payload.parse(data).to_bytes(len(data)) == data


def test_the_payload_is_under_the_polynomials_secret() -> None:
    context = CROWD.collection.context()
    secret = polynomial(root_of(CROWD.rand(b"weather"), context), context, 5)[0]
    payload = Payload.parse(REPORT.decrypt(ChaCha20Poly1305(key_of(secret, context, REPORT.tag))))
    assert payload.artifact == ReportedArtifact(b"weather", b"boston")


def test_reports_are_repeatable_from_the_same_randomness() -> None:
    first, second = (Crowd(1, seed=4) for _ in range(2))
    made = [
        make_report(
            one.collection, one.credentials[0].report, bytes(64), ReportedArtifact(b"a"), one.randomness, 3
        )
        for one in (first, second)
    ]
    assert made[0] == made[1]


def test_a_slot_names_its_person_once_per_level_and_hides_her_elsewhere() -> None:
    nested = Crowd(2, inner_k=6)
    names = [
        nested.report(person, artifact, level=level, slot=slot).slot_name
        for person in (0, 1)
        for level in (0, 1)
        for slot in (0, 1)
        for artifact in (b"a", b"b")
    ]
    assert len(set(names)) == 8
    assert all(first == second for first, second in zip(names[::2], names[1::2], strict=True))


@pytest.mark.parametrize("slot", [-1, 10_000, 2**32 - 1])
def test_a_slot_beyond_the_limit_is_refused(slot: int) -> None:
    with pytest.raises(ReportError, match="from 0 to 9999"):
        CROWD.report(0, b"weather", slot=slot)
    if slot > 0:
        data = REPORT.data[:132] + slot.to_bytes(4, "big") + REPORT.data[136:]
        with pytest.raises(ReportError, match="from 0 to 9999"):
            check_report(Report.parse(data), CROWD.collection, CROWD.issuer)


def test_a_member_cannot_count_twice_by_a_second_spelling_of_her_name():
    """Her pseudonym with its highest bit set is the same point in libsodium: proof, share and all are made
    for it.
    """
    crowd = Crowd(1)
    own = crowd.credentials[0].report
    context = crowd.collection.context()
    rand = crowd.rand(b"artifact")
    tag = tag_of(root_of(rand, context), context, b"artifact")
    name = pseudonym(own, context + tag)
    twin = name[:-1] + bytes([name[-1] | 0x80])
    slot_context = crowd.collection.slot_context("report", 0)
    slot_name = pseudonym(own, slot_context)
    share = encode_scalar(value(polynomial(root_of(rand, context), context, 5), share_point(twin)))
    head = context + tag + twin + share + bytes(4) + slot_name + bytes(12)
    sealed = bytes(crowd.collection.report_size() - HEADER_SIZE)
    named = [(context + tag, twin), (slot_context, slot_name)]
    report = Report.parse(head + show(own, named, head + sealed, crowd.randomness) + sealed)
    with pytest.raises(ReportError):
        check_report(report, crowd.collection, crowd.issuer)
    assert credible([report] * 5, crowd.collection, crowd.issuer, crowd.randomness) == []
