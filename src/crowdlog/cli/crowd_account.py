"""`crowdlog crowd account` and `crowd panel`: what collections of the same people cost them together."""

from __future__ import annotations

import math
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.crowd_member import home_option
from crowdlog.cli.options import FiniteRange, ZeroToOne
from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.number_format import rounded_up

if TYPE_CHECKING:
    from crowdlog.privacy.ledger import Ledger

_NOTHING = "no promise"
_SPENT = "ε of all that promise it"
_epsilon = click.option("--epsilon", type=FiniteRange(0), help="Set the limit: the most ε of all together.")
_delta = click.option("--delta", type=ZeroToOne(), help="Set the limit: the most δ of all together.")


@click.command(short_help="What you took part in, and your limit.")
@home_option
@_epsilon
@_delta
@json_option
def account(home: Path, epsilon: float | None, delta: float | None, as_json: bool) -> None:
    """Show the collections you prepared reports for, what they cost you together, and your own limit.

    Nothing is prepared for a collection beyond it. Without one of your own it is ε = 10, δ = 1e-5.

    \b
    Example: crowdlog crowd account --epsilon 3 --delta 1e-6
    """
    from crowdlog.crowd.account import own_account

    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    _show(own_account(home), epsilon, delta, as_json)


@click.command(short_help="What was asked of a panel, and its limit.")
@click.argument("ledger", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--new-ledger", is_flag=True, help="Begin LEDGER: nothing was ever asked of these people.")
@_epsilon
@_delta
@json_option
def panel(ledger: Path, new_ledger: bool, epsilon: float | None, delta: float | None, as_json: bool) -> None:
    """Show the collections of one panel, what they cost its people together, and the limit.
    `collection create --panel LEDGER` charges it, and refuses beyond the limit.

    \b
    Example: crowdlog crowd panel students.sqlite --new-ledger --epsilon 4 --delta 1e-6
    Example: crowdlog crowd panel students.sqlite
    """
    from crowdlog.crowd.account import open_account

    _show(open_account(ledger, ledger.stem, begin=new_ledger), epsilon, delta, as_json)


def _show(
    opening: AbstractContextManager[Ledger], epsilon: float | None, delta: float | None, as_json: bool
) -> None:
    from crowdlog.privacy.rounding import sum_up

    with opening as ledger:
        budget = ledger.budget()
        if epsilon is not None or delta is not None:
            known = (budget.epsilon, budget.delta) if budget else (0.0, 0.0)
            ledger.set_budget(known[0] if epsilon is None else epsilon, known[1] if delta is None else delta)
            budget = ledger.budget()
        entries = ledger.entries()
    protected = [entry for entry in entries if entry.guarantee.protects]
    summary = {
        _SPENT: sum_up(entry.guarantee.epsilon for entry in protected),
        "δ": sum_up(entry.guarantee.delta for entry in protected),
        "collections that promise nothing": len(entries) - len(protected),
        "limit ε": budget.epsilon if budget else None,
        "limit δ": budget.delta if budget else None,
    }
    rows = [
        {"collection": entry.out, "policy": entry.mechanism, "epsilon": _finite(entry.guarantee.epsilon)}
        for entry in entries
    ]
    if as_json:
        show_json({"collections": rows, **summary})
        return
    lines = [[entry.out, entry.mechanism, _shown(entry.guarantee.epsilon)] for entry in entries]
    show_table(["collection", "policy", "ε"], lines)
    show_fields(summary | {name: rounded_up(summary[name] or 0.0) for name in (_SPENT, "δ")})


def _finite(epsilon: float) -> float | str:
    return epsilon if math.isfinite(epsilon) else _NOTHING


def _shown(epsilon: float) -> str:
    return rounded_up(epsilon) if math.isfinite(epsilon) else _NOTHING
