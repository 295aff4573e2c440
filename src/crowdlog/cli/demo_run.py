"""What the demo does, step by step, and what it says while doing so."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.release.folder import Release
from crowdlog.release.page import release_page

DEFAULT = "Ladder(epsilon=2.3, delta=1e-6, people={users})"
MARK = "made-by-crowdlog-demo"  # only a folder with this file is ever replaced


def run_demo(out: str, users: int, mechanism: str | None) -> None:
    """Synthetic log → store → release → page."""
    folder, chosen = _fresh(Path(out)), parse(mechanism or DEFAULT.format(users=users))
    click.echo(f"1. A synthetic search log of {users:,} people, with secrets planted in it …")
    synthesize(folder / "log.tsv", users=users, seed=7, secrets=folder / "secrets.tsv")
    log = import_log([folder / "log.tsv"], folder / "store")
    click.echo(
        f"   {log.info.rows:,} rows, {log.info.queries:,} different queries, {log.info.clicks:,} clicks"
    )
    click.echo(f"2. What may be seen: {chosen!r} …")
    promised = chosen.promise().guarantee
    budget = (promised.epsilon, promised.delta) if promised.protects else None
    release = chosen.release(log, folder / "release", budget=budget)
    page = folder / "index.html"
    page.write_text(
        release_page(release.label, _tables(release), story=_story(log, release, folder / "secrets.tsv")),
        encoding="utf-8",
    )
    click.echo(f"   {chosen.promise().guarantee}")
    for name, rows in release.label.tables.items():
        click.echo(f"   {rows:,} {name} published")
    queries = release.queries()
    if queries is not None and queries.num_rows:
        click.echo("3. The crowd's most frequent searches (with noise):")
        for row in queries.slice(0, 8).to_pylist():
            click.echo(f"   {row['count']:>7,}  {row['query']}")
    click.echo(
        f"\nLook at   {page}\nLabel     {release.path}/label.md\nIn words  crowdlog explain {release.path}"
    )


def _fresh(folder: Path) -> Path:
    if folder.exists():
        if not (folder / MARK).exists():
            raise InputError(f"{folder} exists and was not made by the demo. Choose another folder with -o.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    return folder


def _tables(release: Release) -> dict[str, Any]:
    return {name: release.table(name) for name in release.tables}


def _story(log: LogStore, release: Release, secrets: Path) -> list[tuple[str, str]]:
    """What a stranger wants to know first. Only a synthetic log may be talked about like this."""
    queries = release.queries()
    published = set(queries["query"].to_pylist()) if queries is not None else set()
    planted = [line.split("\t")[-1] for line in secrets.read_text(encoding="utf-8").splitlines()[1:]]
    leaked = sum(secret in published for secret in planted)
    hidden = log.info.queries - len(published)
    return [
        (f"{hidden:,}", "different queries stayed hidden: too few people shared them"),
        (f"{leaked} of {len(planted)}", "planted secrets (card numbers, names, addresses) were published"),
    ]
