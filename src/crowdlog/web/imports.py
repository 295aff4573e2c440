"""Imports: files that are sent or lie in the inbox. One that fails is asked about, and tried again with the
same files; nothing has to be sent twice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.responses import Response

from crowdlog.errors import InputError
from crowdlog.files.whole import remove_leftovers
from crowdlog.log.columns import ROLES
from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats.column_names import column_names
from crowdlog.log.formats.roles import guess_roles
from crowdlog.web.context import Context, go, page
from crowdlog.web.work import remove, start
from crowdlog.web.workspace import WebJob, Workspace, named

# What a form says beside the columns: its field, which is the command's option.
FIELDS = ("format", "time-format", "encoding")
OWN_LEDGER = "-own-"  # no log can be called so
TIME_FORMATS = (
    *("%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %I:%M %p"),
    *("s", "ms", "us", "ns"),
)
ENCODINGS = ("utf-8", "utf-16", "latin-1", "cp1252", "gb18030")
SENT = "sent-"


@dataclass(frozen=True)
class TriedImport:
    """What an import was told: its files in the inbox, and the fields of the form. Kept with the job."""

    files: tuple[str, ...]
    said: Mapping[str, str]

    @classmethod
    def of(cls, job: WebJob) -> TriedImport | None:
        """What this job was told; None for other work."""
        if job.kind != "import" or not job.request:
            return None
        told = json.loads(job.request)
        return cls(tuple(told["files"]), told["said"])

    def as_text(self) -> str:
        return json.dumps({"files": self.files, "said": dict(self.said)})

    def there(self, workspace: Workspace) -> list[Path]:
        """The files that are still there."""
        places = [workspace.folder / "inbox" / named(name) for name in self.files]
        return [place for place in places if place.exists()]


async def import_form(context: Context, told: str = "") -> Response:
    inbox = context.workspace.folder / "inbox"
    hidden = (".", SENT)
    waiting = sorted(place.name for place in inbox.iterdir() if not place.name.startswith(hidden))
    status = 400 if told else 200
    return page(
        "web_import.html",
        context,
        status=status,
        told=told,
        waiting=waiting,
        **choices(context.workspace, _said(context)),
    )


def choices(workspace: Workspace, said: Mapping[str, str], files: list[Path] | None = None) -> dict[str, Any]:
    """What the form offers, and what was said before. Names of columns, never a value."""
    names = column_names(files[0], said.get("encoding") or None) if files else []
    return {
        "said": said,
        "guessed": guess_roles(names),
        "columns": names,
        "roles": ROLES,
        "formats": list(FORMATS),
        "time_formats": TIME_FORMATS,
        "encodings": ENCODINGS,
        "logs": workspace.logs(),
        "own_ledger": OWN_LEDGER,
    }


def _said(context: Context) -> dict[str, str]:
    fields = ("name", *ROLES, *FIELDS, "ledger", "users-are-fine")
    return {field: text for field in fields if (text := context.text(field, 300))}


async def import_log(context: Context) -> Response:
    """Start it. What was sent is removed once it is imported, and kept for another try if it cannot be."""
    said = _said(context)
    files = await _files(context)
    if not files:
        return await import_form(context, "Choose a file to send, or one of the inbox.")
    tried = TriedImport(tuple(path.name for path in files), said)
    try:
        words = _words(context.workspace, tried, files, asked=bool(context.text("again", 40)))
        environment = _environment(context.workspace, said)
    except InputError as error:
        number = context.workspace.begin_job(
            "import", said.get("name", "-")[:60], context.who, tried.as_text()
        )
        context.workspace.end_job(number, "failed", error)
        return go(f"/jobs/{number}")
    context.workspace.note(context.who, f"imports the log {said['name']}")

    def clean(imported: bool) -> None:
        if imported:  # a log of this name may also be another's, begun at the same time
            _remove(files)

    number = start(
        context.workspace,
        "import",
        said["name"],
        context.who,
        words,
        environment=environment,
        request=tried.as_text(),
        then=clean,
    )
    return go(f"/jobs/{number}")


def _words(workspace: Workspace, tried: TriedImport, files: list[Path], *, asked: bool) -> list[str]:
    """The command, or InputError for what the form cannot mean. Columns are taken as their names tell only
    from who was `asked` and saw what they are taken for.
    """
    said = tried.said
    name = named(said.get("name", ""))
    store = workspace.folder / "stores" / name
    if store.exists():
        raise InputError("There is a log of this name already. Choose another.")
    words = ["import", *map(str, files), "-o", str(store)]
    if asked:
        words.append("--yes")
    for field in FIELDS:
        if field in said:
            words += [f"--{field}", said[field]]
    columns = _columns(said, files)
    if columns:
        words += ["--columns", ",".join(f"{role}={column}" for role, column in columns.items())]
    if "users-are-fine" in said:
        words.append("--users-are-fine")
    if said.get("ledger") == OWN_LEDGER:
        words += ["--ledger", "own"]
    return words


def _environment(workspace: Workspace, said: Mapping[str, str]) -> dict[str, str]:
    """No words: a ledger's address may hold a password, and all users of a machine see command lines."""
    shared = said.get("ledger", OWN_LEDGER)
    return {} if shared == OWN_LEDGER else {"CROWDLOG_LEDGER": str(workspace.store(shared).ledger())}


