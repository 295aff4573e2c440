"""crowdlog plan: what a mechanism would promise. Spends nothing and looks at no log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.release.promise import Promise


@click.command("plan")
@click.argument("words", nargs=-1, required=True, metavar="[STORE] MECHANISM")
@click.option(
    "--synthetic",
    type=click.IntRange(min=1),
    metavar="USERS",
    help="Also try it on a synthetic log of this many users and say how much was kept.",
)
@json_option
def command(words: tuple[str, ...], synthetic: int | None, as_json: bool) -> None:
    """Show the promise, thresholds and costs of MECHANISM, and what the budget of STORE would have left.

    Nothing is computed from the log: expected numbers come from the parameters or, with --synthetic, from a made-up log.

    \b
    Example: crowdlog plan 'Korolova(epsilon=2.3, delta=1e-5, d=20)'
    """
    from crowdlog.mechanisms import parse

    if len(words) > 2:
        raise click.UsageError(
            "Give a mechanism, or a store and a mechanism. Quote the mechanism: 'Korolova(epsilon=2.3, delta=1e-5, d=20)'."
        )
    store, chosen = words[0] if len(words) == 2 else None, parse(words[-1])
    promise = chosen.promise()
    plan: dict[str, Any] = {
        "mechanism": repr(chosen),
        "guarantee": str(promise.guarantee),
        "epsilon": promise.guarantee.epsilon,
        "delta": promise.guarantee.delta,
        "steps": [
            {"name": s.name, "epsilon": s.epsilon, "delta": s.delta, "what": s.what} for s in promise.steps
        ],
        "settings": dict(promise.settings),
        "as_published": dict(promise.as_published),
        "odds": _odds(promise),
        "unprotected": list(promise.unprotected),
    }
    if store:
        plan["budget"] = _budget(store, chosen)
    if synthetic:
        plan["synthetic"] = _try_on_synthetic(chosen, synthetic)
    if as_json:
        show_json(plan)
        return
    _show(plan)


def _show(plan: dict[str, Any]) -> None:
    click.echo(f"{plan['mechanism']}\n{plan['guarantee']}\n")
    show_table(
        ["step", "ε", "δ", ""], [[s["name"], s["epsilon"], s["delta"], s["what"]] for s in plan["steps"]]
    )
    for title, key in (
        ("Settings", "settings"),
        ("The paper's formulas give", "as_published"),
        ("Chance to be published, by true count", "odds"),
    ):
        if plan[key]:
            click.echo(f"\n{title}:")
            show_fields(plan[key])
    if "budget" in plan:
        click.echo("\nBudget:")
        show_fields(plan["budget"])
    if "synthetic" in plan:
        click.echo("\nOn a synthetic log:")
        show_fields(plan["synthetic"])
    for line in plan["unprotected"]:
        click.echo(f"\nNot covered: {line}")


def _odds(promise: Promise) -> dict[str, str]:
    """How likely a key of a true (bounded) count is published: counts at 1, 10, 50, 90 and 99 %."""
    import math

    from crowdlog.plan.selections import NoisyThreshold

    selection = promise.tables[0].selection if promise.tables else None
    if not isinstance(selection, NoisyThreshold):
        return {}
    odds = {}
    for chance in (0.01, 0.1, 0.5, 0.9, 0.99):
        less = math.log(2 * chance) if chance <= 0.5 else -math.log(2 * (1 - chance))
        odds[f"a count of {selection.K + selection.scale * less:,.0f}"] = f"{chance:.0%}"
    return odds


def _budget(store: str, mechanism: Mechanism) -> dict[str, Any]:
    from crowdlog.log.store import LogStore
    from crowdlog.release.publish import open_ledger

    with open_ledger(LogStore.open(store)) as ledger:
        spent, left, cost = ledger.spent(), ledger.left(), mechanism.promise().guarantee
    shown: dict[str, Any] = {"spent": f"ε = {spent.epsilon:.4g}, δ = {spent.delta:.4g}"}
    if left is None:
        return {**shown, "left": "no limit is set (crowdlog budget STORE --epsilon … --delta …)"}
    fits = cost.epsilon <= left.epsilon and cost.delta <= left.delta
    return {**shown, "left": f"ε = {left.epsilon:.4g}, δ = {left.delta:.4g}", "this release fits": fits}


def _try_on_synthetic(mechanism: Mechanism, users: int) -> dict[str, Any]:
    import tempfile
    from pathlib import Path

    from crowdlog.log.importer import import_log
    from crowdlog.log.synth import synthesize
    from crowdlog.privacy.randomness import SeededRandomness

    with tempfile.TemporaryDirectory(prefix="crowdlog-plan-") as folder:
        source = Path(folder) / "log.tsv"
        synthesize(source, users=users, seed=1)
        log = import_log([source], Path(folder) / "store")
        protected = mechanism.protect(log, SeededRandomness(1))
        kept = {f"{name} kept": table.num_rows for name, table in protected.tables.items()}
        return {"users": users, "distinct queries": log.info.queries, **kept}
