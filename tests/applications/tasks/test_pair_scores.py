"""The fast ways give what the plain ones give."""

from dataclasses import replace

import numpy as np

from crowdlog.applications.tasks.find import make_block
from crowdlog.applications.tasks.hard_logs import generated
from crowdlog.applications.tasks.model import load_model
from crowdlog.applications.tasks.pair_features import pair_matrix
from crowdlog.applications.tasks.pair_scores import score_matrix, scorer
from crowdlog.applications.tasks.searches import people_at_a_time, read_searches
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize


def test_every_pair_has_the_score_of_its_vector():
    """Also of searches that are not in the order of time, and of short stems without a common trigram."""
    model = load_model("default")
    log = generated("aol", 12, 5)
    kept = log.searches.kept
    block = make_block(log.searches, log.texts, kept, within="history", vectors=None)
    shuffled = np.random.default_rng(1).permutation(block.people.time)
    quiet = loud = 0
    for people in (block.people, block.people._replace(time=shuffled)):
        for begin, end in zip(block.parts[:-1], block.parts[1:], strict=True):
            found = score_matrix(people, scorer(model), int(begin), int(end))
            second, first = np.tril_indices(end - begin, -1)
            vectors = pair_matrix(people, begin + first, begin + second)
            assert (found[second, first] == model.scores(vectors).astype(np.float32)).all()
            assert (found == found.T).all()
            quiet += int((vectors[:, 3] < 0.05).sum())
            loud += int((vectors[:, 3] >= 0.05).sum())
    assert min(quiet, loud) > 100


def test_two_letters_in_common_are_told_by_them():
    model = load_model("default")
    log = generated("aol", 2, 5)
    texts = log.texts.to_pylist()
    texts[int(log.searches.query[0])] = "tv"
    texts[int(log.searches.query[1])] = "a new and large tv set"
    people = make_block(log.searches, texts_of(texts), np.arange(2), within="history", vectors=None).people
    vector = pair_matrix(people, np.array([0]), np.array([1]))
    assert vector[0, 4] > 0
    assert score_matrix(people, scorer(model), 0, 2)[1, 0] == np.float32(model.scores(vector)[0])


def texts_of(texts):
    import pyarrow as pa

    return pa.array(texts, pa.string())


def test_people_at_a_time_are_all_people(tmp_path):
    synthesize(tmp_path / "log.tsv", users=40, seed=3)
    store = import_log(tmp_path / "log.tsv", tmp_path / "store")
    whole = read_searches(store)
    for rows in (1, 100, 10**6):
        parts = list(people_at_a_time(store, rows=rows))
        assert (np.concatenate([part.user for part in parts]) == whole.user).all()
        assert (np.concatenate([part.query for part in parts]) == whole.query).all()
        assert (np.concatenate([part.site for part in parts]) == whole.site).all()
        owners = [set(part.user.tolist()) for part in parts]
        assert sum(map(len, owners)) == len(set.union(*owners))


def test_a_model_of_three_trees_and_one_of_none():
    """Trees are walked four at a time; what is left over, too."""
    model = load_model("default")
    vectors = np.random.default_rng(2).random((50, 11))
    few = replace(model.trees, roots=model.trees.roots[:3])
    none = replace(model.trees, roots=model.trees.roots[:0])
    from crowdlog.applications.trees import score_in_step, score_one

    for trees in (model.trees, few, none):
        for vector in vectors:
            assert score_in_step(trees.stepped(), vector) == score_one(trees.arrays(), vector)
