"""crowdlog verify: an independent check that a release is k-anonymous."""

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
    from crowdlog.release.folder import Release


@click.command("verify")
@click.argument("release")
@click.option(
    "--truth",
    help="The log store it was made from: also compare with its ledger, and k-anonymity with the log.",
)
@click.option("--key", metavar="HEX|FILE", help="The public key that must have signed it (FILE: PEM).")
@json_option
def command(release: str, truth: str | None, key: str | None, as_json: bool) -> None:
    """Check that label, tables and pages of RELEASE are as they were written and, with --truth, that its
    charge is in the ledger and that every query of a k-anonymous release has k users around it (else exit
    code 2).

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
    found: dict[str, object] = {"tables": len(opened.label.tables), "signed_by": signer}
    if truth is not None:
        found |= _against(opened, release, truth, as_json)
    if as_json:
        show_json(found)
        return
    signed = f"signed by {signer}" if signer else "not signed"
    number = len(opened.label.tables)
    tables = "1 table with its hash" if number == 1 else f"{number} tables with their hashes"
    click.echo(f"{release} is as it was written: {tables}; {signed}.")


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
        return {"charge": opened.label.charge}
    return _anonymity(opened, release, log, mechanism, as_json)


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
