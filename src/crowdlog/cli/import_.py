"""crowdlog import: read a search log into a store."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from crowdlog.errors import InputError
from crowdlog.log.formats.options import FORMATS

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore, StoreInfo


def _columns(_ctx: click.Context, _param: click.Parameter, value: str | None) -> dict[str, str] | None:
    if value is None:
        return None
    pairs = [part.partition("=") for part in value.split(",")]
    if not all(role and name for role, _equals, name in pairs):
        raise InputError(
            "--columns is written user=…,query=…,time=…,rank=…,url=… (rank and url may be left out)."
        )
    return {role.strip(): name.strip() for role, _equals, name in pairs}


@click.command("import")
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option("-o", "--out", required=True, metavar="STORE", help="The new store's folder.")
@click.option(
    "--format", "format_", metavar="NAME", help=f"One of {', '.join(FORMATS)}; recognised if not said."
)
@click.option(
    "--columns",
    callback=_columns,
    metavar="ROLES",
    help="user=…,query=…,time=…,rank=…,url=…: column names, or numbers from 1 if there is no header.",
)
@click.option(
    "--date",
    metavar="YYYY-MM-DD",
    help="The day of a log that tells the time of day only (sogou, trec-session).",
)
@click.option("--quoted-lines", is_flag=True, help="Quoted texts of a CSV file may have several lines.")
@click.option("--strict", is_flag=True, help="Stop at the first row that cannot be read.")
@click.option("--memory", metavar="SIZE", help="Hold at most about this much, for example 2GB.")
@click.option(
    "--merge-next-page", is_flag=True, help="The same query again without a click is no new impression."
)
@click.option("--keep-dash", is_flag=True, help="Keep AOL's scrubbed queries '-'.")
@click.option(
    "--ledger",
    metavar="FILE|URL",
    help="The ledger of these people: a file or postgresql://…, shared by all stores of them. "
    "'own': the store's own.",
)
@click.option(
    "--users-are-fine",
    is_flag=True,
    help="The user column is right although it looks odd (one id per row, or one for all).",
)
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def command(
    logs: tuple[str, ...],
    out: str,
    format_: str | None,
    columns: dict[str, str] | None,
    date: str | None,
    quoted_lines: bool,
    strict: bool,
    memory: str | None,
    merge_next_page: bool,
    keep_dash: bool,
    ledger: str | None,
    users_are_fine: bool,
    as_json: bool,
) -> None:
    """Read search logs (files or folders; plain, .gz or .zst) into a store.

    Rows that cannot be read are counted and kept in STORE.rejects.tsv, which only you can read.

    \b
    Example: crowdlog import LOG.tsv -o STORE
    """
    from crowdlog.log.importer import import_log
    from crowdlog.log.questions import Questions

    questions = Questions(out, ask_ledger=ledger is None, ask_users=not users_are_fine)
    log = import_log(
        logs,
        out,
        format=format_,
        columns=columns,
        date=date,
        quoted_lines=quoted_lines,
        strict=strict,
        memory=memory,
        merge_next_page=merge_next_page,
        keep_dash=keep_dash,
        ledger=None if ledger == "own" else ledger,
        before=questions.ask,
    )
    if as_json:
        click.echo(json.dumps(_as_json(log.info, out), indent=2))
    else:
        _tell(log, out)


def _as_json(info: StoreInfo, out: str) -> dict[str, Any]:
    counts = ("rows", "users", "queries", "urls", "clicks")
    reading = ("formats", "guessed", "scrubbed", "rejected", "content_hash")
    return {"store": out} | {name: getattr(info, name) for name in counts + reading}


def _tell(log: LogStore, out: str) -> None:
    from crowdlog.release.publish import known_already

    info = log.info
    click.echo(
        f"{out}: {info.rows:,} rows of {info.users:,} users, {info.queries:,} distinct queries, "
        f"{info.clicks:,} clicks."
    )
    if info.guessed:
        click.echo(f"Read as {', '.join(info.formats)}, as its first lines look; --format says it for sure.")
    again = known_already(log)
    if again:
        click.echo(
            f"Its ledger knows this very log already, from {again:,} other imports: one budget for all."
        )
    if info.scrubbed:
        click.echo(f"{info.scrubbed:,} rows with the query '-' were left out (--keep-dash keeps them).")
    rejected = sum(info.rejected.values())
    if rejected:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in info.rejected.items())
        click.echo(
            f"{rejected:,} rows could not be read and are in {out.rstrip('/')}.rejects.tsv ({reasons})."
        )
