"""crowdlog verify: an independent check that a release is k-anonymous."""

from __future__ import annotations

from dataclasses import asdict

import click

from crowdlog.cli.output import json_option, show_json
from crowdlog.errors import InputError, PrivacyRefusal


@click.command("verify")
@click.argument("release")
@click.option("--truth", required=True, help="The log store the release was made from.")
@json_option
def command(release: str, truth: str, as_json: bool) -> None:
    """Check that every query of a k-anonymous RELEASE has k users around it within the release. Exit code 2
    when one has not.

    \b
    Example: crowdlog verify KANON --truth STORE
    """
    from crowdlog.artifacts.semantic.word_rule import PAPER
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.mechanisms.k_anonymity import KAnonymity
    from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
    from crowdlog.release.folder import Release
    from crowdlog.release.verify import verify

    opened = Release.open(release)
    made = [parse(spelling) for spelling in opened.label.mechanisms]
    mechanism = next((each for each in made if isinstance(each, KAnonymity | SemanticKAnonymity)), None)
    if mechanism is None:
        names = " and ".join(type(each).__name__ for each in made)
        raise InputError(
            f"verify checks releases of KAnonymity and SemanticKAnonymity; {release} was made by {names}."
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
