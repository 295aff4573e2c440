"""crowdlog verify: is a release as it was written and charged, and true of its log?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.errors import InputError, PrivacyRefusal

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms.k_anonymity import KAnonymity
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
    from crowdlog.plan.table import TablePlan
    from crowdlog.release.folder import Release
    from crowdlog.release.verify_exact import ExactVerdict


_SHOWN = 5  # names of files


@click.command("verify")
@click.argument("release")
@click.option(
    "--truth",
    help="The log store it was made from: also compare with its ledger, and what has no noise with the log.",
)
@click.option("--key", metavar="HEX|FILE", help="The public key that must have signed it (FILE: PEM).")
@json_option
def command(release: str, truth: str | None, key: str | None, as_json: bool) -> None:
    """Check that label, tables and pages of RELEASE are as they were written and, with --truth, that its
    charge is in the ledger, that every query of a k-anonymous release has k users around it and that exact
    counts are those of the log (else exit code 2). What has noise cannot be compared, and that is said.

    \b
    Example: crowdlog verify KANON --truth STORE
    """
    from crowdlog.release.folder import Release
    from crowdlog.release.seal import read_public_key

    wanted = None if key is None else read_public_key(key)
    opened = Release.open(release)
    opened.check()
    signer = opened.signed_by()
    if wanted is not None and signer != wanted:
        whose = f"but with {signer}" if signer else "nor with any other"
        raise InputError(f"{release} is not signed with the key given, {whose}.")
    unnamed = opened.unnamed()
    found: dict[str, object] = {"tables": len(opened.label.tables), "signed_by": signer, "unnamed": unnamed}
    if truth is not None:
        found |= _against(opened, release, truth, as_json)
    if as_json:
        show_json(found)
        return
    signed = f"signed by {signer}" if signer else "not signed"
    number = len(opened.label.tables)
    tables = "1 table with its hash" if number == 1 else f"{number} tables with their hashes"
    click.echo(f"{release} is as it was written: {tables}; {signed}.")
    if unnamed:
        which = ", ".join(ascii(name) for name in unnamed[:_SHOWN])
        others = ", …" if len(unnamed) > _SHOWN else ""
        click.echo(f"What its label does not name was not looked at: {which}{others}.")


def _against(opened: Release, release: str, truth: str, as_json: bool) -> dict[str, object]:
    """With the ledger of the log; and with the log itself, if k-anonymity was promised."""
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.mechanisms.k_anonymity import KAnonymity
    from crowdlog.mechanisms.microaggregation import Microaggregation
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
    from crowdlog.release.charged import check_charge

    log = LogStore.open(truth)
    check_charge(opened, log)
    made = [parse(spelling) for spelling in opened.label.mechanisms]
    histories = next((each for each in made if isinstance(each, Microaggregation)), None)
    if histories is not None:
        return _verify_histories(opened, log, histories, as_json)
    mechanism = next((each for each in made if isinstance(each, KAnonymity | SemanticKAnonymity)), None)
    if mechanism is None:
        return _counted_again(opened, log, [plan for each in made for plan in each.plan], as_json)
    return _anonymity(opened, release, log, mechanism, as_json)


_NOISY = "Its rows and counts were not compared with the log: they come from noise that nobody kept."
_NOTHING_PROMISED = "Its rows were not compared with the log: nothing is promised of them."
_TIMES = {"users": "people", "impressions": "occurrences"}


def _counted_again(
    opened: Release, log: LogStore, plans: list[TablePlan], as_json: bool
) -> dict[str, object]:
    """Tables with exact counts against the log; of others it is said that nothing was compared."""
    from crowdlog.release.verify_exact import exact_plans, verify_exact

    exact = exact_plans(plans)
    if not exact:
        if not as_json:
            click.echo(_NOISY if opened.label.promise.guarantee.protects else _NOTHING_PROMISED)
        return {"charge": opened.label.charge, "compared": []}
    verdicts = [verify_exact(log, plan, opened.table(plan.name)) for plan in exact]
    compared = [{**asdict(verdict), "holds": verdict.holds} for verdict in verdicts]
    for verdict in verdicts:
        if as_json and not verdict.holds:
            show_json({"compared": compared, "holds": False})
        _show_counted(opened, verdict, as_json)
    return {"charge": opened.label.charge, "compared": compared, "holds": True}


def _show_counted(opened: Release, verdict: ExactVerdict, as_json: bool) -> None:
    rows = f"{verdict.rows:,} rows"
    if not verdict.holds:
        faults = ", ".join(f"{number:,} {words}" for words, number in verdict.faults().items())
        raise PrivacyRefusal(
            f"The table {verdict.table} of {opened.path} is not what this log gives: of its {rows} and those "
            f"it should have {faults}. Do not publish it."
        )
    if not as_json:
        click.echo(
            f"The table {verdict.table} was counted again: each of its {rows} has at least "
            f"{verdict.least:,} {_TIMES[verdict.on]}, every count is that of the log, and none is missing."
        )


def _anonymity(
    opened: Release, release: str, log: LogStore, mechanism: KAnonymity | SemanticKAnonymity, as_json: bool
) -> dict[str, object]:
    from crowdlog.artifacts.semantic.word_rule import PAPER
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
    from crowdlog.release.verify import verify

    theta, min_users, rule = 1.0, 1, PAPER
    if isinstance(mechanism, SemanticKAnonymity):
        theta, min_users, rule = mechanism.theta, mechanism.min_users, mechanism.rule
    queries = opened.queries()
    if queries is None:
        raise InputError(f"{release} has no table of queries: it is damaged.")
    verdict = verify(log, queries, mechanism.k, theta, min_users, rule)
    if as_json and not verdict.holds:
        show_json({**asdict(verdict), "holds": False})
    if not verdict.holds:
        faults = ", ".join(f"{number:,} {words}" for words, number in verdict.faults().items())
        raise PrivacyRefusal(
            f"{release} is not {mechanism.k}-anonymous at Θ = {theta:g} as it stands: of {verdict.queries:,} "
            "queries "
            f"{faults}. Do not publish it."
        )
    if not as_json:
        click.echo(
            f"{release} is {mechanism.k}-anonymous at Θ = {theta:g}: all {verdict.queries:,} queries have at "
            f"least {mechanism.k} users around them."
        )
    return {"charge": opened.label.charge, **asdict(verdict), "holds": True}


def _verify_histories(opened: Any, log: LogStore, mechanism: Any, as_json: bool) -> dict[str, object]:
    from crowdlog.release.verify_clusters import verify_clusters

    events = opened.table("events")
    if events is None or "cluster" not in events.column_names:
        raise InputError(f"{opened.path} has no table of rows with their clusters: it is damaged, or old.")
    verdict = verify_clusters(log, events, mechanism.k, mechanism.rule, opened.label.notes)
    if as_json and not verdict.holds:
        show_json({**asdict(verdict), "holds": False})
    if not verdict.holds:
        faults = ", ".join(f"{number:,} {words}" for words, number in verdict.faults().items())
        raise PrivacyRefusal(
            f"{opened.path} is not {mechanism.k}-anonymous by users as it stands: {faults}. "
            "Do not publish it."
        )
    if not as_json:
        empty = verdict.users - verdict.records
        others = f" The record of {empty:,} users is empty." if empty else ""
        click.echo(
            f"{opened.path} is {mechanism.k}-anonymous by users: {verdict.clusters:,} clusters of "
            f"{verdict.smallest:,} to {verdict.largest:,} users with one record each, and every text and "
            f"site may be shown.{others}"
        )
    return {"charge": opened.label.charge, **asdict(verdict), "holds": True}
