"""What a member sends stays within the limits, whatever she has, and depends on nothing else."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.manifest import Manifest
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.manifests import manifest_of


def _manifest(count: str, limit: int, slots: int = 0) -> Manifest:
    nested = {"inner_artifact": "click", "inner_k": 6, "inner_slots": slots} if slots else {}
    return manifest_of(limit=limit, count=count, **nested)


LOGS = st.lists(st.tuples(st.integers(1, 9), st.lists(st.integers(1, 4), max_size=5)), max_size=12)


@given(
    LOGS, st.sampled_from(["users", "impressions"]), st.integers(1, 12), st.integers(1, 3), st.integers(0, 99)
)
@settings(deadline=None, max_examples=60)
def test_limits_hold_at_both_levels(log, count, limit, slots, seed):
    found = [
        MinedArtifact(
            (f"q{n}",),
            times,
            tuple(MinedArtifact((f"q{n}", f"u{m}"), clicks) for m, clicks in enumerate(inner)),
        )
        for n, (times, inner) in enumerate(log)
    ]
    choice = sample_artifacts(_manifest(count, limit, slots), found, SeededRandomness(seed))
    outer = [item.artifact for item in choice.chosen]
    inner = [pair for item in choice.chosen for pair in item.inner]
    assert all(len(item.inner) <= slots for item in choice.chosen)
    assert all(
        pair.primary.split(b"\t")[0] == item.artifact.primary for item in choice.chosen for pair in item.inner
    )
    for level in (outer, inner):
        assert len({artifact.primary for artifact in level}) == len(level)
        assert (
            len(level)
            if count == "users"
            else sum(int.from_bytes(artifact.secondary, "big") for artifact in level)
        ) <= limit
    if count == "users":
        assert len(outer) == min(limit, len(found))
    else:
        assert sum(int.from_bytes(artifact.secondary, "big") for artifact in outer) == min(
            limit, sum(item.impressions for item in found)
        )


def test_each_impression_is_as_likely_as_any_other():
    """One impression of three is kept, 3,000 times: two of them are of the first artifact.

    1,800 to 2,200 holds but for a chance below 1e-14.
    """
    manifest, randomness = _manifest("impressions", 1), SeededRandomness(4)
    found = [MinedArtifact(("often",), 2), MinedArtifact(("once",), 1)]
    kept = Counter(
        sample_artifacts(manifest, found, randomness).chosen[0].artifact.primary for _ in range(3000)
    )
    assert 1800 < kept[b"often"] < 2200


def test_a_nested_artifact_is_shown_with_what_is_inside():
    found = [MinedArtifact(("weather",), 2, (MinedArtifact(("weather", "w.example"), 1),))]
    (item,) = sample_artifacts(_manifest("impressions", 9, 2), found, SeededRandomness(1)).chosen
    assert item.readable == "weather  (2 times) › w.example  (1 times)"
    assert "weather" not in repr(item)


def test_each_artifact_is_reported_with_the_probability_of_the_terms():
    manifest = manifest_of(limit=40, sampling=105_000)
    found = [MinedArtifact((str(number),), 1) for number in range(60)]
    samples = [sample_artifacts(manifest, found, SeededRandomness(seed)) for seed in range(500)]
    assert all(len(one.chosen) + one.not_sampled == 40 and one.over_limit == 20 for one in samples)
    reported = sum(len(one.chosen) for one in samples)
    assert abs(reported - 0.105 * 20_000) < 5 * (20_000 * 0.105 * 0.895) ** 0.5
    sizes = {len(one.chosen) for one in samples}
    assert len(sizes) > 8  # each by a draw of its own


def test_without_sampling_nothing_is_drawn():
    everything = sample_artifacts(manifest_of(limit=3), [MinedArtifact(("a",), 1)], SeededRandomness(1))
    assert (len(everything.chosen), everything.not_sampled) == (1, 0)
