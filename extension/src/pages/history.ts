/** The history: look, search, filter, export, delete. */

import type { Engine } from "../engines/engine.ts";
import { knownEngines, nameOf } from "../engines/known.ts";
import { JOURNAL } from "../content/record.ts";
import { localDay } from "../log/days.ts";
import { KINDS, type Kind } from "../log/events.ts";
import { exported, type Format, FORMATS } from "../log/export.ts";
import { loggingNow } from "../log/state.ts";
import { countEvents, deleteEvent, deleteEvents, everything, type Filter, findEvents, lastNumber, type Stored } from "../store/events.ts";
import { readableWaits } from "../store/crowd.ts";
import { keepError } from "../store/errors.ts";
import { ask } from "./background.ts";
import { button, clock, confirmed, day, download, fill, frame, goOnIn, h, outside, section } from "./dom.ts";
import { message } from "./messages.ts";

const SHOWN = 200; // at once; older ones on a button
const WITHOUT_TABS: readonly Kind[] = ["search", "result-click", "link-click", "load"];

const words = h("input", { type: "search", id: "words" });
const kind = h("select", { id: "kind" }, h("option", { value: "" }, message("everything")), h("option", { value: WITHOUT_TABS.join() }, message("kinds_without_tabs")), ...KINDS.map((one) => h("option", { value: one }, nameOfKind(one))));
const from = h("input", { type: "date", id: "from" });
const until = h("input", { type: "date", id: "until" });
const list = h("div", { id: "list" });
const number = h("p", { id: "number", class: "soft", role: "status" });
let engines: readonly Engine[] = [];

function nameOfKind(one: Kind): string {
  return message(`kind_${one.replace("-", "_")}`);
}

function filter(): Filter {
  const first = localDay(from.value);
  const last = localDay(until.value);
  return {
    words: words.value,
    ...(kind.value === "" ? {} : { kinds: kind.value.split(",") as Kind[] }),
    ...(first ? { from: first.start } : {}),
    ...(last ? { until: last.end } : {}),
  };
}

function isUnfiltered(): boolean {
  return [words, kind, from, until].every(({ value }) => value === "");
}

let shows = 0;

async function show(): Promise<void> {
  const turn = ++shows;
  const started = performance.now();
  const asked = { ...filter(), upTo: await lastNumber() };
  const found = await findEvents(asked, SHOWN + 1);
  const summary = await told(found.length);
  if (turn !== shows) return; // she has typed on
  const days = h("div", {});
  list.replaceChildren(days);
  const drawing = fill(days, found.slice(0, SHOWN), inItsDay(days));
  number.replaceChildren(...summary);
  list.dataset["milliseconds"] = (performance.now() - started).toFixed(1);
  await drawing;
  if (turn === shows && found.length > SHOWN) list.append(older(turn, days, asked, found.slice(0, SHOWN)));
}

async function told(found: number): Promise<(string | Node)[]> {
  if (found > SHOWN) return [message("history_newest", SHOWN)];
  if (found > 0) return [message("history_found", found)];
  if (!isUnfiltered()) return [message("history_found_none")];
  const begun = (await loggingNow()).state !== "icon_new"; // who has not is led to where it begins
  return [message("history_none"), ...(begun ? [] : [" ", h("a", { href: "welcome.html" }, message("read_first"))])];
}

/** The way to what is older than all that is shown; what was logged since it was asked for stands above it, when she looks anew. */
function older(turn: number, days: HTMLElement, asked: Filter, before: readonly Stored[]): HTMLElement {
  const more = button(message("history_older"), async () => {
    const known = new Set(before.map(({ n }) => n));
    const found = (await findEvents(asked, before.length + SHOWN + 1)).filter(({ n }) => !known.has(n));
    if (turn !== shows) return;
    const next = found.slice(0, SHOWN);
    await fill(days, next, inItsDay(days));
    number.textContent = message("history_newest", before.length + next.length);
    more.remove();
    goOnIn(list.querySelector(`li[data-n="${next[0]?.n ?? ""}"]`));
    if (turn === shows && found.length > SHOWN) list.append(older(turn, days, asked, [...before, ...next]));
  });
  return more;
}

/** Puts events, newest first, under a heading for each day. */
function inItsDay(days: HTMLElement): (event: Stored) => void {
  let current = days.querySelector(":scope > h3:last-of-type")?.textContent ?? "";
  let lines = days.querySelector<HTMLElement>(":scope > ul:last-of-type") ?? h("ul", { class: "plain" });
  return (event) => {
    const date = day(event.time);
    if (date !== current) {
      lines = h("ul", { class: "plain" });
      days.append(h("h3", {}, date), lines);
      current = date;
    }
    lines.append(line(event));
  };
}

