"""Published releases: tables with error bars, search, downloads; and the public site made of them."""

from __future__ import annotations

from starlette.responses import FileResponse, Response

from crowdlog.errors import InputError
from crowdlog.release.folder import Release
from crowdlog.release.meaning import meaning_for_one_person
from crowdlog.release.page import charts_of
from crowdlog.web.context import Context, go, page
from crowdlog.web.registry_entry import Curator
from crowdlog.web.site import SiteTexts, make_site
from crowdlog.web.workspace import named

_FOUND = 100


def _open(context: Context) -> Release:
    name = named(context.part("name"))
    if name not in context.workspace.releases():
        raise InputError("There is no release of this name.")
    return Release.open(context.workspace.folder / "releases" / name)


async def release(context: Context) -> Response:
    found = _open(context)
    words = context.asked("words", "").strip().lower()
    tables = {name: table for name in found.tables if (table := found.table(name)) is not None}
    rows = []
    if words and "queries" in tables:
        told = tables["queries"].to_pydict()
        hits = zip(told["query"], told["count"], strict=True)
        rows = [(query, count) for query, count in hits if words in query][:_FOUND]
    return page(
        "web_release.html",
        context,
        name=found.path.name,
        label=found.label,
        meaning=meaning_for_one_person(found.label.promise.guarantee),
        charts=charts_of(found.label, tables),
        words=words,
        rows=rows,
        files=sorted(path.name for path in found.path.iterdir() if path.is_file()),
    )


async def file(context: Context) -> Response:
    found = _open(context)
    name = named(context.part("file"))
    files = {path.name: path for path in found.path.iterdir() if path.is_file()}
    if name not in files:
        raise InputError("The release has no such file.")
    return FileResponse(files[name], filename=name)


async def publish_site(context: Context) -> Response:
    """The public half as a folder: to be copied to a server that knows nothing of this one."""
    texts = SiteTexts(
        context.text("title", 200) or "What was searched for",
        context.text("institution", 200) or "the owner of the log",
        context.text("contact", 200),
        kind=context.text("kind", 40) or Curator.kind,
        region=context.text("region", 200) or Curator.region,
    )
    make_site([context.workspace.folder / "releases"], context.workspace.folder / "public", texts)
    context.workspace.note(context.who, "made the public site")
    return go("/")
