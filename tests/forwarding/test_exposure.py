"""PEL by plain arrays against the matrices of `crowdlog.attacks.exposure`, and by hand."""

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.attacks.exposure import exposure_of_records
from crowdlog.forwarding.exposure import exposure_levels
from crowdlog.forwarding.graphs import from_pairs, power_law
from crowdlog.forwarding.kernels import LOST
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import simulate
from crowdlog.forwarding.workload import Workload, topical


def matrices(done):
    """How often each user asked, and submitted, each query."""
    users, queries = done.graph.users, int(done.workload.query.max()) + 1
    asked = np.zeros((users, queries), np.int64)
    shown = np.zeros((users, queries), np.int64)
    for r, row in enumerate(done.submitter):
        for user, who in enumerate(row):
            many = int(done.workload.counts[user])
            nth = r * many // len(done.submitter)
            if (r + 1) * many // len(done.submitter) > nth:
                query = done.workload.query[done.workload.start[user] + nth]
                asked[user, query] += 1
                if who != LOST:
                    shown[who, query] += 1
    return asked, shown


def uneven(log, seed):
    """Each user keeps a random number of her first queries."""
    counts = np.random.default_rng(seed).integers(0, log.rounds + 1, log.users)
    parts = [log.query[log.start[user] : log.start[user] + many] for user, many in enumerate(counts)]
    return Workload(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), np.concatenate(parts))


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("leave", [0.0, 0.2])
def test_levels_equal_those_of_the_matrices(leave, even):
    log = topical(300, 20, seed=3, topics=5)
    log = log if even else uneven(log, 3)
    done = simulate(power_law(300, seed=3), log, Rules(leave=leave), seed=3)
    asked, shown = matrices(done)
    assert asked.sum() == len(log.query)  # everybody asks everything she has, once
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = exposure_of_records(csr_array(asked), csr_array(shown), shown.sum(axis=1))
    found = exposure_levels(done)
    assert np.allclose(found, expected, equal_nan=True)
    assert 0 < np.nanmean(found) < 1


def test_levels_by_hand():
    """Two users who cannot reach each other submit all they ask: everything is exposed; one query has no
    level.
    """
    graph = from_pairs(np.array([0], np.int32), np.array([1], np.int32), 2)
    log = Workload(np.array([0, 4, 6]), np.array([5, 5, 6, 7, 9, 9], np.int32))
    done = simulate(graph, log, Rules(offline=1.0), seed=1)
    levels = exposure_levels(done)
    assert levels[0] == pytest.approx(1.0)
    assert math.isnan(levels[1])