def _columns(said: Mapping[str, str], files: list[Path]) -> dict[str, str]:
    """The columns that were said, and for the other roles those that their names tell. None where none was
    said: then the import looks by itself, and knows more than names.
    """
    columns = {role: said[role] for role in ROLES if role in said}
    if not columns:
        return {}
    for role, name in guess_roles(column_names(files[0], said.get("encoding"))).items():
        if role not in columns and name not in columns.values():
            columns[role] = name
    if not {"user", "query"} <= columns.keys():
        raise InputError("Say which column is the user and which the query, or leave all columns empty.")
    return {role: columns[role] for role in ROLES if role in columns}


async def _files(context: Context) -> list[Path]:
    """Those of an earlier try, those that are sent now, and those picked from the inbox."""
    inbox = context.workspace.folder / "inbox"
    again = [job for job in context.workspace.jobs() if job.id == context.text("again", 40)]
    tried = TriedImport.of(again[0]) if again and again[0].state != "running" else None
    found = tried.there(context.workspace) if tried else []
    sent = [file for file in context.form.getlist("files") if isinstance(file, UploadFile) and file.filename]
    found += [await _keep(file, inbox, context) for file in sent]
    picked = [inbox / named(str(each)) for each in context.form.getlist("waiting") if isinstance(each, str)]
    return list(dict.fromkeys([*found, *picked]))


async def _keep(file: UploadFile, inbox: Path, context: Context) -> Path:
    """Under a name of ours; the ending helps nobody but a reader of messages."""
    ending = "".join(Path(file.filename or "").suffixes[-2:])
    safe = ending if ending.replace(".", "").isalnum() and len(ending) < 20 else ""
    target = inbox / f"{SENT}{context.workspace.new_id()}{safe}"
    try:
        with target.open("xb") as out:
            target.chmod(0o600)
            shutil.copyfileobj(file.file, out)
    except BaseException:  # the disk is full: half a log is nobody's
        remove(target)
        raise
    return target


def sweep_sent(workspace: Workspace) -> None:
    """Called when the server starts: what was being sent or imported when it was killed belongs to nothing,
    and nobody would ever see it or remove it.
    """
    remove_leftovers(workspace.folder / "stores")
    known = {name for job in workspace.jobs() if (tried := TriedImport.of(job)) for name in tried.files}
    for place in (workspace.folder / "inbox").glob(f"{SENT}*"):
        if place.name not in known:
            remove(place)


async def discard(context: Context) -> Response:
    """Remove what was sent for an import that failed."""
    found = [job for job in context.workspace.jobs() if job.id == context.part("job")]
    tried = TriedImport.of(found[0]) if found and found[0].state != "running" else None
    if tried is None:
        raise InputError("There is no such import that failed.")
    _remove(tried.there(context.workspace))
    context.workspace.note(context.who, "deleted the files that were sent for an import")
    return go("/import")


def _remove(files: list[Path]) -> None:
    """Only what was sent: the inbox's own files are its owner's."""
    for place in files:
        if place.name.startswith(SENT):
            remove(place)
