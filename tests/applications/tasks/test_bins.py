"""Every bound of the bins, on both sides (Feild 2013, §5.2.2)."""

import numpy as np
import pytest

from crowdlog.applications.tasks.bins import binned, cells, domain


def vector(seconds, share):
    return np.array([[seconds, *[share] * 4, 0, 0, -1, 0, 1, 1]], np.float64)


@pytest.mark.parametrize(
    ("seconds", "fine", "coarse"),
    [(0, 0, 0), (29, 0, 0), (30, 0.25, 0), (59, 0.25, 0), (60, 0.5, 1), (3599, 0.5, 1), (3600, 1, 1)],
)
def test_times(seconds, fine, coarse):
    assert binned(vector(seconds, 0), "bin1")[0, 0] == fine
    assert binned(vector(seconds, 0), "bin2")[0, 0] == coarse


@pytest.mark.parametrize(
    ("share", "fine", "coarse"),
    [
        (0, 0, 0),
        (0.0249, 0, 0),
        (0.025, 0.25, 0),
        (0.25, 0.25, 0),
        (0.2501, 0.5, 0),
        (0.4999, 0.5, 0),
        (0.5, 0.5, 1),
        (0.7499, 0.5, 1),
        (0.75, 0.75, 1),
        (0.975, 0.75, 1),
        (0.9751, 1, 1),
        (1, 1, 1),
    ],
)
def test_shares(share, fine, coarse):
    assert (binned(vector(0, share), "bin1")[0, 1:] == fine).all()
    assert (binned(vector(0, share), "bin2")[0, 1:] == coarse).all()


@pytest.mark.parametrize(("bins", "size"), [("bin1", 4 * 5**4), ("bin2", 2**5)])
def test_the_domain_holds_every_vector_once(bins, size):
    assert len(domain(bins)) == len({tuple(row) for row in domain(bins)}) == size
    middle = vector(45, 0.6)
    assert (domain(bins)[cells(middle, bins)[0]] == binned(middle, bins)[0]).all()
