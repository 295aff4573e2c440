"""Many showings checked together are judged as one by one, whatever is wrong with some of them."""

import pytest

from crowdlog.crowd.crypto import multiscalar
from crowdlog.crowd.crypto.batch_showing import Showing, shown_all
from crowdlog.crowd.crypto.credential import pseudonym, show
from crowdlog.crowd.crypto.group import BASE, ORDER, SIZE, add, encode_scalar
from crowdlog.crowd.crypto.report import Report, ReportError, check_report, credible
from crowdlog.privacy.randomness import SeededRandomness
from tests.crowd.crypto.people import Crowd


@pytest.fixture(scope="module")
def crowd():
    return Crowd(3)


def showings(crowd: Crowd, n: int) -> list[Showing]:
    made = []
    for number in range(n):
        own = crowd.credentials[number % 3].report
        contexts = [b"artifact %d" % (number // 2), b"slot %d" % (number % 5)]
        named = [(context, pseudonym(own, context)) for context in contexts]
        made.append(Showing(show(own, named, b"message", crowd.randomness), named, b"message"))
    return made


def changed(one: Showing, at: int) -> Showing:
    return Showing(one.data[:at] + bytes([one.data[at] ^ 1]) + one.data[at + 1 :], one.named, one.message)


def test_good_ones_pass_in_one_sum(crowd, monkeypatch):
    many = showings(crowd, 40)
    sums = []
    real = multiscalar.sums_to_identity

    def counted(scalars, points):
        sums.append(len(scalars))
        return real(scalars, points)

    monkeypatch.setattr(multiscalar, "sums_to_identity", counted)
    assert shown_all(crowd.issuer, many, SeededRandomness(1)) == [True] * 40
    assert len(sums) == 1
    # six points of each; twenty artifacts, five slots: a base that several share is taken once
    assert sums[0] == 40 * 6 + 20 + 5


@pytest.mark.parametrize("part", range(5))
def test_a_bit_changed_in_any_part_is_found(crowd, part):
    many = showings(crowd, 12)
    many[5] = changed(many[5], part * SIZE)
    expected = [number != 5 for number in range(12)]
    assert [one.holds(crowd.issuer) for one in many] == expected
    assert shown_all(crowd.issuer, many, SeededRandomness(2)) == expected


def test_errors_that_cancel_out_without_weights_are_found(crowd):
    """Two showings wrong by the same point with opposite signs: their plain sum is the identity."""
    many = showings(crowd, 8)
    many[3] = many[2]  # with other points the errors would be multiples of others
    response = slice(-SIZE, None)
    for number, step in ((2, 1), (3, ORDER - 1)):
        one = many[number]
        shifted = (int.from_bytes(one.data[response], "little") + step) % ORDER
        many[number] = Showing(one.data[:-SIZE] + encode_scalar(shifted), one.named, one.message)
    mac = slice(SIZE, 2 * SIZE)
    one = many[6]
    wrong = one.data[: mac.start] + add(one.data[mac], BASE) + one.data[mac.stop :]
    many[6] = Showing(wrong, one.named, one.message)
    assert shown_all(crowd.issuer, many, SeededRandomness(3)) == [n not in {2, 3, 6} for n in range(8)]


def test_wrong_lengths_identities_other_keys_and_messages(crowd):
    many = showings(crowd, 9)
    many[0] = Showing(many[0].data[:-1], many[0].named, many[0].message)
    many[1] = Showing(bytes(SIZE) + many[1].data[SIZE:], many[1].named, many[1].message)
    many[2] = Showing(
        many[2].data[:-SIZE] + encode_scalar(ORDER - 1)[:-1] + b"\xff", many[2].named, b"message"
    )
    many[3] = Showing(many[3].data, many[3].named, b"another")
    many[4] = Showing(many[4].data, many[5].named, many[4].message)
    assert shown_all(crowd.issuer, many, SeededRandomness(4)) == [False] * 5 + [True] * 4
    other = crowd.issuers["admission"]
    assert shown_all(other, many, SeededRandomness(5)) == [False] * 9
    assert shown_all(crowd.issuer, [], SeededRandomness(6)) == []


def test_reports_are_judged_as_one_by_one(crowd):
    reports = [crowd.report(number % 3, b"artifact %d" % number) for number in range(10)]
    data = reports[4].data
    for at in (0, 1, 5, 35, 40, 70, 110, 134, 150, 175, 200, 330, 345):
        forged = Report(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(ReportError):
            check_report(forged, crowd.collection, crowd.issuer)
        mixed = [*reports[:6], forged, *reports[6:]]
        assert credible(mixed, crowd.collection, crowd.issuer, SeededRandomness(7)) == reports
