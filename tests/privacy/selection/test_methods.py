"""What every selection must do, method by method."""

import math

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.gaussian import largest_mu
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.selection import kernels, mad2r, weighted_gaussian
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.dp_sips import DPSIPS
from crowdlog.privacy.selection.greedy_update import GreedyUpdate
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.laplace_threshold import LaplaceThreshold
from crowdlog.privacy.selection.mad2r import MAD2R
from crowdlog.privacy.selection.policy_gaussian import PolicyGaussian
from crowdlog.privacy.selection.routed import Routed
from crowdlog.privacy.selection.scouted_greedy import ScoutedGreedy
from crowdlog.privacy.selection.truncated_geometric import TruncatedGeometric
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian
from tests.privacy.selection.small import make, skewed

METHODS: list[Selection] = [
    LaplaceThreshold(1),
    LaplaceThreshold(5),
    TruncatedGeometric(1),
    TruncatedGeometric(4),
    WeightedGaussian(),
    PolicyGaussian(),
    DPSIPS(),
    DPSIPS(tight=False),
    AdaptiveGaussian(),
    GreedyUpdate(),
    MAD2R(),
    MAD2R(tight=False),
    ScoutedGreedy(),
    ScoutedGreedy(scout=0.0),
    Routed(),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@every_method
def test_popular_items_are_kept_and_those_of_one_user_are_not(method: Selection) -> None:
    log = skewed()
    selected = method.select(log, math.log(10), 1e-5, SeededRandomness(4))
    holders = log.holders()[selected.items]
    assert len(selected.items) > 5
    assert holders.min() > 1
    assert np.all(np.diff(selected.items) > 0)
    assert np.argmax(log.holders()) in selected.items
    assert repr(selected) == f"Selected({len(selected.items)} items)"


@pytest.mark.parametrize("method", [WeightedGaussian(), PolicyGaussian(), DPSIPS(), MAD2R()], ids=repr)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-5), (math.log(10), 1e-8)])
def test_all_rounds_together_have_the_noise_that_half_of_delta_asks_for(method, epsilon, delta) -> None:
    """A few per cent less would keep about as many keys, and no other test would see it."""
    promise = method.promise(epsilon, delta)
    sigmas = [value for name, value in promise.parameters.items() if name.startswith("sigma_")]
    together = math.sqrt(sum(sd**-2 for sd in sigmas or [promise.sd]))
    assert 0.99 < together / largest_mu(epsilon, delta / 2) <= 1


@pytest.mark.parametrize("method", [WeightedGaussian(), DPSIPS(), MAD2R()], ids=repr)
def test_the_noise_that_is_drawn_is_the_one_of_the_proof(method, monkeypatch) -> None:
    """Not only what the promise says of it: one user moves the weights of a round by at most one unit."""
    drawn = []

    class Spied(RoundedGaussian):
        def draw(self, n, randomness):
            drawn.append(self.sigma)
            return super().draw(n, randomness)

    for module in (weighted_gaussian, mad2r):
        monkeypatch.setattr(module, "RoundedGaussian", Spied)
    method.select(make([[0, 1], [1]], 2), 1.0, 1e-5, SeededRandomness(1))
    unit = mad2r.UNIT if isinstance(method, MAD2R) else kernels.UNIT
    assert math.sqrt(sum((unit / sigma) ** 2 for sigma in drawn)) <= largest_mu(1.0, 5e-6)


@every_method
def test_the_promise_is_the_one_asked_for(method: Selection) -> None:
    promise = method.promise(1.0, 1e-6)
    assert promise.guarantee.epsilon <= 1.0
    assert promise.guarantee.delta <= 1e-6
    assert promise.parameters
    assert all(math.isfinite(value) for value in promise.parameters.values())


@every_method
def test_less_privacy_keeps_more(method: Selection) -> None:
    log = skewed()
    strict, loose = (len(method.select(log, e, 1e-5, SeededRandomness(4)).items) for e in (0.5, 4.0))
    assert strict < loose


@every_method
def test_an_empty_log_and_a_log_of_one_user_give_nothing(method: Selection) -> None:
    nobody = Incidence(np.zeros(1, np.int64), np.zeros(0, np.int32), 0)
    assert len(method.select(nobody, 1.0, 1e-9, SeededRandomness(1)).items) == 0
    assert len(method.select(make([list(range(300))], 400), 1.0, 1e-9, SeededRandomness(1)).items) == 0


@every_method
@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 1e-6), (-1.0, 1e-6), (1.0, 0.0), (1.0, 1.0)])
def test_bad_parameters_get_one_sentence(method: Selection, epsilon: float, delta: float) -> None:
    with pytest.raises(InputError, match="Got"):
        method.promise(epsilon, delta)
    with pytest.raises(InputError, match="Got"):
        method.select(make([[0]], 1), epsilon, delta, SeededRandomness(1))


@every_method
def test_a_users_only_key_appears_no_more_often_than_delta(method: Selection) -> None:
    """δ = 0.2 can be sampled: every user with her one key is a trial of her own."""
    delta, trials = 0.2, 3000
    shown = len(
        method.select(make([[k] for k in range(trials)], trials), 1.0, delta, SeededRandomness(8)).items
    )
    assert shown <= trials * delta + 6 * math.sqrt(trials * delta * (1 - delta))


@every_method
def test_any_key_of_a_user_with_many_appears_no_more_often_than_delta(method: Selection) -> None:
    delta, trials, own = 0.2, 1500, 30
    log = make([list(range(own * k, own * (k + 1))) for k in range(trials)], own * trials)
    struck = len(np.unique(method.select(log, 1.0, delta, SeededRandomness(8)).items // own))
    assert struck <= trials * delta + 6 * math.sqrt(trials * delta * (1 - delta))
