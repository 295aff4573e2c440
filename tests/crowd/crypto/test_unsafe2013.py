"""The 2013 design works as a secret sharing and fails as a secret."""

from pathlib import Path

import crowdlog
from crowdlog.crowd.crypto.unsafe2013 import unsafe_open, unsafe_report


def test_k_users_open_and_fewer_do_not() -> None:
    reports = [unsafe_report(b"weather", 5, b"user %d" % user) for user in range(5)]
    assert unsafe_open(reports, 5) == b"weather"
    assert unsafe_open(reports[:4] + reports[:4], 5) is None


def test_one_report_confirms_a_guess() -> None:
    """The hole: no share is needed to test a guess, only the hash everybody can compute."""
    report = unsafe_report(b"weather", 5, b"somebody")
    dictionary = [b"news", b"weather", b"maps"]
    assert [guess for guess in dictionary if unsafe_report(guess, 5, b"the server").tag == report.tag] == [
        b"weather"
    ]


def test_reprs_hide_the_sealed_artifact() -> None:
    assert "sealed" not in repr(unsafe_report(b"canary", 5, b"user"))


def test_only_attacks_use_it() -> None:
    source = Path(crowdlog.__file__).parent
    users = [
        path.relative_to(source)
        for path in source.rglob("*.py")
        if "unsafe2013" in path.read_text() and path.name != "unsafe2013.py"
    ]
    assert all(path.parts[0] == "attacks" for path in users)
