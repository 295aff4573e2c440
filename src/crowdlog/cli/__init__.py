"""The command line: one command per file, loaded when it is called."""

from __future__ import annotations

import difflib
import errno
import importlib
import json
import os
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import NoReturn

import click

from crowdlog import __version__, compiling
from crowdlog.cli.signals import Terminated, open_standard_streams, silence_stdout, stop_like_ctrl_c
from crowdlog.errors import CrowdlogError, InputError, Stopped, noted
from crowdlog.extras import advice

# name: (module of this package, what it does). The module has a click command called `command`.
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo", "Synthetic log, private release, a page to look at."),
    "synth": ("synth", "Write a synthetic search log."),
    "import": ("import_", "Read a search log into a store."),
    "show": ("show", "Show the figures of a store; never a query."),
    "check": ("check", "Has a store or its ledger been damaged?"),
    "formats": ("formats", "The formats of logs that can be read."),
    "mechanisms": ("mechanisms", "The mechanisms and their parameters."),
    "guide": ("guide", "Which mechanism, ε, δ and budget to choose; spends nothing."),
    "plan": ("plan", "What a mechanism would promise; spends nothing."),
    "budget": ("budget", "What has been spent on a log, and its limit."),
    "run": ("run", "Import, release, verify, export and publish, as a file says."),
    "release": ("release", "Protect a log and publish it."),
    "resume": ("resume", "Finish releases a crash left charged but unpublished."),
    "label": ("label", "The label of a release."),
    "explain": ("explain", "A release in plain English."),
    "page": ("page", "The page of a release, under a title and a logo of one's own."),
    "export": ("export", "A release as TSV, Parquet or GraphML."),
    "site": ("site", "A static web site of releases, for everybody."),
    "serve": ("serve", "The owner's dashboard, in a browser."),
    "synthesize": ("synthesize", "Sample a synthetic log from a release's tables."),
    "verify": ("verify", "Is a release as it was written, charged, and true of its log?"),
    "split": ("split", "Split a store into a part to release and a part to test on."),
    "score": ("score", "Measure what a release is good for."),
    "attack": ("attack", "What a release gives away, against chance."),
    "compare": ("compare", "Try many mechanisms on a log: what each is good for and gives away."),
    "semantic": ("semantic", "Draw what semantic k-anonymity would release of a log."),
    "tasks": ("tasks", "Which searches of a person serve one purpose."),
    "recommend": ("recommend", "What to ask next, from a release and one's own context."),
    "frustration": ("frustration", "Which searches went badly."),
    "applications": ("applications", "What privacy costs these applications, and how many people they need."),
    "audit": ("audit", "Test a mechanism's promise on made-up neighbouring logs."),
    "reproduce": ("reproduce", "The papers' numbers and figures, done again."),
    "forward": ("forward", "Queries that travel: hide in a social network."),
    "crowd": ("crowd", "Collect what many volunteers have in common, and nothing else."),
    "study": ("study", "Files of studies for the browser extension."),
}


