import json

import numpy as np

from crowdlog.applications.trees import Trees, boosted, forest


def points(seed=0):
    generator = np.random.default_rng(seed)
    vectors = generator.random((3000, 3))
    inside = (vectors[:, 0] > 0.5) ^ (vectors[:, 1] > 0.5)  # no single feature tells
    return vectors, inside.astype(np.float64)


def test_both_learn_what_no_feature_alone_tells():
    vectors, labels = points()
    for model in (boosted(vectors, labels, np.ones(3000)), forest(vectors, labels, np.ones(3000))):
        tried, truth = points(1)
        assert ((model.scores(tried) > 0.5) == truth).mean() > 0.95


def test_a_saved_model_answers_the_same():
    vectors, labels = points()
    model = boosted(vectors, labels, np.ones(3000), trees=10)
    again = Trees.of_json(json.loads(json.dumps(model.as_json())))
    assert (again.scores(vectors) == model.scores(vectors)).all()


def test_nothing_to_learn_from():
    nothing = np.zeros(0)
    for learn in (boosted, forest):
        assert learn(np.zeros((0, 3)), nothing, nothing).scores(np.ones((2, 3))).tolist() == [0.5, 0.5]


def test_one_label_only():
    vectors, _labels = points()
    assert boosted(vectors, np.zeros(3000), np.ones(3000), trees=2).scores(vectors).max() < 0.01
