"""crowdlog import: read a search log into a store."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from crowdlog import compiling
from crowdlog.cli.output import note, show_json
from crowdlog.errors import InputError
from crowdlog.log.format_names import FORMATS
from crowdlog.number_format import amount

if TYPE_CHECKING:
    from crowdlog.log.formats.roles import Guess
    from crowdlog.log.store import LogStore, StoreInfo


def _columns(_ctx: click.Context, _param: click.Parameter, value: str | None) -> dict[str, str] | None:
    if value is None:
        return None
    pairs = [part.partition("=") for part in value.split(",")]
    if not all(role and name for role, _equals, name in pairs):
        raise InputError(
            "--columns is written user=…,query=…,time=…,rank=…,url=… (the last three may be left out)."
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
    help="user=…,query=…,time=…,rank=…,url=…: column names, paths in nested records (a.b), or numbers from 1 "
    "if there is no header.",
)
@click.option("--yes", is_flag=True, help="Take the columns as guessed by their names, without asking.")
@click.option(
    "--encoding", metavar="NAME", help="Of the text, for example utf-16 or latin-1; recognised if not said."
)
@click.option(
    "--time-format",
    metavar="FORMAT",
    help="How times are written, for example '%d.%m.%Y %H:%M'; or s, ms, us, ns since 1970.",
)
@click.option(
    "--query-parameter", metavar="NAME", help="What holds the query in addresses of an access log: q."
)
@click.option(
    "--date",
    metavar="YYYY-MM-DD",
    help="The day of a log that tells the time of day only (sogou, trec-session).",
)
@click.option("--quoted-lines", is_flag=True, help="Quoted texts of a CSV file may have several lines.")
@click.option("--strict", is_flag=True, help="Stop at the first row that cannot be read.")
@click.option("--memory", metavar="SIZE", help="Hold at most about this much, for example 2GB.")
@click.option("--threads", type=click.IntRange(1, 256), metavar="N", help="As many as cores if not said.")
@click.option(
    "--engine",
    metavar="spark[:MASTER]",
    help="Import on Spark, into a store of folders: spark:local[2], spark:spark://HOST:7077.",
)
@click.option(
    "--tables",
    metavar="ADDRESS",
    help="With --engine spark: where the tables are put, for example s3a://BUCKET/FOLDER or hdfs://…; the "
    "store's folder then holds what is small.",
)
@click.option(
    "--merge-next-page", is_flag=True, help="The same query again without a click is no new impression."
)
@click.option("--keep-dash", is_flag=True, help="Keep AOL's scrubbed queries '-'.")
@click.option(
    "--ledger",
    metavar="FILE|URL",
    envvar="CROWDLOG_LEDGER",  # an address may hold a password, and others see command lines
    show_envvar=True,
    help="The ledger of these people: a file or postgresql://…, shared by all stores of them. "
    "'own': the store's own.",
)
@click.option(
    "--new-ledger",
    is_flag=True,
    help="Begin the ledger that --ledger names: nothing was ever released of these people.",
)
@click.option(
    "--append",
    metavar="OLD",
    help="Put the rows of this store before the new ones; its ledger goes on. OLD is not changed.",
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
    yes: bool,
    memory: str | None,
    threads: int | None,
    engine: str | None,
    tables: str | None,
    ledger: str | None,
    new_ledger: bool,
    append: str | None,
    users_are_fine: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Read search logs into a store: files, folders, '-' for standard input, https:// and s3:// addresses.

    Columns with other names than user, query and time are guessed by name and shown; you are asked, or say
    --yes. Rows that cannot be read are counted and kept in STORE.rejects.tsv, which only you can read.

    \b
    Example: crowdlog import LOG.tsv -o STORE
    """
    if append is None and engine is None:
        compiling.skip_if_small(logs)
    from crowdlog.log.questions import Questions
    from crowdlog.log.store import LogStore

    told: list[str] = []
    if append is not None and (ledger is not None or new_ledger):
        raise InputError("--append goes on with the ledger of the old store; leave --ledger out.")
    old = None if append is None else LogStore.open(append)
    asked = ledger is None and old is None
    questions = Questions(out, ask_ledger=asked, ask_users=not users_are_fine)
    log = _importing(engine, tables, memory, threads, old)(
        logs,
        out,
        format=format_,
        confirm=_agree if yes else _ask if sys.stdin.isatty() else None,
        tell=told.append,
        ledger=None if ledger == "own" else ledger,
        new_ledger=new_ledger,
        before=questions.ask,
        **reading,
    )
    if log.info.has_times:
        told.insert(0, _period(log.info))
    if as_json:
        show_json(_as_json(log.info, out) | {"notes": told})
    else:
        _tell(log, out)
        for sentence in told:
            click.echo(sentence)


