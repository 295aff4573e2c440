import numpy as np
import pytest

from crowdlog.audit.independence import agreements, chance_limit
from crowdlog.audit.noise import fit
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import RoundedGaussian


@pytest.mark.parametrize("noise", [DiscreteLaplace(2.0), DiscreteLaplace(30.0), RoundedGaussian(5.0)])
def test_declared_noise_fits(noise):
    ps = [fit(noise.draw(5000, SeededRandomness(seed)), noise, -400, False) for seed in range(20)]
    assert min(ps) > 1e-4
    assert 0.2 < np.mean(ps) < 0.8


def test_noise_a_tenth_too_small_does_not():
    assert (
        fit(DiscreteLaplace(1.8).draw(50_000, SeededRandomness(1)), DiscreteLaplace(2.0), -100, False) < 1e-9
    )


def test_hidden_and_raised_noise_fits_as_declared():
    drawn = DiscreteLaplace(3.0).draw(20_000, SeededRandomness(2))
    assert fit(drawn[drawn >= -1], DiscreteLaplace(3.0), -1, True) > 1e-4
    assert fit(np.maximum(drawn, -2), DiscreteLaplace(3.0), -2, False) > 1e-4
    assert fit(drawn[drawn >= 1], DiscreteLaplace(3.0), -1, False) < 1e-9


def test_too_few_draws_say_nothing():
    assert fit(np.zeros(10, np.int64), DiscreteLaplace(2.0), -50, False) is None


def test_repeated_signs_agree_far_more_than_by_chance():
    signs = np.random.default_rng(1).choice([-1.0, 1.0], 2000)
    limit = chance_limit(2000, 4000, 1e-6)

    def agreement(one, two, *, same):
        return np.abs(agreements(one, two, same=same)).max()

    half_again = np.concatenate([signs[:1000], signs[:1000]])
    assert agreement(signs, signs, same=True) < limit
    assert agreement(signs, signs, same=False) == pytest.approx(2000)
    assert agreement(half_again, signs, same=False) > limit
    assert agreement(half_again, half_again, same=True) > limit
    assert agreement(np.repeat(signs[:1000], 2), np.repeat(signs[:1000], 2), same=True) > limit


def test_nothing_shown_agrees_with_nothing():
    assert agreements(np.zeros(0), np.ones(5), same=False).tolist() == [0]
