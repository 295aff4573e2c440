import numpy as np
from scipy.sparse import csr_array

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.ragged import one_each
from crowdlog.measure.tables import count_keys
from crowdlog.models.implicit_feedback import ImplicitFeedback


def test_implicit_feedback_merges_both_orders():
    clicks = count_keys(pack([0, 0, 0], [0, 1, 2]), np.array([9.0, 5.0, 2.0]))  # O = 1, 2, 3
    ranked = (
        ImplicitFeedback(clicks, csr_array(np.array([[0.0, 1.0, 0.0]])), (1, 3))
        .rank(one_each([0]))[0]
        .tolist()
    )
    scores = {0: 1 / 2, 1: 0.6 / 2 + 0.4 / 3, 2: 1 / 4}  # S = λ/(I+1) + (1−λ)/(O+1), else 1/(O+1)
    assert ranked == sorted(scores, key=lambda d: -scores[d])
    moved = (
        ImplicitFeedback(clicks, csr_array(np.array([[9.0, 1.0, 0.0]])), (1, 3))
        .rank(one_each([0]))[0]
        .tolist()
    )
    assert moved == [1, 0, 2]  # URL 0 was found far down: 0.6/10 + 0.4/2 = .26 < .43