def _agree(guess: Guess) -> bool:
    note(f"{guess.file}: read with --columns {guess.spelled()}")
    return True


def _ask(guess: Guess) -> bool:
    click.echo(f"The columns of {guess.file}, and what they are taken for:", err=True)
    for line in guess.lines():
        click.echo(line, err=True)
    return click.confirm("Read it so?", default=True, err=True)


def _importing(
    engine: str | None, tables: str | None, memory: str | None, threads: int | None, old: LogStore | None
) -> Callable[..., LogStore]:
    """What imports: this machine, or Spark."""
    from crowdlog.engine.choice import spark_master

    master = None if engine is None else spark_master(engine)
    if master is None:
        if tables is not None:
            raise InputError("--tables is for imports on Spark: add --engine spark.")
        from crowdlog.log.importer import import_log
        from crowdlog.log.reuse_memory import keep_freed_memory

        if compiling.OWN_PROCESS:
            keep_freed_memory()
        return partial(import_log, memory=memory, threads=threads, append_to=old)
    if old is not None:
        raise InputError("--append is for imports on one machine; leave out --engine spark.")
    if memory or threads:
        raise InputError(
            "--memory and --threads are for imports on one machine; Spark's own settings bound its tasks."
        )
    from crowdlog.engine.spark.load.importer import import_there

    return partial(import_there, master=master, tables=tables)


def _period(info: StoreInfo) -> str:
    """Its days: whoever reads times in a wrong unit sees it here."""
    first, last = (
        datetime.fromtimestamp(each, UTC).date().isoformat() for each in (info.first_time, info.last_time)
    )
    doubt = " Is that right? --time-format says how times are written." if last < "1980" else ""
    return f"Its searches are of {first} to {last} (UTC).{doubt}"


def _as_json(info: StoreInfo, out: str) -> dict[str, Any]:
    counts = ("rows", "users", "queries", "urls", "clicks")
    reading = ("formats", "guessed", "scrubbed", "rejected", "content_hash")
    return {"store": out} | {name: getattr(info, name) for name in counts + reading}


def _tell(log: LogStore, out: str) -> None:
    from crowdlog.release.publish import known_already

    info = log.info
    click.echo(
        f"{out}: {amount(info.rows, 'row')} of {amount(info.users, 'user')}, "
        f"{amount(info.queries, 'distinct query', 'distinct queries')}, {amount(info.clicks, 'click')}."
    )
    if info.guessed:
        click.echo(f"Read as {', '.join(info.formats)}, as its first lines look; --format says it for sure.")
    again = known_already(log)
    if again:
        others = amount(again, "other import")
        click.echo(f"Its ledger knows this very log already, from {others}: one budget for all.")
    if info.scrubbed:
        scrubbed = amount(info.scrubbed, "row with the query '-' was", "rows with the query '-' were")
        click.echo(f"{scrubbed} left out (--keep-dash keeps them).")
    rejected = sum(info.rejected.values())
    if rejected:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in info.rejected.items())
        unread = amount(rejected, "row could not be read and is", "rows could not be read and are")
        click.echo(f"{unread} in {out.rstrip('/')}.rejects.tsv ({reasons}).")
    if "undecodable text" in info.rejected:
        click.echo("Undecodable rows are no UTF-8. If the log is in another encoding, say it: --encoding.")
