"""Orders of a lab study's tasks: each task stands at each place, and follows each other, equally often."""

from __future__ import annotations


def latin_square(tasks: int) -> list[list[int]]:
    """The rows of a balanced Latin square (Williams 1949): one row for each task, two for each if their
    number is odd. Person n takes row n, counted round. The extension makes the same
    (extension/src/studies/latin-square.ts, tests/vectors/studies.json).
    """
    first = [(place + 1) // 2 if place % 2 else -place // 2 % tasks for place in range(tasks)]
    rows = [[(task + shift) % tasks for task in first] for shift in range(tasks)]
    return rows + [row[::-1] for row in rows] if tasks % 2 else rows
