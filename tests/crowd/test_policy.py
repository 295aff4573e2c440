import pytest

from crowdlog.crowd.crowd_log import write_crowd_log
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.opening import Opened
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.policy import decide, policy_of
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness

COLLECTION = Collection("test", 5, bytes(32), bytes(64), (bytes(32),) * 3)
# ε = 60 with d = 1: the noise is 0 but for a chance of 1e-26.
QUIET = "Zealous(epsilon=60, delta=1e-6, d=1, keep='random')"


def _manifest(policy: str, count: str = "users", limit: int = 1, artifact: str = "query") -> Manifest:
    return Manifest(COLLECTION, artifact, "original", limit, count, policy, "http://r", "http://m")


def _opened(artifact: str, people: int, impressions: int = 1) -> Opened:
    return Opened(artifact.encode(), people, (impressions.to_bytes(4, "big"),) * people, (), 0)


def test_ftu_publishes_all_from_its_own_k():
    decision = decide(_manifest("FTu(k=7)"), [_opened("a", 6), _opened("b", 7)], SystemRandomness())
    assert [(group.artifact, row) for group, row in decision.kept] == [(b"b", {"count": 7})]


def test_impressions_are_summed_and_people_shown_beside_them():
    decision = decide(_manifest("FTu(k=5)", "impressions"), [_opened("a", 6, 3)], SystemRandomness())
    assert [row for _group, row in decision.kept] == [{"count": 18, "users": 6}]


def test_zealous_charges_the_collections_k_as_its_raw_filter():
    decision = decide(_manifest(QUIET), [_opened("a", 5), _opened("b", 9)], SystemRandomness())
    settings = decision.promise.settings
    assert settings["k'"] == 4
    assert settings["K"] >= 5
    assert decision.promise.guarantee.epsilon <= 60
    assert decision.promise.guarantee.delta <= 1e-6
    assert [(group.artifact, row) for group, row in decision.kept] == [(b"b", {"count": 9})]
    assert any("nothing links two reports" in text for text in decision.promise.assumptions)


def test_noise_of_zealous_is_noise():
    policy = "Zealous(epsilon=0.5, delta=1e-3, d=1, keep='random')"
    decision = decide(_manifest(policy), [_opened(str(i), 1000) for i in range(200)], SeededRandomness(1))
    assert len({row["count"] for _group, row in decision.kept}) > 5


@pytest.mark.parametrize(
    ("policy", "options"),
    [
        ("FTu(k=4)", {}),
        ("FTa(k=5)", {}),
        ("FTu(k=5, artifact='click')", {}),
        ("FTu(k=5, representation='heavy')", {}),
        (QUIET, {"count": "impressions"}),
        (QUIET, {"limit": 2}),
        ("Zealous(epsilon=60, delta=1e-6, d=1)", {}),
        ("Zealous(epsilon=60, delta=1e-6, d=1, keep='random', setting='probabilistic', users=9)", {}),
        ("nothing", {}),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(policy, options):
    with pytest.raises(InputError):
        policy_of(_manifest(policy, **options))


def test_the_crowd_log_has_the_columns_of_its_artifact_and_a_whole_label(tmp_path):
    manifest = _manifest("FTu(k=5, artifact='click')", artifact="click")
    opened = [_opened("query\turl", 5), _opened("b\tu", 6), _opened("no second part", 9)]
    release = write_crowd_log(manifest, opened, tmp_path / "out", SystemRandomness(), smallest_batch=4)
    assert release.clicks().to_pylist() == [{"query": "b", "url": "u", "count": 6}, {"query": "query", "url": "url", "count": 5}]
    assert release.label["model"]["model_name"] == "Distributed"
    assert release.label["crowdlog"]["notes"]["smallest_batch"] == 4
    assert release.label["crowdlog"]["warnings"]
    assert any("invitations" in text for text in release.label["dp_flavor"]["unprotected_quantities"])


def test_a_noisy_policy_does_not_tell_how_the_traffic_fell(tmp_path):
    release = write_crowd_log(_manifest(QUIET), [_opened("a", 9)], tmp_path / "out", SystemRandomness(), smallest_batch=4)
    assert "smallest_batch" not in release.label["crowdlog"]["notes"]
    assert release.label["privacy_loss"]["privacy_parameters"]["epsilon"] <= 60
    assert release.queries().to_pylist() == [{"query": "a", "count": 9}]
