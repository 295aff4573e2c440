"""crowdlog budget: what has been spent on a log, the limit, and what one more release would cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.cli.what_decides import BY_THE_SUM, what_decides
from crowdlog.number_format import amount as amount_of
from crowdlog.number_format import rounded_down, rounded_up

if TYPE_CHECKING:
    from crowdlog.planning.budget import Amount, BudgetReport, EarlierLimit, Limit


@click.command("budget")
@click.argument("store")
@click.option(
    "--epsilon", type=float, help="Set the limit on ε. It can be lowered or, by the owner's decision, raised."
)
@click.option("--delta", type=float, help="Set the limit on δ.")
@click.option(
    "--gaussian",
    is_flag=True,
    help="With a limit, before the first release: only Gaussian releases (Crowd), added up by Σμ²; "
    "many more of them fit.",
)
@click.option(
    "--book",
    nargs=2,
    type=float,
    metavar="EPSILON DELTA",
    help="Note what was spent on the same people elsewhere.",
)
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
    store: str,
    epsilon: float | None,
    delta: float | None,
    gaussian: bool,
    book: tuple[float, float] | None,
    coming: str | None,
    times: int,
    as_json: bool,
) -> None:
    """Show what all releases of STORE have spent and what is left; with --epsilon and --delta, set the limit.

    Releases are refused by the sum of ε and δ, or with --gaussian by Σμ². The tight ε beside it is what they
    cost by privacy loss distributions.

    \b
    Example: crowdlog budget STORE --epsilon 5 --delta 1e-4
    Example: crowdlog budget STORE --next 'DPu(epsilon=1, delta=1e-6, d=5)'
    Example: crowdlog budget STORE --next 'Crowd(epsilon=1, delta=1e-7)' --times 30
    """
    from crowdlog.errors import InputError
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.planning.budget import budget_of
    from crowdlog.privacy.guarantee import approximate
    from crowdlog.release.publish import open_ledger

    if (epsilon is None) != (delta is None) or (gaussian and epsilon is None):
        raise InputError("Give both --epsilon and --delta: a budget limits both.")
    with open_ledger(LogStore.open(store)) as ledger:
        if epsilon is not None and delta is not None:
            ledger.set_budget(epsilon, delta, "gaussian" if gaussian else "sum")
        if book is not None:
            ledger.book(approximate(*book))
        budget = budget_of(ledger, parse(coming) if coming else None, times)
    if as_json:
        show_json(budget)
    else:
        _show(budget)


def _tight(figures: str) -> str:
    from crowdlog.privacy.accounting import tight_is_known

    return figures if tight_is_known() else "pip install 'crowdlog[measure]' to have it computed"


def _show(budget: BudgetReport) -> None:
    counted = {} if budget.limit is None else what_decides(budget.limit)
    plainly = BY_THE_SUM if counted else ""
    fields: dict[str, object] = {
        "spent": _sentence(budget.spent) + plainly,
        "spent, tight": _tight(
            f"ε = {rounded_up(budget.spent.tight_epsilon)} at δ = {rounded_up(budget.spent.tight_delta)}"
        ),
        "left": "no limit is set" if budget.left is None else _sentence(budget.left, rounded_down),
    }
    if budget.limit is not None:
        fields["limit"] = _limit(budget.limit)
    if budget.earlier_limits:
        fields["limits before"] = "; ".join(map(_limit, budget.earlier_limits))
    if counted:
        del fields["left"]
        fields |= counted
    if budget.looks:
        last = budget.looks[-1]
        fields["looks at the log"] = f"{len(budget.looks)}, the last on {last.date}: {last.how}"
    if len(budget.stores) > 1:
        fields["stores"] = f"{len(budget.stores)} share this ledger"
    if budget.next is not None:
        following = budget.next
        fields |= {
            "next": following.mechanism + (f", {following.times} times" if following.times > 1 else ""),
            "next costs": _sentence(following) + plainly,
            "next costs, tight": _tight(f"ε = {rounded_up(following.tight_epsilon)} more"),
            "spent then": _sentence(following.spent_after) + plainly,
            "next fits": following.fits,
        }
    show_fields(fields)
    if budget.releases:
        click.echo()
        rows = [
            [r.id, r.date, r.mechanism, rounded_up(r.epsilon), rounded_up(r.delta), r.state, r.out]
            for r in budget.releases
        ]
        show_table(["charge", "date", "release", "ε", "δ", "state", "folder"], rows)


def _limit(limit: Limit | EarlierLimit) -> str:
    """With its date; and whether it was decided before anything was seen."""
    after = f", after {amount_of(limit.after, 'release')}" if limit.after else ""
    return f"{_sentence(limit, rounded_down)}, set {limit.date}{after}"


def _sentence(amount: Amount, digits: Callable[[float], str] = rounded_up) -> str:
    """What is spent is never shown as less, what is left (`rounded_down`) never as more."""
    return f"ε = {digits(amount.epsilon)}, δ = {digits(amount.delta)}"
