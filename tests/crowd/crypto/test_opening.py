"""k people open a group, k − 1 never; liars are found; one person counts once."""

import itertools

import pytest

from crowdlog.crowd.crypto.credential import show
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.crowd.crypto.opening import Opened, largest_per_artifact, open_group
from crowdlog.crowd.crypto.report import Report, check_report, group_reports
from tests.crowd.crypto.people import Crowd

CROWD = Crowd(30)
TRUE = CROWD.reports(30, b"weather")


def shown_again(crowd: Crowd, person: int, true: Report, data: bytearray, tag: bytes) -> None:
    """Put a proof for the changed bytes into the report."""
    slot_context = crowd.collection.slot_context("report", true.slot, true.level)
    named = [(true.context + tag, true.pseudonym), (slot_context, true.slot_name)]
    message = bytes(data[:180] + data[340:])
    data[180:340] = show(crowd.credentials[person].report, named, message, crowd.randomness)


def lie(crowd: Crowd, person: int, primary: bytes, part: slice) -> Report:
    """A report with a valid credential whose share or ciphertext is false."""
    true = crowd.report(person, primary)
    data = bytearray(true.data)
    data[part] = bytes(byte ^ 5 for byte in data[part])
    data[131] &= 15  # keep the share below the group's order
    shown_again(crowd, person, true, data, true.tag)
    report = Report.parse(bytes(data))
    check_report(report, crowd.collection, crowd.issuer)
    return report


SHARE, SEALED = slice(100, 110), slice(346, 356)


@pytest.mark.parametrize("people", range(31))
def test_a_group_opens_from_k_people_on(people: int) -> None:
    opened = open_group(TRUE[:people], CROWD.collection)
    assert (opened is not None) == (people >= 5)
    if opened:
        assert (opened.artifact, opened.people, opened.rejected) == (b"weather", people, 0)


def test_every_k_of_seven_open_it() -> None:
    opened = [open_group(subset, CROWD.collection) for subset in itertools.combinations(TRUE[:7], 5)]
    assert all(item and item.people == 5 for item in opened)


def test_repeated_reports_count_once() -> None:
    again = [CROWD.report(person, b"weather") for person in (0, 0, 1)]
    assert open_group(TRUE[:4] + TRUE[:4] + again, CROWD.collection) is None
    opened = open_group(TRUE[:5] * 3 + again, CROWD.collection)
    assert opened
    assert opened.people == 5


@pytest.mark.parametrize("part", [SHARE, SEALED], ids=["share", "payload"])
@pytest.mark.parametrize(("true", "liars"), [(5, 1), (6, 1), (7, 2), (8, 5), (15, 9), (20, 10)])
def test_liars_are_rejected_wherever_they_stand(part: slice, true: int, liars: int) -> None:
    false = [lie(CROWD, 29 - person, b"weather", part) for person in range(liars)]
    for reports in (
        TRUE[:true] + false,
        false + TRUE[:true],
        TRUE[: true // 2] + false + TRUE[true // 2 : true],
    ):
        opened = open_group(reports, CROWD.collection)
        assert opened
        assert (opened.artifact, opened.people, opened.rejected) == (b"weather", true, liars)


def test_liars_do_not_help_to_reach_k() -> None:
    for part in (SHARE, SEALED):
        assert (
            open_group(
                [*TRUE[:4], *(lie(CROWD, person, b"weather", part) for person in range(4, 12))],
                CROWD.collection,
            )
            is None
        )


def test_all_liars_open_nothing() -> None:
    assert (
        open_group([lie(CROWD, person, b"weather", SHARE) for person in range(12)], CROWD.collection) is None
    )


def test_groups_are_not_mixed() -> None:
    with pytest.raises(ReportError):
        open_group([TRUE[0], CROWD.report(1, b"news")], CROWD.collection)
    assert open_group([], CROWD.collection) is None


def test_a_tag_of_the_other_level_disturbs_nobody() -> None:
    nested = Crowd(7, inner_k=6)
    reports = nested.reports(5, b"weather")
    false = nested.report(5, b"pair", level=1)
    data = bytearray(false.data)
    data[36:68] = reports[0].tag
    shown_again(nested, 5, false, data, reports[0].tag)
    with pytest.raises(ReportError, match="level 1"):
        check_report(Report.parse(bytes(data)), nested.collection, nested.issuer)
    assert len(group_reports([Report.parse(bytes(data)), *reports])) == 2


def test_secondaries_come_with_their_primary() -> None:
    reports = [
        CROWD.report(person, b"weather", b"city %d" % person if person else b"") for person in range(6)
    ]
    opened = open_group(reports, CROWD.collection)
    assert opened
    assert opened.secondaries == tuple(b"city %d" % person for person in range(1, 6))
    assert "weather" not in repr(opened)


def test_nested_thresholds_open_the_query_before_the_pair() -> None:
    crowd = Crowd(8, inner_k=8)

    def report(person: int) -> Report:
        return crowd.report(
            person, b"weather", inner=crowd.report(person, b"weather\tw.example", level=1).data
        )

    reports = [report(person) for person in range(8)]
    for people, pair in ((4, None), (5, None), (7, None), (8, b"weather\tw.example")):
        opened = open_group(reports[:people], crowd.collection)
        if people < 5:
            assert opened is None
            continue
        assert opened
        assert (opened.artifact, opened.people) == (b"weather", people)
        for inner in opened.inner:
            check_report(inner, crowd.collection, crowd.issuer, level=1)
            with pytest.raises(ReportError, match="level"):
                check_report(inner, crowd.collection, crowd.issuer)
        inside = open_group(opened.inner, crowd.collection)
        assert (inside and inside.artifact) == pair


def test_one_artifact_is_published_once() -> None:
    small, large, other = (
        Opened(name, people, (), (), 0) for name, people in ((b"a", 5), (b"a", 9), (b"b", 6))
    )
    assert (
        largest_per_artifact([small, large, other])
        == largest_per_artifact([large, small, other])
        == [large, other]
    )


def test_many_people_with_liars_among_them() -> None:
    crowd = Crowd(120, k=20)
    reports = [lie(crowd, p, b"news", SHARE) if p % 5 == 0 else crowd.report(p, b"news") for p in range(120)]
    opened = open_group(reports, crowd.collection)
    assert opened
    assert (opened.people, opened.rejected) == (96, 24)
