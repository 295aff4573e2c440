"""Numbers as people read them: on pages, in tables of the command line, in labels and explanations."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

NOTHING = "–"


def number(value: Any) -> str:
    """Thousands grouped, four digits that count, – for nothing, yes or no for a truth.

    Texts stay as they are.
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:,.6g}" if abs(value) >= 1000 else f"{value:.4g}"


def amount(count: int, one: str, many: str | None = None) -> str:
    """So many of something: '1 row', '2 rows', '1,000 queries'."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def decimal(value: float | None, places: int = 4) -> str:
    """So many places behind the point, so that a column of scores is read from top to bottom."""
    return NOTHING if value is None else f"{value:.{places}f}"


def percent(share: float | None, places: int = 2) -> str:
    """So many places behind the point; two digits that count where those would show 0 for something small."""
    if share is None:
        return NOTHING
    if share == 0:
        return "0%"
    return f"{100 * share:.2g}%" if abs(share) < 10.0 ** -(places + 2) else f"{share:.{places}%}"


def rounded_up(value: float) -> str:
    """Four digits, rounded up, so that a sentence with this ε or δ promises no more than the number does.

    What comes after the twelfth digit of a float is no part of the number and is rounded away before.
    """
    return _four_digits(value, ROUND_CEILING)


def rounded_down(value: float) -> str:
    """Four digits, rounded down, so that nothing is said to be left that is not there."""
    return _four_digits(value, ROUND_FLOOR)


def _four_digits(value: float, rounding: str) -> str:
    if not math.isfinite(value):
        return number(value)
    return f"{float(Context(prec=4, rounding=rounding).create_decimal(f'{value:.12g}')):.4g}"
