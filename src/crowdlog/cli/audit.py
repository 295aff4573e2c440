"""crowdlog audit: is a mechanism as private as it promises? Lower bounds on ε and δ, tests of its noise."""

from __future__ import annotations

import dataclasses
import sys

import click

from crowdlog.cli.output import json_option, show_json, show_table


@click.command("audit")
@click.argument("mechanism")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1, max=3600),
    default=90,
    show_default=True,
    help="About how long to draw samples.",
)
@json_option
def command(mechanism: str, seconds: float, as_json: bool) -> None:
    """Run MECHANISM on made-up neighbouring logs and look for anything its promise forbids. No log of yours
    is read.

    The exit code is 2 when an audit raises an alarm. A false alarm has a probability below one in 100,000.

    \b
    Example: crowdlog audit 'DPu(epsilon=1, delta=1e-6, d=5)' --seconds 2
    """
    from crowdlog.audit.report import audit
    from crowdlog.mechanisms import parse

    report = audit(parse(mechanism), seconds=seconds)
    if as_json:
        show_json(
            {
                "mechanism": report.mechanism,
                "seconds": report.seconds,
                "alarms": len(report.alarms),
                "findings": [dataclasses.asdict(finding) for finding in report.findings],
            }
        )
    else:
        click.echo(f"{report.mechanism}\n")
        show_table(
            ["audit", "situation", "", "finding"],
            [[f.audit, f.where, "ALARM" if f.alarm else "ok", f.meaning] for f in report.worst()],
        )
        click.echo(
            f"\n{len(report.findings)} findings in {report.seconds:.0f} s, {len(report.alarms)} alarms."
        )
    sys.exit(2 if report.alarms else 0)
