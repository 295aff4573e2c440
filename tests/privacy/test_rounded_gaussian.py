"""Rounded Gaussian noise: every certain cell is right at both of its ends, doubtful ones are settled with
more bits.
"""

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chisquare, norm

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.rounded_gaussian import FLOAT_ERROR, RoundedGaussian, normal_at_least


class Fixed:
    """Gives the bytes it was made with, in order."""

    private = False

    def __init__(self, stream: bytes) -> None:
        self.stream = stream

    def bytes(self, n: int) -> bytes:
        assert len(self.stream) >= n
        taken, self.stream = self.stream[:n], self.stream[n:]
        return taken


def exact_quantile(numerator: int, bits: int) -> mpmath.mpf:
    with mpmath.workprec(400):
        return mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.ldexp(numerator, 1 - bits))


def test_the_quantile_function_is_far_better_than_its_allowance() -> None:
    cells = np.unique(
        np.r_[np.geomspace(1, 2**31 - 1, 200), np.linspace(2**30, 2**31 - 1, 100)].astype(np.int64)
    )
    found = -ndtri((cells + 0.5) * 2.0**-32)
    exact = [exact_quantile(2 * int(cell) + 1, 33) for cell in cells]
    assert (
        max(abs(float(x - mpmath.mpf(float(f)))) for x, f in zip(exact, found, strict=True))
        < FLOAT_ERROR / 50
    )


@pytest.mark.parametrize("sigma", [0.7, 3.3, 7000.0, 26000.5])
def test_a_certain_cell_rounds_the_same_at_both_ends(sigma: float) -> None:
    noise = RoundedGaussian(sigma)
    cells = np.random.default_rng(1).integers(1, 2**31, 300)
    cells[:100] >>= np.arange(100) % 25
    drawn, sure = noise._round(np.maximum(cells, 1).astype(np.float64), 32)
    for cell, value in zip(cells[sure], drawn[sure], strict=True):
        ends = {noise._rounded_quantile(int(edge), 32) for edge in (cell, cell + 1)}
        assert ends == {int(value)}
    assert sure.mean() > 0.5


def test_a_cell_with_a_boundary_is_settled_by_more_bits() -> None:
    noise = RoundedGaussian(2.0)
    # the cell with the boundary between 1 and 2
    edge = int(mpmath.floor(mpmath.ldexp(mpmath.erfc(1.5 / 2 / mpmath.sqrt(2)) / 2, 32)))
    word = (2**32 - 1 - edge).to_bytes(4, "little")
    assert not noise._round(np.array([float(edge)]), 32)[1][0]
    # the low end of the cell: less probability beyond, so a larger number
    assert noise.draw(1, Fixed(word + b"\x00" * 4)).tolist() == [2]
    assert noise.draw(1, Fixed(word + b"\xff" * 4)).tolist() == [1]


def test_a_cell_that_stays_in_doubt_is_settled_exactly() -> None:
    noise = RoundedGaussian(2.0)
    with mpmath.workprec(400):
        boundary = int(mpmath.floor(mpmath.ldexp(mpmath.erfc(mpmath.mpf(1.5) / 2 / mpmath.sqrt(2)) / 2, 128)))
    first, second, rest = boundary >> 96, boundary >> 64 & 0xFFFFFFFF, boundary & (2**64 - 1)
    stream = (2**32 - 1 - first).to_bytes(4, "little") + second.to_bytes(4, "little")
    assert noise.draw(1, Fixed(stream + (rest - 1).to_bytes(8, "big"))).tolist() == [2]
    assert noise.draw(1, Fixed(stream + (rest + 1).to_bytes(8, "big"))).tolist() == [1]
    assert noise.draw(1, Fixed(stream + rest.to_bytes(8, "big") + b"\x00" * 8)).tolist() == [2]


def test_the_cell_that_reaches_to_infinity_is_refined() -> None:
    drawn = RoundedGaussian(1.0).draw(1, Fixed(b"\x00" * 15 + b"\x05"))
    assert drawn[0] == -round(float(exact_quantile(5, 128)))


@pytest.mark.parametrize("sigma", [0.8, 4.0])
def test_frequencies_are_those_of_a_rounded_normal(sigma: float) -> None:
    drawn = RoundedGaussian(sigma).draw(400_000, SeededRandomness(5))
    edges = np.arange(-int(3 * sigma), int(3 * sigma) + 1)
    observed = np.r_[
        np.sum(drawn < edges[0]), [np.sum(drawn == k) for k in edges[:-1]], np.sum(drawn >= edges[-1])
    ]
    inner = norm.cdf(np.r_[-np.inf, edges - 0.5, np.inf] / sigma)
    assert chisquare(observed, 400_000 * np.diff(inner)).pvalue > 1e-3
    wrong = norm.cdf(np.r_[-np.inf, edges - 0.5, np.inf] / (1.05 * sigma))
    assert chisquare(observed, 400_000 * np.diff(wrong)).pvalue < 1e-6


def test_the_tail_is_an_upper_bound_and_close() -> None:
    for t in (-3, 0, 4, 20):
        exact = norm.sf((t + 0.5) / 3)
        assert exact * (1 - 1e-12) <= RoundedGaussian(3.0).tail(t) <= exact * (1 + 1e-9)


def test_a_useless_sigma_is_refused() -> None:
    with pytest.raises(InputError, match="Got 0"):
        RoundedGaussian(0.0)


def test_comparisons_have_the_right_chance_and_the_extremes_are_certain() -> None:
    for threshold in (-1.0, 0.0, 0.3, 2.0):
        hits = normal_at_least(np.full(200_000, threshold), SeededRandomness(9)).mean()
        assert hits == pytest.approx(norm.sf(threshold), abs=6e-3)
    assert normal_at_least(np.full(1000, -40.0), SeededRandomness(1)).all()
    assert not normal_at_least(np.full(1000, 40.0), SeededRandomness(1)).any()


def test_a_doubtful_comparison_is_settled_by_more_bits() -> None:
    with mpmath.workprec(400):
        edge = int(mpmath.floor(mpmath.ldexp(mpmath.erfc(1 / mpmath.sqrt(2)) / 2, 64)))
    for positive, threshold in ((True, 1.0), (False, -1.0)):
        word = (2**64 - 1 - edge if positive else edge).to_bytes(8, "little")
        low, high = (
            bool(normal_at_least(np.array([threshold]), Fixed(word + more))[0])
            for more in (b"\x00" * 8, b"\xff" * 8)
        )
        assert (low, high) == ((True, False) if positive else (False, True))
    middle = 2**63  # the two cells next to ½: |N| is next to 0, the sign alone decides
    assert normal_at_least(np.array([0.0]), Fixed((middle - 1).to_bytes(8, "little"))).tolist() == [False]
    assert normal_at_least(np.array([0.0]), Fixed(middle.to_bytes(8, "little") + b"\x00" * 8)).tolist() == [
        True
    ]
