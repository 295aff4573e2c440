"""crowdlog mechanisms: what there is to choose from, made from the mechanisms themselves."""

from __future__ import annotations

import click

from crowdlog.cli.output import json_option, show_json, show_table


@click.command("mechanisms")
@click.argument("name", required=False)
@click.option("--markdown", is_flag=True, help="Print the page docs/mechanisms.md.")
@json_option
def command(name: str | None, markdown: bool, as_json: bool) -> None:
    """List the mechanisms, or the parameters of the mechanism NAME.

    \b
    Example: crowdlog mechanisms Korolova
    """
    from crowdlog.mechanisms import MECHANISMS
    from crowdlog.mechanisms.catalogue import describe, page

    if markdown:
        click.echo(page(), nl=False)
        return
    entries = [describe(each) for each in ([name] if name else sorted(MECHANISMS))]
    if as_json:
        show_json([entry.as_json() for entry in entries])
    elif name is None:
        show_table(
            ["mechanism", "promise", ""], [[entry.name, entry.promise, entry.title] for entry in entries]
        )
    else:
        (entry,) = entries
        click.echo(
            f"{entry.name}: {entry.title}\n{entry.what}\n\nPublished in: {entry.source}\nPromise: "
            f"{entry.promise}\nFormula: {entry.formula}\nProof: {entry.proof}"
        )
        click.echo(f"Example: crowdlog plan '{entry.example}'\n")
        show_table(
            ["parameter", "default", "allowed", ""],
            [[p.name, p.default, p.allowed, p.help] for p in entry.parameters],
        )
