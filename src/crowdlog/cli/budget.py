"""crowdlog budget: what has been spent on a log, the limit, and what one more release would cost."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table

if TYPE_CHECKING:
    from crowdlog.privacy.ledger import Ledger
    from crowdlog.release.spending import Spending


@click.command("budget")
@click.argument("store")
@click.option(
    "--epsilon", type=float, help="Set the limit on ε. It can be lowered or, by the owner's decision, raised."
)
@click.option("--delta", type=float, help="Set the limit on δ.")
@click.option(
    "--next",
    "coming",
    metavar="MECHANISM",
    help="Also show what a release by this mechanism would cost; nothing is spent.",
)
@click.option(
    "--times",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="With --next: how many such releases.",
)
@json_option
def command(
    store: str, epsilon: float | None, delta: float | None, coming: str | None, times: int, as_json: bool
) -> None:
    """Show what all releases of STORE have spent and what is left; with --epsilon and --delta, set the limit.

    Releases are refused by the sum of their ε and δ. The tight ε beside it is what they cost by privacy loss distributions.

    \b
    Example: crowdlog budget STORE --epsilon 5 --delta 1e-4
    Example: crowdlog budget STORE --next 'DPu(epsilon=1, delta=1e-6, d=5)'
    Example: crowdlog budget STORE --next 'Crowd(epsilon=1, delta=1e-7)' --times 30
    """
    from crowdlog.errors import InputError
    from crowdlog.log.store import LogStore
    from crowdlog.release.publish import open_ledger

    if (epsilon is None) != (delta is None):
        raise InputError("Give both --epsilon and --delta: a budget limits both.")
    with open_ledger(LogStore.open(store)) as ledger:
        if epsilon is not None and delta is not None:
            ledger.set_budget(epsilon, delta)
        budget = _budget(ledger, coming, times)
    if as_json:
        show_json(budget)
    else:
        _show(budget)


def _budget(ledger: Ledger, coming: str | None, times: int) -> dict[str, Any]:
    """Everything there is to show, as JSON has it."""
    from crowdlog.mechanisms import parse
    from crowdlog.privacy.guarantee import compose
    from crowdlog.release.spending import next_entry, spending

    following = parse(coming) if coming else None
    more = (next_entry(following.promise(), repr(following)),) * times if following else ()
    (now, after), left = spending(ledger, more), ledger.left()
    budget: dict[str, Any] = {
        "spent": _numbers(now),
        "left": None if left is None else {"epsilon": left.epsilon, "delta": left.delta},
    }
    if more:
        cost = compose(entry.guarantee for entry in more)
        fits = left is None or (cost.epsilon <= left.epsilon and cost.delta <= left.delta)
        tight = after.tight_epsilon - now.tight_epsilon if math.isfinite(after.tight_epsilon) else math.inf
        budget["next"] = {
            "mechanism": more[0].mechanism,
            "times": times,
            "epsilon": _finite(cost.epsilon),
            "delta": cost.delta,
            "tight_epsilon": _finite(tight),
            "fits": fits,
            "spent_after": _numbers(after),
        }
    budget["releases"] = [
        {
            "id": e.id,
            "mechanism": e.mechanism,
            "epsilon": _finite(e.guarantee.epsilon),
            "delta": e.guarantee.delta,
            "kind": e.guarantee.kind,
            "state": e.state,
            "out": e.out,
        }
        for e in ledger.entries()
    ]
    return budget


def _numbers(spent: Spending) -> dict[str, float | None]:
    return {
        "epsilon": _finite(spent.total.epsilon),
        "delta": spent.total.delta,
        "tight_epsilon": _finite(spent.tight_epsilon),
        "tight_delta": spent.tight_delta,
    }


def _finite(number: float) -> float | None:
    """JSON has no infinity."""
    return number if math.isfinite(number) else None


def _show(budget: dict[str, Any]) -> None:
    spent, left = budget["spent"], budget["left"]
    fields = {
        "spent": _sentence(spent),
        "spent, tight": _tight(spent),
        "left": "no limit is set" if left is None else _sentence(left),
    }
    if "next" in budget:
        following = budget["next"]
        fields |= {
            "next": following["mechanism"]
            + (f", {following['times']} times" if following["times"] > 1 else ""),
            "next costs": _sentence(following),
            "next costs, tight": f"ε = {_shown(following['tight_epsilon'])} more",
            "spent then": _sentence(following["spent_after"]),
            "next fits": following["fits"],
        }
    show_fields(fields)
    if budget["releases"]:
        click.echo()
        rows = [
            [r["id"], r["mechanism"], _shown(r["epsilon"]), _shown(r["delta"]), r["state"], r["out"]]
            for r in budget["releases"]
        ]
        show_table(["charge", "release", "ε", "δ", "state", "folder"], rows)


def _sentence(numbers: dict[str, Any]) -> str:
    return f"ε = {_shown(numbers['epsilon'])}, δ = {_shown(numbers['delta'])}"


def _tight(numbers: dict[str, Any]) -> str:
    return f"ε = {_shown(numbers['tight_epsilon'])} at δ = {_shown(numbers['tight_delta'])}"


def _shown(number: float | None) -> str:
    return "∞" if number is None else f"{number:.4g}"
