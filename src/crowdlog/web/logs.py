"""The logs: what there is, with its budget; limits, looks and unfinished releases."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.responses import FileResponse, Response

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.base import Mechanism
from crowdlog.pages.script_policy import script_hashes
from crowdlog.planning.budget import BudgetReport, budget_of
from crowdlog.release.publish import open_ledger
from crowdlog.web.budget_bar import BudgetBar, budget_bar
from crowdlog.web.context import POLICY, Context, go, moment, page
from crowdlog.web.imports import SENT, TriedImport, choices
from crowdlog.web.registry_entry import CURATORS
from crowdlog.web.work import start
from crowdlog.web.workspace import WebJob, Workspace, named

_HEAD = 4000  # characters of a page until its title
_LOOK_AGAIN = 5  # seconds until a browser asks again how far running work is


@dataclass(frozen=True)
class ShownLog:
    """A log as the pages show it: counts of it are the owner's to see, and stay here."""

    name: str
    people: int
    rows: int
    clicks: int
    period: str
    rejected: int
    checks: tuple[str, ...]
    budget: BudgetReport
    bar: BudgetBar | None
    unfinished: int


@dataclass(frozen=True)
class DamagedLog:
    """A log that cannot be opened: the others are shown all the same."""

    name: str
    told: str


def shown_logs(workspace: Workspace) -> tuple[list[ShownLog], list[DamagedLog]]:
    """All logs, and those that cannot be shown with the sentence why."""
    found, damaged = [], []
    for name in workspace.logs():
        try:
            found.append(shown(name, workspace.store(name)))
        except CrowdlogError as error:
            damaged.append(DamagedLog(name, workspace.told(error)))
    return found, damaged


def shown(name: str, store: LogStore) -> ShownLog:
    """The log with its budget and what to look at."""
    info = store.info
    with open_ledger(store) as ledger:
        report = budget_of(ledger)
        bar = budget_bar(ledger)
        unfinished = len(ledger.unpublished())
    return ShownLog(
        name,
        info.users,
        info.rows,
        info.clicks,
        f"{moment(info.first_time)[:10]} to {moment(info.last_time)[:10]}" if info.has_times else "no times",
        sum(info.rejected.values()),
        _checks(store),
        report,
        bar,
        unfinished,
    )


@dataclass(frozen=True)
class Bill:
    """What a release to come costs. `after`: the budget with it; `why`: the sentence of a refusal, if any."""

    epsilon: float
    delta: float
    after: BudgetBar | None
    why: str


def bill_of(store: LogStore, mechanism: Mechanism) -> Bill:
    """As a charge would be decided; nothing is charged."""
    promise = mechanism.promise()
    with open_ledger(store) as ledger:
        why = ledger.why_not([(promise.guarantee, promise.accounting)])
        after = budget_bar(ledger, mechanism)
    name = repr(mechanism).partition("(")[0]
    return Bill(promise.guarantee.epsilon, promise.guarantee.delta, after, f"{name} {why}." if why else "")


def _checks(store: LogStore) -> tuple[str, ...]:
    """Is a user a person?"""
    info = store.info
    told = []
    if info.rows / max(info.users, 1) < 1.5:
        told.append("Most users have one row: is a user a person, or a visit?")
    if sum(info.rejected.values()) > 0.02 * info.rows:
        told.append("More than 2 % of the rows could not be read.")
    return tuple(told)


async def all_logs(context: Context) -> Response:
    found, damaged = shown_logs(context.workspace)
    jobs = context.workspace.jobs()[:8]
    return page(
        "web_logs.html",
        context,
        logs=found,
        damaged=damaged,
        jobs=jobs,
        releases=context.workspace.releases(),
        kinds=CURATORS,
        site_made=context.workspace.site_made(),
    )


async def one_log(context: Context) -> Response:
    name = context.part("log")
    log = shown(name, context.workspace.store(name))
    return page("web_log.html", context, log=log, jobs=context.workspace.jobs(name)[:10])


async def job(context: Context) -> Response:
    found = [job for job in context.workspace.jobs() if job.id == context.part("job")]
    if not found:
        raise InputError("There is no such work.")
    stage = context.workspace.stages.get(found[0].id)
    shown_page = page("web_job.html", context, job=found[0], stage=stage, **_another_try(context, found[0]))
    if found[0].state == "running":
        shown_page.headers["Refresh"] = str(_LOOK_AGAIN)
    return shown_page


def _another_try(context: Context, job: WebJob) -> dict[str, Any]:
    """For an import that failed: what can be said otherwise, with the files that are still there."""
    tried = TriedImport.of(job)
    files = tried.there(context.workspace) if tried else []
    if tried is None or job.state not in ("failed", "interrupted"):
        return {"tried": None, "files": []}
    names = [path.name for path in files]
    sent = any(name.startswith(SENT) for name in names)
    return {"tried": tried, "files": names, "sent": sent, **choices(context.workspace, tried.said, files)}


async def set_budget(context: Context) -> Response:
    name = context.part("log")
    epsilon, delta = context.number("epsilon"), context.number("delta")
    if delta >= 1:
        raise InputError("δ must be below 1.")
    with open_ledger(context.workspace.store(name)) as ledger:
        ledger.set_budget(epsilon, delta, rule="gaussian" if context.text("rule") == "gaussian" else "sum")
    context.workspace.note(context.who, f"set the budget of {name} to ε = {epsilon:g}, δ = {delta:g}")
    return go(f"/logs/{name}")


async def resume(context: Context) -> Response:
    name = context.part("log")
    store = context.workspace.store(name)
    context.workspace.note(context.who, f"resumes unfinished releases of {name}")
    number = start(context.workspace, "resume", name, context.who, ["resume", str(store.path)])
    return go(f"/jobs/{number}")


async def compare(context: Context) -> Response:
    """A look at the data that no promise covers: the command notes it in the ledger, and labels tell it."""
    from crowdlog.mechanisms import parse

    name = context.part("log")
    store = context.workspace.store(name)
    spellings = [repr(parse(line)) for line in context.text("mechanisms", 2000).splitlines() if line.strip()]
    if not spellings:
        raise InputError("Write one mechanism in each line.")
    number = context.workspace.new_id()
    out = context.workspace.folder / "comparisons" / number / "comparison.html"
    out.parent.mkdir(mode=0o700)
    context.workspace.note(context.who, f"looks at {name} by a comparison")
    words = ["compare", str(store.path), *spellings, "-o", str(out)]
    job_number = start(context.workspace, "compare", name, context.who, words, request=number)
    return go(f"/jobs/{job_number}")


async def comparison(context: Context) -> Response:
    folder = context.workspace.folder / "comparisons" / named(context.part("name"))
    pages = sorted(folder.glob("*.html"))
    if not pages:
        raise InputError("There is no such comparison.")
    hashes = " ".join(f"'{each}'" for each in script_hashes(_head(pages[0])))
    allowed = POLICY.replace("script-src 'none'", f"script-src {hashes}") if hashes else POLICY
    return FileResponse(pages[0], media_type="text/html", headers={"Content-Security-Policy": allowed})


def _head(path: Path) -> str:
    """The beginning of a page of ours, where its policy stands."""
    with path.open(encoding="utf-8") as file:
        return file.read(_HEAD)
