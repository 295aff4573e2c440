"""Shamir's secret sharing over the scalar field of ristretto255: shares are (x, y) with x ≠ 0, the secret is
the polynomial's value at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from crowdlog.crowd.crypto.group import ORDER

Share = tuple[int, int]
Polynomial = list[int]  # coefficients, the constant first


def value(polynomial: Sequence[int], x: int) -> int:
    """The polynomial's value at x."""
    result = 0
    for coefficient in reversed(polynomial):
        result = (result * x + coefficient) % ORDER
    return result


def secret(shares: Sequence[Share]) -> int:
    """The value at 0 of the one polynomial of degree below len(shares) through these shares; their x must
    differ and not be 0.
    """
    terms: list[Share] = []  # numerator and denominator of each Lagrange term
    for i, (x, y) in enumerate(shares):
        numerator, denominator = y, 1
        for j, (other, _) in enumerate(shares):
            if i != j:
                numerator = numerator * other % ORDER
                denominator = denominator * (other - x) % ORDER
        terms.append((numerator, denominator))
    return (
        sum(term * inverse for (term, _), inverse in zip(terms, inverses([d for _, d in terms]), strict=True))
        % ORDER
    )


def inverses(values: Sequence[int]) -> list[int]:
    """The inverses of many nonzero values at the price of one (Montgomery's trick)."""
    prefix = [1]
    for item in values:
        prefix.append(prefix[-1] * item % ORDER)
    running = pow(prefix[-1], -1, ORDER)
    result = [0] * len(values)
    for index in range(len(values) - 1, -1, -1):
        result[index] = running * prefix[index] % ORDER
        running = running * values[index] % ORDER
    return result


def decode(shares: Sequence[Share], k: int) -> Polynomial | None:
    """The polynomial of degree below k that all but at most (n − k)/2 of the n shares lie on, or None: Gao's
    decoder for Reed–Solomon codes.
    """
    modulus: Polynomial = [1]
    for x, _ in shares:
        modulus = _product(modulus, [-x % ORDER, 1])
    a, b = modulus, interpolate(shares)
    u, v = [0], [1]
    while 2 * _degree(b) >= len(shares) + k:
        quotient, remainder = _divide(a, b)
        a, b = b, remainder
        u, v = v, _difference(u, _product(quotient, v))
    result, rest = _divide(b, v)
    return result if not any(rest) and _degree(result) < k else None


def interpolate(shares: Sequence[Share]) -> Polynomial:
    """All coefficients of the polynomial through the shares (Newton's divided differences)."""
    slopes = [y for _, y in shares]
    for level in range(1, len(shares)):
        gaps = inverses([(shares[i][0] - shares[i - level][0]) % ORDER for i in range(level, len(shares))])
        slopes[level:] = [
            (slopes[i] - slopes[i - 1]) * gaps[i - level] % ORDER for i in range(level, len(shares))
        ]
    result: Polynomial = [0]
    for (x, _), slope in zip(reversed(shares), reversed(slopes), strict=True):
        result = _product(result, [-x % ORDER, 1])
        result[0] = (result[0] + slope) % ORDER
    return result


def _degree(polynomial: Polynomial) -> int:
    return next((i for i in range(len(polynomial) - 1, 0, -1) if polynomial[i]), 0)


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    result = [0] * (len(a) + len(b) - 1)
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            result[i + j] = (result[i + j] + left * right) % ORDER
    return result


def _difference(a: Polynomial, b: Polynomial) -> Polynomial:
    return [(left - right) % ORDER for left, right in zip_longest(a, b, fillvalue=0)]


def _divide(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder; b is not zero (the caller's loop stops before)."""
    low = _degree(b)
    lead = pow(b[low], -1, ORDER)
    rest, quotient = list(a), [0] * max(1, _degree(a) - low + 1)
    for shift in range(_degree(a) - low, -1, -1):
        factor = quotient[shift] = rest[low + shift] * lead % ORDER
        for index in range(low + 1):
            rest[index + shift] = (rest[index + shift] - factor * b[index]) % ORDER
    return quotient, rest[: low or 1]
