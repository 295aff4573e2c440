import numpy as np
import pytest
from hypothesis import given

from crowdlog.artifacts.semantic.vectors import build_vectors
from crowdlog.errors import InputError
from tests.artifacts.semantic.helpers import concept_sets, concept_weights, rows


@given(concept_sets, concept_weights)
def test_equal_sets_share_a_vector_and_keep_their_mass(sets, weights):
    vectors = build_vectors(*rows([list(s) for s in sets]), np.array(weights, np.int64))
    assert len(vectors) == len({frozenset(s) for s in sets})
    for a, a_set in enumerate(sets):
        assert vectors.total[vectors.vector_of[a]] == sum(weights[c] ** 2 for c in a_set)
        for b, b_set in enumerate(sets):
            assert (vectors.vector_of[a] == vectors.vector_of[b]) == (a_set == b_set)


@given(concept_sets, concept_weights)
def test_order_is_by_mass_and_rarest_concept_first(sets, weights):
    vectors = build_vectors(*rows([list(s) for s in sets]), np.array(weights, np.int64))
    assert (np.diff(vectors.total) >= 0).all()
    frequency = np.bincount([c for s in sets for c in s], minlength=8)
    by_rarity = np.sort(frequency)
    for v in range(len(vectors)):
        items = vectors.item[vectors.start[v] : vectors.start[v + 1]]
        assert (np.diff(items) > 0).all()
        assert (np.diff(by_rarity[items]) >= 0).all()


def test_masses_beyond_exact_arithmetic_are_refused():
    with pytest.raises(InputError, match="too long"):
        build_vectors(*rows([[0]]), np.array([2**25], np.int64))
