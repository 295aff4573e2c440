import json

import numpy as np
import pytest

from crowdlog.applications.frustration.measures import macro_f
from crowdlog.applications.frustration.model import chances, fit, load_model, model_of_counts
from crowdlog.applications.frustration.study import read_study
from crowdlog.applications.frustration.synthetic import write_study
from crowdlog.applications.frustration.vectors import (
    DOMAIN,
    MOST_DRAWN,
    binarised,
    places,
    pseudo_vectors,
    texts,
    vectors_of,
)
from crowdlog.errors import InputError
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "study.tsv"
    write_study(path, people=30, seed=7)
    return read_study(path)


def test_binarised_at_ones_own_mean():
    """Means 2 and 20: only what is above; what never changes is 0."""
    features = np.array([[1.0, 5], [3, 5], [10, 5], [30, 5]])
    assert binarised(features, np.array([0, 0, 1, 1])).tolist() == [[0, 0], [1, 0], [0, 0], [1, 0]]


def test_there_are_64_artifacts():
    assert len(set(texts())) == 64
    found = places(np.concatenate([DOMAIN, DOMAIN]), np.repeat([0, 1], 32))
    assert found.tolist() == list(range(64))


def test_logistic_regression_finds_planted_coefficients():
    generator = np.random.default_rng(3)
    vectors = generator.integers(0, 2, (200_000, 5))
    planted = np.array([-0.5, 1.0, -1.0, 0.5, 0.0, 2.0])
    chance = 1 / (1 + np.exp(-(planted[0] + vectors @ planted[1:])))
    labels = (generator.random(len(chance)) < chance).astype(np.int64)
    raw = fit(vectors, labels.astype(float), np.ones(len(labels)))
    assert raw.coefficients == pytest.approx(planted, abs=0.05)
    counts = np.bincount(places(vectors, labels), minlength=64).reshape(2, 32)
    assert model_of_counts(counts).coefficients == pytest.approx(raw.coefficients, abs=1e-6)


def test_one_class_only_stays_finite():
    found = fit(np.zeros((3, 5)), np.ones(3), np.ones(3))
    assert np.isfinite(found.coefficients).all()
    assert found.chances(np.zeros((1, 5)))[0] > 0.9


def test_pseudo_users_draw_1_to_49(study):
    person, place = pseudo_vectors(study, 2_000, seed=1)
    sizes = np.bincount(person)
    assert (sizes.min(), sizes.max()) == (1, MOST_DRAWN)
    assert sizes.mean() == pytest.approx(25, abs=1)
    assert len(np.unique(place)) >= 57


def test_released_counts_of_100000_pseudo_users_cost_less_than_a_point(study):
    """A closed domain at ε = .1, 20 vectors of each person: noise of scale 200 on each of 64 counts."""
    person, place = pseudo_vectors(study, 100_000, seed=1)
    starts = np.flatnonzero(np.diff(person, prepend=-1))
    order = np.arange(len(person)) - np.repeat(starts, np.bincount(person))
    counts = np.bincount(place[order < 20], minlength=64).reshape(2, 32)
    noisy = counts + DiscreteLaplace(200.0).draw(64, SeededRandomness(5)).reshape(2, 32)
    train = study.task < 4
    test = ~train & (study.label >= 0)
    scores = []
    for one in (counts, noisy):
        chance = chances(study, model_of_counts(one), "product", train)[test]
        found = macro_f(study.user[test], chance >= 0.5, study.label[test] == 1)
        scores.append(found["f0.5"]["value"])
    assert abs(scores[0] - scores[1]) < 0.01


def test_the_product_needs_both(study):
    train = study.task < 4
    model = model_of_counts(np.bincount(vectors_of(study)[1], minlength=64).reshape(2, 32))
    ours, crowd, both = (chances(study, model, merge, train) for merge in ("local", "global", "product"))
    assert both == pytest.approx(ours * crowd)
    assert ((both >= 0.5) <= ((ours >= 0.5) & (crowd >= 0.5))).all()


def test_saved_and_other_versions(tmp_path, study):
    model = model_of_counts(np.bincount(vectors_of(study)[1], minlength=64).reshape(2, 32))
    model.save(tmp_path / "m.json")
    assert (load_model(tmp_path / "m.json").coefficients == model.coefficients).all()
    data = json.loads((tmp_path / "m.json").read_text())
    (tmp_path / "m.json").write_text(json.dumps(data | {"version": 9}))
    with pytest.raises(InputError, match="version 9"):
        load_model(tmp_path / "m.json")


def test_labels_of_five_levels(tmp_path):
    header = "user\ttask\tsearch\tstart\tend\tquery\tactions\turls\tlabel\n"
    rows = "".join(
        f"u\t1\t{n}\t{n}\t{n + 1}\tab cde\t1\t2\t{label}\n" for n, label in enumerate([1, 2, 5, ""])
    )
    (tmp_path / "s.tsv").write_text(header + rows)
    found = read_study(tmp_path / "s.tsv")
    assert found.label.tolist() == [0, 1, 1, -1]
    # 6 characters, words of 2 and 3, 4 seconds, 4 actions, 8 URLs in the one task
    assert found.features[0].tolist() == [6, 2.5, 4, 4, 8]
    (tmp_path / "bad.tsv").write_text(header + "u\t1\t1\tcanary\t2\tx\t1\t1\t1\n")
    with pytest.raises(InputError, match="line 2") as error:
        read_study(tmp_path / "bad.tsv")
    assert "canary" not in str(error.value)
