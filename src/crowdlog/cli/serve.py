"""crowdlog serve: the owner's dashboard."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from crowdlog.cli.texts import texts_of
from crowdlog.errors import InputError


@click.command("serve")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; this machine alone.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8321, show_default=True, help="0 takes a free one."
)
@click.option("--database", metavar="URL", help="postgresql://…; SQLite in FOLDER if not said.")
@click.option("--certfile", type=click.Path(path_type=Path), help="Certificate, for https.")
@click.option("--keyfile", type=click.Path(path_type=Path), help="Its key.")
@click.option(
    "--add",
    nargs=2,
    metavar="NAME ROLE",
    help="Add somebody (owner, approver, engineer, reader), ask for a password, and end.",
)
@click.option("--password-file", type=click.Path(path_type=Path), help="With --add: read the password there.")
def command(
    folder: Path,
    host: str,
    port: int,
    database: str | None,
    certfile: Path | None,
    keyfile: Path | None,
    add: tuple[str, str] | None,
    password_file: Path | None,
) -> None:
    """Run the dashboard on FOLDER: logs, budgets, import, new releases with approval, schedule, public site.

    Add an owner first; she adds the others. Passwords are never on the command line.

    \b
    Example: crowdlog serve DESK --add Ada owner
    Example: crowdlog serve DESK
    """
    from crowdlog.extras import need

    need("serve")
    from crowdlog.crowd.services.serve import Listen, serve
    from crowdlog.files.private import no_core_dumps
    from crowdlog.web.app import make_app
    from crowdlog.web.workspace import Workspace

    no_core_dumps()
    try:
        workspace = Workspace(folder, database)
    except OSError as error:
        raise InputError(f"{folder} cannot be the dashboard's folder: {error.strerror}.") from None
    click.get_current_context().call_on_close(workspace.close)
    if add is not None:
        if password_file is not None:
            password = _password(password_file)
        else:
            password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        workspace.accounts.add(*add, password)
        workspace.note("the command line", f"set the role of {add[0]} to {add[1]}")
        click.echo(f"{add[0]} is {add[1]} of {folder}.")
        return
    if not workspace.accounts.people():
        raise InputError(
            f"Nobody may log in yet. Add the owner first: crowdlog serve {folder} --add NAME owner"
        )
    if host not in ("127.0.0.1", "::1", "localhost") and certfile is None:
        click.echo(
            "Others can reach this server, and nothing is encrypted: use --certfile or a proxy.", err=True
        )
    tempfile.tempdir = str(folder / "inbox")  # where large uploads are written: nobody else can read it
    listen = Listen(host, port, certfile=certfile, keyfile=keyfile)
    serve(
        lambda: make_app(workspace, secure=certfile is not None), listen, lambda at: click.echo(f"Open {at}")
    )


def _password(file: Path) -> str:
    lines = texts_of((), file)
    if len(lines) != 1:
        raise InputError(f"{file} must hold the password, and nothing else, on one line.")
    return lines[0]
