"""A log with everything that engines could count differently."""

from __future__ import annotations

from tests.support.logs import Row

SITES = ["http://one.example", "http://two.example", "http://three.example"]


def crowded_rows() -> list[Row]:
    """A user with very much, keys that everybody has, users with one row or none, clicks and pairs; ties of
    counts and, for people who take turns in the file, of time: all they did they did in one second.
    """
    rows: list[Row] = []
    for user in range(120):
        for n in range(1 + user % 7):
            query = f"shared {n % 4}" if (user + n) % 3 else f"rare {user % 11}"
            rows.append((f"u{user}", query, 10_000 * user + 60 * n, SITES[n % 3] if n % 2 else None))
    rows += [("busy", f"busy {n % 400}", 5_000_000 + 30 * n, None) for n in range(1_200)]
    rows += [("busy", "shared 1", 6_000_000 + 30 * n, SITES[0]) for n in range(50)]
    for n in range(6):
        url = SITES[n % 3] if n % 2 else None
        rows += [(f"tied{user}", f"shared {(user + n) % 5}", 7_000_000, url) for user in range(15)]
    rows += [(f"empty{user}", "-", 8_000_000, None) for user in range(3)]  # rows that the import leaves out
    return rows
