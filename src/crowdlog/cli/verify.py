"""crowdlog verify: an independent check that a release is k-anonymous."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.errors import InputError, PrivacyRefusal


@click.command("verify")
@click.argument("release")
@click.option("--truth", required=True, help="The log store the release was made from.")
@json_option
def command(release: str, truth: str, as_json: bool) -> None:
    """Check that every query of a k-anonymous RELEASE has k users around it within the release, or that every
    history has k equals. Exit code 2 when one has not.

    \b
    Example: crowdlog verify KANON --truth STORE
    """
    from crowdlog.artifacts.semantic.word_rule import PAPER
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.mechanisms.k_anonymity import KAnonymity
    from crowdlog.mechanisms.microaggregation import Microaggregation
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
    from crowdlog.release.folder import Release
    from crowdlog.release.verify import verify

    opened = Release.open(release)
    made = [parse(spelling) for spelling in opened.label.mechanisms]
    histories = next((each for each in made if isinstance(each, Microaggregation)), None)
    if histories is not None:
        _verify_histories(opened, truth, histories, as_json)
        return
    mechanism = next((each for each in made if isinstance(each, KAnonymity | SemanticKAnonymity)), None)
    if mechanism is None:
        names = " and ".join(type(each).__name__ for each in made)
        raise InputError(
            "verify checks releases of KAnonymity, SemanticKAnonymity, Mdav, OdpClusters and SemanticMdav; "
            f"{release} was made by {names}."
        )
    theta, min_users, rule = 1.0, 1, PAPER
    if isinstance(mechanism, SemanticKAnonymity):
        theta, min_users, rule = mechanism.theta, mechanism.min_users, mechanism.rule
    queries = opened.queries()
    if queries is None:
        raise InputError(f"{release} has no table of queries: it is damaged.")
    verdict = verify(LogStore.open(truth), queries, mechanism.k, theta, min_users, rule)
    if as_json:
        show_json({**asdict(verdict), "holds": verdict.holds})
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


def _verify_histories(opened: Any, truth: str, mechanism: Any, as_json: bool) -> None:
    from crowdlog.log.store import LogStore
    from crowdlog.release.verify_clusters import verify_clusters

    events = opened.table("events")
    if events is None:
        raise InputError(f"{opened.path} has no table of rows: it is damaged.")
    verdict = verify_clusters(LogStore.open(truth), events, mechanism.k, mechanism.rule)
    if as_json:
        show_json({**asdict(verdict), "holds": verdict.holds})
    if not verdict.holds:
        faults = ", ".join(f"{number:,} {words}" for words, number in verdict.faults().items())
        raise PrivacyRefusal(
            f"{opened.path} is not {mechanism.k}-anonymous by users as it stands: {faults}. "
            "Do not publish it."
        )
    if not as_json:
        click.echo(
            f"{opened.path} is {mechanism.k}-anonymous by users: each of {verdict.records:,} records has at "
            f"least {verdict.smallest:,} equals, and every text may be shown."
        )