class LazyGroup(click.Group):
    """Lists all commands without importing any: `crowdlog --help` takes a tenth of a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            close = difflib.get_close_matches(name, COMMANDS, n=1)
            if close:
                raise click.UsageError(f"No such command '{name}'. Did you mean '{close[0]}'?")
            return None
        command = importlib.import_module(f"crowdlog.cli.{COMMANDS[name][0]}").command
        if not isinstance(command, click.Command):
            raise TypeError(f"crowdlog.cli.{COMMANDS[name][0]}.command is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_module, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="crowdlog")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors and what --json asks for.")
@click.option(
    "--log-format",
    type=click.Choice(["none", "json"]),
    default="none",
    help="json: a line on stderr for each stage of the work, with its seconds; never text of a log.",
)
def cli(quiet: bool, log_format: str) -> None:
    """Publish what the crowd searched for, never what a person did.

    Exit codes: 0 done, 1 your input, 2 refused for privacy, 3 our fault; 130, 143, 129 stopped. With --json
    an error is one JSON object on stderr.

    \b
    Example: crowdlog demo
    """
    from crowdlog import progress

    if log_format == "json":  # kept for the commands that `crowdlog run` calls
        progress.STAGES, progress.MOVED = log_stage, log_progress
    progress.SILENT = progress.SILENT or quiet or log_format == "json"
    if quiet and "--json" not in sys.argv:
        silence_stdout()


def log_stage(stage: str, seconds: float | None) -> None:
    """One line of the structured log: a stage of the work that began, or ended after so many seconds."""
    if seconds is None:
        _log("begin", stage)
    else:
        _log("end", stage, seconds=round(seconds, 3))


def log_progress(stage: str, done: int, total: int | None) -> None:
    """One line of the structured log: how far a stage is, about once a second."""
    _log("progress", stage, done=done, total=total)


def _log(event: str, stage: str, **figures: float | None) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    click.echo(json.dumps({"time": now, "event": event, "stage": stage, **figures}), err=True)


_KINDS = {1: "input", 2: "privacy", 3: "fault"}


def _fail(message: str, code: int) -> NoReturn:
    told = f"crowdlog: {message}"
    if "--json" in sys.argv[1:]:
        error = {"code": code, "kind": _KINDS.get(code, "stopped"), "message": message}
        told = json.dumps({"json_version": 1, "error": error}, ensure_ascii=False)
    with suppress(OSError):  # nobody listens: the exit code says it
        click.echo(told, err=True)
    sys.exit(code)


def main() -> None:
    """Run a command.

    Exit codes: 0 ok, 1 your input, 2 refused for privacy, 3 our fault, 130 stopped by Ctrl-C, 143 and 129 by
    SIGTERM and SIGHUP.
    """
    open_standard_streams()
    stop_like_ctrl_c()
    compiling.OWN_PROCESS = True
    try:
        cli(standalone_mode=False)
        _flush()
    except BaseException as error:
        if os.environ.get("CROWDLOG_DEBUG") == "1" and not isinstance(error, SystemExit):
            traceback.print_exc()
        _end(error)


def _flush() -> None:
    """What was printed must have arrived, or the exit code says so."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise InputError(f"all is done; only what was printed did not arrive: {error.strerror}.") from None


def _end(error: BaseException) -> NoReturn:
    match error:
        case SystemExit():
            raise error
        case CrowdlogError():
            _fail(str(error), error.exit_code)
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message())
            sys.exit(1)
        case click.ClickException():
            _fail(error.format_message(), 1)
        case click.Abort() | KeyboardInterrupt():
            _stopped(error)
        case BrokenPipeError():
            silence_stdout()
            sys.exit(0)
        case ModuleNotFoundError() if missing := advice(error.name):
            _fail(f"{missing} {noted(error)}".strip(), InputError.exit_code)
        case _:
            _unforeseen(error)


def _stopped(error: BaseException) -> NoReturn:
    """By Ctrl-C or a signal: what was charged before is told."""
    cause = error if isinstance(error, KeyboardInterrupt) else error.__cause__ or error.__context__ or error
    code = cause.exit_code if isinstance(cause, Terminated) else Stopped.exit_code
    done = noted(cause) or noted(error)
    _fail(f"stopped; {done}" if done else "stopped.", code)


def _while_printing(error: BaseException) -> bool:
    """Whether the error is that something could not be printed."""
    frames = [frame for frame, _line in traceback.walk_tb(error.__traceback__)]
    return bool(frames) and frames[-1].f_code is click.echo.__code__


_OF_THE_SYSTEM = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR),  # names that were given
}


def _unforeseen(error: BaseException) -> NoReturn:
    """The message of an unknown error could quote a query: only its type is shown.

    Whoever charged or published something before it said so in a note.
    """
    done = noted(error)
    from crowdlog.log.damage import damage_of_opened

    found = damage_of_opened()
    if found is not None:
        _fail(f"{found} {done}".strip(), InputError.exit_code)
    if isinstance(error, OSError) and _while_printing(error):
        silence_stdout()
        unheard = f"what it printed did not arrive ({error.strerror})."
        advice = "What it was to do may be done: look before you run it again."
        _fail(" ".join(part for part in (unheard, done, advice) if part), InputError.exit_code)
    if isinstance(error, OSError) and error.errno in _OF_THE_SYSTEM:
        _fail(f"the system refused: {error.strerror}. {done}".strip(), InputError.exit_code)
    advice = "Run with CROWDLOG_DEBUG=1 to see it; that may print text of the log."
    _fail(" ".join(part for part in (f"an error of ours ({type(error).__name__}).", done, advice) if part), 3)
