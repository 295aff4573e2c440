"""All attacks on a synthetic log: the unsafe releases break, the private ones do not."""

import pytest

from crowdlog.attacks import ATTACKS, attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log

USERS = 2000
# where every row is shown under a pseudonym, these learn nothing that the rows do not say
NOTHING_TO_FIND = {"power_user", "triples", "completion", "token_hashes", "injection", "membership"}


@pytest.fixture(autouse=True)
def _few_trials(monkeypatch):
    monkeypatch.setattr("crowdlog.attacks.injection.TRIALS", 3)
    monkeypatch.setattr("crowdlog.attacks.membership.RUNS", 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("synthetic")
    synthesize(path / "log.tsv", users=USERS, seed=7, secrets=path / "secrets.tsv")
    return path


@pytest.fixture(scope="module")
def log(folder):
    return import_log([folder / "log.tsv"], folder / "store")


def attacked(log, out, mechanism, names=None, **options):
    release = parse(mechanism).release(log, out, i_know=True, budget=(1000, 1))
    return {
        result.name: result
        for result in attack(release, log, names, attacker=Attacker(SeededRandomness(12), **options))
    }


def test_pseudonyms_are_broken(log, tmp_path):
    found = attacked(log, tmp_path / "out", "Pseudonyms()")
    assert len(found) == len(ATTACKS)
    assert found["linkage"].success > 0.9
    assert found["exposure"].success == pytest.approx(1)
    assert found["singles"].success == 1
    broken = {name for name, result in found.items() if result.broken}
    assert broken >= {
        "linkage",
        "exposure",
        "category_linkage",
        "category_exposure",
        "homogeneity",
        "singles",
        "whose_text",
    }
    assert not broken & NOTHING_TO_FIND


def test_the_planted_secrets_are_in_the_pseudonyms_and_not_in_a_private_release(folder, log, tmp_path):
    open_ = attacked(log, tmp_path / "open", "Pseudonyms()", ["singles"], secrets=folder / "secrets.tsv")[
        "secrets"
    ]
    private = attacked(
        log,
        tmp_path / "private",
        "Korolova(epsilon=4, delta=1e-6, d=2)",
        ["singles"],
        secrets=folder / "secrets.tsv",
    )["secrets"]
    assert (open_.details["trials"], open_.success, open_.broken) == (USERS // 200, 1, True)
    assert (private.success, private.broken) == (0, False)


def test_split_sessions_are_broken(log, tmp_path):
    found = attacked(log, tmp_path / "out", "SplitSessions()", ["linkage", "exposure", "singles"])
    assert all(result.broken for result in found.values())
    assert found["linkage"].success > 0.5


def test_hashed_words_are_found_by_their_frequency(log, tmp_path):
    found = attacked(log, tmp_path / "out", "HashedTokens()", ["token_hashes", "linkage", "singles"])
    assert found["token hashes"].success > 100 * found["token hashes"].chance
    assert found["token hashes"].broken
    assert not found["linkage"].broken
    assert not found["singles"].broken


def test_hashed_words_are_found_with_another_log(log, tmp_path):
    synthesize(tmp_path / "other.tsv", users=USERS, seed=8)
    other = import_log([tmp_path / "other.tsv"], tmp_path / "other")
    found = attacked(log, tmp_path / "out", "HashedTokens()", ["token_hashes"], auxiliary=other)[
        "token hashes"
    ]
    assert found.details["auxiliary"] == "another log"
    assert found.broken


@pytest.mark.slow
@pytest.mark.parametrize(
    "mechanism",
    [
        "Korolova(epsilon=4, delta=1e-6, d=2)",
        "DPu(epsilon=2, delta=1e-6, d=2)",
        "Zealous(epsilon=2, delta=1e-6, d=2)",
        "Crowd(epsilon=2, delta=1e-6)",
    ],
)
def test_private_releases_are_at_chance_or_within_their_promise(log, tmp_path, mechanism):
    found = attacked(log, tmp_path / "out", mechanism)
    assert not any(result.broken for result in found.values())
    for name in ("linkage", "exposure", "singles"):
        result = found[name]
        assert result.interval[0] <= result.chance <= result.interval[1]
    assert found["membership"].interval[0] <= found["membership"].details["the promise admits"]
    assert found["injection"].success == 1
    assert "label says so" in found["injection"].note


def test_exact_counts_tell_who_is_in_the_log(log, tmp_path):
    found = attacked(log, tmp_path / "out", "FTu(k=5)", ["membership", "injection", "linkage"])
    assert (found["membership"].success, found["membership"].broken) == (1, True)
    assert found["injection"].details["fake users"] == 5
    assert not found["linkage"].broken


def test_another_log_as_truth_is_noticed(log, tmp_path):
    release = parse("FTa(k=2)").release(
        make_log(tmp_path, [("u", "weather", 0, None), ("u", "weather", 9, None)]),
        tmp_path / "out",
        i_know=True,
    )
    with pytest.raises(InputError, match=r"was not made from the log .* or add --other-log to"):
        attack(release, log)
    assert attack(release, log, ["singles"], other_log=True)[0].success is not None


def test_an_empty_release_and_an_unknown_attack_get_one_sentence(log, tmp_path):
    release = parse("FTa(k=10000000)").release(log, tmp_path / "out", i_know=True)
    with pytest.raises(InputError, match="is empty: it publishes nothing, so there is nothing to attack"):
        attack(release, log)
    with pytest.raises(InputError, match="There is no attack 'magic'"):
        attack(release, log, ["magic"])
