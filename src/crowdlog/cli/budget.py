"""crowdlog budget: what has been spent on a log, and the limit."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table


@click.command("budget")
@click.argument("store")
@click.option("--epsilon", type=float, help="Set the limit on ε. It can be lowered or, by the owner's decision, raised.")
@click.option("--delta", type=float, help="Set the limit on δ.")
@json_option
def command(store: str, epsilon: float | None, delta: float | None, as_json: bool) -> None:
    """Show what all releases of STORE have spent and what is left; with --epsilon and --delta, set the limit.

    \b
    Example: crowdlog budget STORE --epsilon 5 --delta 1e-4
    """
    from crowdlog.errors import InputError
    from crowdlog.log.store import LogStore
    from crowdlog.release.publish import open_ledger

    ledger = open_ledger(LogStore.open(store))
    if (epsilon is None) != (delta is None):
        raise InputError("Give both --epsilon and --delta: a budget limits both.")
    if epsilon is not None and delta is not None:
        ledger.set_budget(epsilon, delta)
    spent, left = ledger.spent(), ledger.left()
    entries = [
        {
            "id": e.id,
            "mechanism": e.mechanism,
            "epsilon": e.guarantee.epsilon,
            "delta": e.guarantee.delta,
            "kind": e.guarantee.kind,
            "state": e.state,
            "out": e.out,
        }
        for e in ledger.entries()
    ]
    if as_json:
        limits = None if left is None else {"epsilon": left.epsilon, "delta": left.delta}
        show_json({"spent": {"epsilon": spent.epsilon, "delta": spent.delta}, "left": limits, "releases": entries})
        return
    show_fields(
        {
            "spent": f"ε = {spent.epsilon:.4g}, δ = {spent.delta:.4g}",
            "left": "no limit is set" if left is None else f"ε = {left.epsilon:.4g}, δ = {left.delta:.4g}",
        }
    )
    if entries:
        click.echo()
        show_table(["release", "ε", "δ", "state", "folder"], [[e["mechanism"], e["epsilon"], e["delta"], e["state"], e["out"]] for e in entries])
