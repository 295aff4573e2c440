"""Each task stands at each place, and follows each other, equally often."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from crowdlog.crowd.studies.latin_square import latin_square

CASES = json.loads((Path(__file__).parents[2] / "vectors/studies.json").read_text())


@pytest.mark.parametrize("tasks", range(2, 21))
def test_a_square_is_balanced(tasks: int) -> None:
    rows = latin_square(tasks)
    assert all(sorted(row) == list(range(tasks)) for row in rows)
    places = Counter((place, task) for row in rows for place, task in enumerate(row))
    neighbours = Counter(pair for row in rows for pair in pairwise(row))
    assert set(places.values()) == {len(rows) // tasks}
    assert set(neighbours.values()) == {len(rows) // tasks}
    assert len(neighbours) == tasks * (tasks - 1)


def test_the_extension_makes_the_same() -> None:
    assert CASES["squares"] == [[tasks, latin_square(tasks)] for tasks in (2, 3, 4, 5)]
