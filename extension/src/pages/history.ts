/** The history: look, search, filter, export, delete. */

import { localDay } from "../log/days.ts";
import { KINDS, type Kind } from "../log/events.ts";
import { exported, type Format, FORMATS } from "../log/export.ts";
import { countEvents, deleteEvent, deleteEvents, everything, type Filter, findEvents, type Stored } from "../store/events.ts";
import { ask } from "./background.ts";
import { button, clock, confirmed, day, download, fill, frame, h, section } from "./dom.ts";
import { message } from "./messages.ts";

const SHOWN = 200;

const main = frame("history");
const words = h("input", { type: "search", id: "words" });
const kind = h("select", { id: "kind" }, h("option", { value: "" }, message("everything")), ...KINDS.map((one) => h("option", { value: one }, message(`kind_${one.replace("-", "_")}`))));
const from = h("input", { type: "date", id: "from" });
const until = h("input", { type: "date", id: "until" });
const list = h("div", { id: "list", "aria-live": "polite" });
const number = h("p", { id: "number", class: "soft", role: "status" });

function filter(): Filter {
  const first = localDay(from.value);
  const last = localDay(until.value);
  return {
    words: words.value,
    ...(kind.value === "" ? {} : { kinds: [kind.value as Kind] }),
    ...(first ? { from: first.start } : {}),
    ...(last ? { until: last.end } : {}),
  };
}

let shows = 0;

async function show(): Promise<void> {
  const turn = ++shows;
  const started = performance.now();
  const found = await findEvents(filter(), SHOWN + 1);
  if (turn !== shows) return; // she has typed on
  const days = h("div", {});
  list.replaceChildren(days);
  const drawing = fill(days, found.slice(0, SHOWN), inItsDay(days));
  const empty = found.length === 0 && [words, kind, from, until].every(({ value }) => value === "");
  number.textContent = empty ? message("history_none") : found.length > SHOWN ? message("history_newest", SHOWN) : message("history_found", found.length);
  list.dataset["milliseconds"] = (performance.now() - started).toFixed(1);
  await drawing;
}

/** Puts events, newest first, under a heading for each day. */
function inItsDay(days: HTMLElement): (event: Stored) => void {
  let current = "";
  let lines = h("ul", { class: "plain" });
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
  const kind = message(`kind_${event.kind.replace("-", "_")}`);
  const words = event.query ?? event.title ?? event.target ?? event.url;
  const text = words ?? (event.kind === "logging" ? `${kind}: ${message(event.on ? "on" : "off")}` : kind);
  const place = [words === undefined ? undefined : kind, event.engine, event.kind.endsWith("click") ? event.target : undefined, words === undefined && event.tab !== undefined ? message("tab_number", event.tab) : undefined];
  const remove = button(message("delete"), async () => { await deleteEvent(event.n); await ask({ do: "badge" }); await show(); }, "small");
  remove.setAttribute("aria-label", message("delete_this", text));
  return h("li", {}, h("time", {}, clock(event.time)), h("span", { class: "grow" }, text, h("br"), h("small", {}, place.filter((part) => part !== undefined).join(" · ")), ...resultsOf(event)), remove);
}

/** What the engine showed, made when she opens it: there are ten with most searches. */
function resultsOf({ results = [], query = "" }: Stored): HTMLElement[] {
  if (results.length === 0) return [];
  const list = h("ol", { start: results[0]?.rank ?? 1 });
  const draw = (): void => list.replaceChildren(...results.map(({ title, url }) => h("li", {}, title, h("br"), h("small", {}, url))));
  const name = message("results_shown", results.length);
  return [h("details", { ontoggle: draw }, h("summary", { "aria-label": `${name}: ${query}` }, h("small", {}, name)), list)];
}

async function removeAll(what: Filter, question: string): Promise<void> {
  if (!(await confirmed(question, message("delete")))) return;
  const deleted = await deleteEvents(what);
  await ask({ do: "badge" }); // questions about it are gone, too
  await show();
  number.textContent = message("history_deleted", deleted);
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

main.append(
  section(message("history_look"),
    h("div", { class: "fields" }, h("label", {}, message("words"), words), h("label", {}, message("what"), kind), h("label", {}, message("from"), from), h("label", {}, message("until"), until)),
    h("p", { class: "actions" }, button(message("delete_found"), () => removeAll(filter(), message("delete_found_sure")), "danger"), button(message("delete_all"), async () => removeAll({}, message("delete_all_sure", await countEvents())), "danger"))),
  section(message("export"), h("p", {}, message("export_what")), h("p", { class: "actions" }, ...FORMATS.map((format) => button(message(`export_${format}`), () => save(format))))),
  number,
  list,
);
void show();
