"""crowdlog check: has a store or its ledger been damaged?"""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.number_format import amount


@click.command("check")
@click.argument("store")
@click.option(
    "--accept-ledger",
    is_flag=True,
    help="Take the ledger as it is for the newest one. Book what it forgot: crowdlog budget STORE --book.",
)
@json_option
def command(store: str, accept_ledger: bool, as_json: bool) -> None:
    """Read every byte of STORE and every line of its ledger, and say whether they are as they were written.

    \b
    Example: crowdlog check STORE
    """
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.ledger import Ledger
    from crowdlog.release.publish import open_ledger

    log = LogStore.open(store)
    log.check()
    if accept_ledger:
        Ledger.accept(log.ledger(), log.info.id, log.ledger_head())
    with open_ledger(log) as ledger:
        head, charges = ledger.head, len(ledger.entries())
    if as_json:
        show_json(
            {"store": str(log.path), "bytes": sum(log.info.files.values()), "head": head, "charges": charges}
        )
        return
    click.echo(
        f"{store} is whole: {sum(log.info.files.values()):,} bytes as they were imported, and a ledger of "
        f"{amount(charges, 'charge')} that ends in {head[:16]}."
    )
