import re

from crowdlog.log.synth.run import SynthReport
from crowdlog.log.synth.secrets import EVERY, KINDS, luhn_digit, planted

SHAPES = {
    "card": r"400000\d{10}",
    "email": r"[a-z]+\.[a-z]+\d+@example\.com",
    "ssn": r"[a-z]+ [a-z]+ 9\d\d-\d\d-\d{4}",
    "phone": r"[a-z]+ [a-z]+ \d{3}-555-01\d\d",
    "address": r"[a-z]+ [a-z]+ \d+ [a-z]+ street",
}


def test_check_digit_of_a_known_number():
    assert luhn_digit("7992739871") == 3  # the usual worked example: 79927398713 is valid


def test_one_user_in_every_block_has_a_secret_of_the_right_shape():
    found = planted(7, 0, 10 * EVERY)
    assert [secret.user // EVERY for secret in found] == list(range(10))
    assert {secret.kind for secret in found} == set(KINDS)
    assert all(re.fullmatch(SHAPES[secret.kind], secret.query) for secret in found)


def test_secrets_do_not_depend_on_how_the_users_are_cut():
    assert planted(3, 0, 1_000) == planted(3, 0, 333) + planted(3, 333, 1_000)


def test_each_secret_is_in_the_log_and_sensitive(log: SynthReport):
    lines = log.path.with_name("secrets.tsv").read_text(encoding="ascii").splitlines()
    secrets = [line.split("\t") for line in lines[1:]]
    assert lines[0] == "user\tkind\tquery"
    assert len(secrets) == log.secrets == log.users // EVERY
    with log.path.open(encoding="ascii") as rows:
        searched = {tuple(row.split("\t")[:2]) for row in rows}
    assert all((user, query) in searched for user, _kind, query in secrets)
    labels = set(log.path.with_name("labels.tsv").read_text(encoding="ascii").splitlines())
    assert all(f"{query}\tpeople/secrets\t1" in labels for _user, _kind, query in secrets)