function line(event: Stored): HTMLElement {
  const kindOf = nameOfKind(event.kind);
  const click = event.kind.endsWith("click");
  const place = click ? event.target : event.url;
  const words = click ? event.anchor || event.target : (event.query ?? event.title) || event.url;
  const text = words ?? (event.kind === "logging" ? `${kindOf}: ${message(event.on ? "on" : "off")}` : kindOf);
  const engine = event.engine === undefined ? undefined : nameOf(event.engine, engines);
  const also = words === undefined ? [] : [kindOf, click ? event.query : undefined, engine, event.kind === "search" || text === place ? undefined : place];
  const remove = button(message("delete"), () => removeOne(event.n), "small");
  remove.setAttribute("aria-label", message("delete_this", text));
  const small = also.filter((part) => part !== undefined).join(" · ");
  return h("li", { "data-n": event.n, class: words === undefined ? "soft" : undefined }, h("time", {}, clock(event.time)), h("span", { class: "grow" }, outside(place, text), ...(small === "" ? [] : [h("br"), h("small", {}, small)]), ...resultsOf(event)), remove);
}

/** What the engine showed, made when she opens it: there are ten with most searches. */
function resultsOf({ results = [], query = "" }: Stored): HTMLElement[] {
  if (results.length === 0) return [];
  const list = h("ol", { start: results[0]?.rank ?? 1 });
  const draw = (): void => list.replaceChildren(...results.map(({ title, url }) => h("li", {}, outside(url, title || url), h("br"), h("small", {}, url))));
  const name = message("results_shown", results.length);
  return [h("details", { ontoggle: draw }, h("summary", { "aria-label": `${name}: ${query}` }, h("small", {}, name)), list)];
}

/** Only what went is taken from the page: she stays where she is, at the line after it. */
async function removeOne(n: number): Promise<void> {
  await settled();
  const gone = await deleteEvent(n);
  await ask({ do: "badge" });
  const lines = [...list.querySelectorAll<HTMLElement>("li[data-n]")];
  const isGone = ({ dataset }: HTMLElement): boolean => gone.has(Number(dataset["n"]));
  const next = lines.slice(lines.findIndex(({ dataset }) => dataset["n"] === String(n))).find((one) => !isGone(one));
  for (const one of lines.filter(isGone)) {
    const day = one.parentElement;
    one.remove();
    if (day?.childElementCount !== 0) continue;
    day.previousElementSibling?.remove();
    day.remove();
  }
  (next?.querySelector<HTMLElement>(":scope > button") ?? words).focus({ preventScroll: true });
  number.replaceChildren(...(await deleted(gone.size)));
}

/** What still waits for the log goes into it first: a moment later it would be there again. Where there is no room for it, it is deleted too. */
async function settled(all = false): Promise<void> {
  await ask({ do: "drain" }).catch(async (error: unknown) => {
    await keepError("history", error);
    if (!all) return;
    const names = Object.keys(await chrome.storage.local.get(null)).filter((name) => name.startsWith(JOURNAL));
    await chrome.storage.local.remove(names);
  });
}

/** How much went, and what did not: reports are of a collection once they are made. */
async function deleted(size: number): Promise<(string | Node)[]> {
  const waits = (await readableWaits()) ? [h("br"), message("history_reports_wait"), " ", h("a", { href: "collections.html" }, message("page_collections"))] : [];
  return [message("history_deleted", size), ...waits];
}

async function removeAll(what: Filter, question: string): Promise<void> {
  if (!(await confirmed(question, message("delete")))) return;
  clearTimeout(waiting); // the list is drawn anew here, and what was deleted is told last
  await settled(Object.keys(what).length === 0);
  const size = await deleteEvents(what);
  await ask({ do: "badge" }); // questions about it are gone, too
  await show();
  number.replaceChildren(...(await deleted(size)));
}

/** Without words, a kind or dates that is the whole log, and she is told so. */
async function removeFound(): Promise<void> {
  const all = isUnfiltered();
  await removeAll(all ? {} : filter(), all ? message("delete_all_sure", await countEvents()) : message("delete_found_sure"));
}

async function save(format: Format): Promise<void> {
  download(format === "aol" ? "my-searches.tsv" : "my-searches.jsonl", exported(await everything(), format));
}

let waiting: ReturnType<typeof setTimeout> | undefined;
words.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => void show(), 80);
});
for (const field of [kind, from, until]) field.addEventListener("change", () => void show());

frame("history",
  section(message("history_look"),
    h("div", { class: "fields" }, h("label", {}, message("words"), words), h("label", {}, message("what"), kind), h("label", {}, message("from"), from), h("label", {}, message("until"), until)),
    h("p", { class: "actions" }, button(message("delete_found"), removeFound, "danger"), button(message("delete_all"), async () => removeAll({}, message("delete_all_sure", await countEvents())), "danger"))),
  section(message("export"), h("p", {}, message("export_what")), h("p", { class: "actions" }, ...FORMATS.map((format) => button(message(`export_${format}`), () => save(format))))),
  number,
  list,
);
void knownEngines().then((known) => {
  engines = known;
  return show();
});
