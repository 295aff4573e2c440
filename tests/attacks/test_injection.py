import pytest

from crowdlog.attacks.injection import fakes_needed
from crowdlog.mechanisms import parse


@pytest.mark.parametrize(
    ("settings", "fakes"),
    [
        ({"K": 100, "b": 4.2}, 121),  # K + 5b
        ({"K": 7}, 8),  # more than K
        ({"k": 5}, 5),  # at least k
        ({"queries threshold": 10.0, "queries selection noise sd": 2.0, "pairs threshold": 3.0, "pairs selection noise sd": 1.0}, 40),
        ({}, None),
    ],
)
def test_fakes_needed(settings, fakes):
    assert fakes_needed(settings) == fakes


@pytest.mark.parametrize("spelling", ["FTu(k=5)", "KA(K=3)", "Korolova(epsilon=4, delta=1e-6, d=2)", "Crowd(epsilon=2, delta=1e-6)"])
def test_every_label_tells_how_many_and_warns(spelling):
    promise = parse(spelling).promise()
    assert fakes_needed(promise.settings)
    assert any("fake users" in line.lower() for line in promise.unprotected)
