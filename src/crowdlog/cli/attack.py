"""crowdlog attack: what a release gives away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.attacks import ATTACKS
from crowdlog.cli.output import json_option, show_json, show_table
from crowdlog.number_format import percent

if TYPE_CHECKING:
    from crowdlog.attacks.result import AttackResult

_path = click.Path(path_type=Path)


@click.command("attack")
@click.argument("releases", nargs=-1, required=True, type=_path, metavar="RELEASE...")
@click.option("--truth", required=True, type=_path, help="The log store the release was made from.")
@click.option(
    "--with",
    "names",
    help=f"Separated by commas: {', '.join(ATTACKS)}. Default: all.",
)
@click.option("--mapping", type=_path, help="Link records by categories: a file of lines QUERY<tab>CATEGORY.")
@click.option(
    "--auxiliary",
    type=_path,
    help="Another log store, to invert hashed words with. Default: half of the people's queries.",
)
@click.option(
    "--secrets", type=_path, help="Look for these secrets: the file that 'crowdlog synth --secrets' wrote."
)
@click.option(
    "--tree",
    default="wordnet",
    show_default=True,
    help="The tree of categories of attacks by interests: 'wordnet', or a file of paths.",
)
@click.option(
    "--labels",
    type=_path,
    help="Which queries are sensitive: the file that 'crowdlog synth --labels' writes. Default: by the tree.",
)
@click.option("--other-log", is_flag=True, help="Judge by a log the release was not made from.")
@click.option("--seed", type=int, help="Fix samples and intervals.")
@json_option
def command(
    releases: tuple[Path, ...],
    truth: Path,
    names: str | None,
    mapping: Path | None,
    auxiliary: Path | None,
    secrets: Path | None,
    tree: str,
    labels: Path | None,
    other_log: bool,
    seed: int | None,
    as_json: bool,
) -> None:
    """Attack a RELEASE, or several of one log together, and compare the success with chance.

    \b
    Example: crowdlog attack OUT --truth STORE --with linkage,exposure
    """
    from crowdlog.attacks import attack
    from crowdlog.attacks.attacker import Attacker
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness
    from crowdlog.release.folder import Release

    randomness = SystemRandomness() if seed is None else SeededRandomness(seed)
    attacker = Attacker(
        randomness, LogStore.open(auxiliary) if auxiliary else None, mapping, secrets, tree, labels
    )
    chosen = None if names is None else [name.strip() for name in names.split(",") if name.strip()]
    results = attack(
        [Release.open(path) for path in releases],
        LogStore.open(truth),
        chosen,
        attacker=attacker,
        other_log=other_log,
    )
    if as_json:
        show_json([result.as_dict() for result in results])
        return
    show_table(["attack", "success", "95 % interval", "chance", "", ""], [_row(result) for result in results])


def _row(result: AttackResult) -> list[str]:
    if result.success is None or result.interval is None or result.chance is None:
        return [result.name, "–", "", "", "", result.note]
    low, high = result.interval
    return [
        result.name,
        percent(result.success),
        f"[{percent(low)}, {percent(high)}]",
        percent(result.chance),
        "BROKEN" if result.broken else "",
        result.note,
    ]
