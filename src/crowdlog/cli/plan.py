"""crowdlog plan: what a mechanism would promise. Spends nothing and looks at no log."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crowdlog.cli.engine import engine_option
from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.cli.what_decides import BY_THE_SUM, what_decides
from crowdlog.number_format import rounded_down, rounded_up

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.planning.plan import BudgetCheck, ReleasePlan


@click.command("plan")
@click.argument("words", nargs=-1, required=True, metavar="[STORE] MECHANISM")
@click.option(
    "--synthetic",
    type=click.IntRange(min=1),
    metavar="USERS",
    help="Also try it on a synthetic log of this many users and say how much was kept.",
)
@click.option(
    "--users", type=click.IntRange(1), help="Also say how much to expect with about so many people."
)
@engine_option
@json_option
def command(
    words: tuple[str, ...], synthetic: int | None, users: int | None, engine: OpenEngine | None, as_json: bool
) -> None:
    """Show the promise, thresholds and costs of MECHANISM, and what the budget of STORE would have left.

    Nothing is computed from the log: expected numbers come from the parameters or, with --synthetic, from a
    made-up log.

    \b
    Example: crowdlog plan 'Korolova(epsilon=2.3, delta=1e-5, d=20)'
    """
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.planning.plan import plan_release

    if len(words) > 2:
        raise click.UsageError(
            "Give a mechanism, or a store and a mechanism. Quote the mechanism: 'Korolova(epsilon=2.3, "
            "delta=1e-5, d=20)'."
        )
    mechanism = parse(words[-1])
    log = LogStore.open(words[0]) if len(words) == 2 else None
    plan = plan_release(mechanism, log=log, users=synthetic, people=users, engine=engine)
    if as_json:
        show_json(plan)
    else:
        _show(plan)


def _show(plan: ReleasePlan) -> None:
    click.echo(f"{plan.mechanism}\n{plan.guarantee}\n")
    show_table(
        ["step", "ε", "δ", ""], [[s.name, s.epsilon or "–", s.delta or "–", s.what] for s in plan.steps]
    )
    parts = {
        "Settings": plan.settings,
        "The paper's formulas give": plan.as_published,
        "Chance to be published, by true count": {
            f"a count of {odds.count:,.0f}": f"{odds.chance:.0%}" for odds in plan.odds
        },
    }
    if plan.budget is not None:
        parts["Budget"] = _budget(plan.budget)
    if plan.expected:
        click.echo(f"\n{plan.expected}")
    if plan.synthetic is not None:
        kept = {f"{name} kept": rows for name, rows in plan.synthetic.kept.items()}
        queries = plan.synthetic.distinct_queries
        parts["On a synthetic log"] = {"users": plan.synthetic.users, "distinct queries": queries, **kept}
    for title, fields in parts.items():
        if fields:
            click.echo(f"\n{title}:")
            show_fields(fields)
    for line in plan.unprotected:
        click.echo(f"\nNot covered: {line}")


def _budget(check: BudgetCheck) -> dict[str, str | bool]:
    spent = f"ε = {rounded_up(check.spent.epsilon)}, δ = {rounded_up(check.spent.delta)}"
    if check.limit is not None and (counted := what_decides(check.limit)):
        return {"spent": spent + BY_THE_SUM, **counted, "this release fits": check.fits}
    if check.left is None:
        return {"spent": spent, "left": "no limit is set (crowdlog budget STORE --epsilon … --delta …)"}
    left = f"ε = {rounded_down(check.left.epsilon)}, δ = {rounded_down(check.left.delta)}"
    return {"spent": spent, "left": left, "this release fits": check.fits}
