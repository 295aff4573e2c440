/** Plots of her own searching: per day, per hour, by engine, most frequent words; each with its numbers as a table. */

import { knownEngines, nameOf } from "../engines/known.ts";
import { perDay } from "../log/days.ts";
import { isSearch, splitWords } from "../log/events.ts";
import { groupBy } from "../log/group.ts";
import { sessionsOf } from "../log/sessions.ts";
import { eventsOf } from "../store/events.ts";
import { facts, frame, h, section, table } from "./dom.ts";
import { message } from "./messages.ts";

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 80; // of a bar
const LABEL = 52; // room for the name of a bar
const DAYS = 28;

type Bars = readonly (readonly [name: string, value: number])[];

function svg(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

/** A bar's name under it, or its value above it; the outermost ones stay inside the picture. */
function label(name: string, i: number, number: number, step: number, y: number): SVGElement {
  const [x, anchor] = i === 0 ? [0, "start"] : i === number - 1 ? [number * step, "end"] : [(i + 0.5) * step, "middle"];
  return svg("text", { x, y, "text-anchor": anchor }, name.slice(0, 14));
}

function chart(title: string, bars: Bars): HTMLElement {
  // Drawn as wide as it is shown: a picture that is made smaller has letters that nobody can read.
  const width = Math.max(240, Math.min(860, document.documentElement.clientWidth - 90));
  const [height, foot] = [150, 18];
  const most = Math.max(1, ...bars.map(([, value]) => value));
  const highest = bars.findIndex(([, value]) => value === most); // the others of this height are read off it
  const step = Math.min(WIDEST, width / Math.max(1, bars.length));
  const every = Math.ceil((bars.length * LABEL) / width);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height + foot}`, class: "chart", role: "img", "aria-label": title });
  bars.forEach(([name, value], i) => {
    const tall = (height - 14) * (value / most);
    picture.append(svg("rect", { x: i * step + 1, y: height - tall, width: Math.max(1, step - 2), height: tall, rx: 2 }));
    if (i === highest) picture.append(label(String(value), i, bars.length, step, height - tall - 3));
    if (i % every === 0) picture.append(label(name, i, bars.length, step, height + 13));
  });
  return framed(title, picture, bars);
}

const NAMES = 110; // room for names beside bars
const ROW = 24;

/** Bars one under the other: names of any length can be read beside them. */
function list(title: string, bars: Bars): HTMLElement {
  const width = Math.max(240, Math.min(860, document.documentElement.clientWidth - 90));
  const most = Math.max(1, ...bars.map(([, value]) => value));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${ROW * bars.length}`, class: "chart", role: "img", "aria-label": title });
  bars.forEach(([name, value], i) => {
    const long = (width - NAMES - 40) * (value / most);
    picture.append(
      svg("text", { x: NAMES - 6, y: i * ROW + 16, "text-anchor": "end" }, name.length > 17 ? `${name.slice(0, 16)}…` : name),
      svg("rect", { x: NAMES, y: i * ROW + 3, width: Math.max(1, long), height: ROW - 6, rx: 2 }),
      svg("text", { x: NAMES + long + 5, y: i * ROW + 16 }, String(value)),
    );
  });
  return framed(title, picture, bars);
}

function framed(title: string, picture: SVGElement, bars: Bars): HTMLElement {
  const wrapped = h("div", {});
  wrapped.append(picture);
  return section(title, wrapped, h("details", {}, h("summary", {}, message("numbers")), table([message("what"), message("searches")], bars.map(([name, value]) => [name, String(value)]), title)));
}

async function draw(): Promise<void> {
  const searches = (await eventsOf(["search"])).filter(isSearch);
  if (searches.length === 0) {
    frame("plots", h("p", {}, message("plots_none")));
    return;
  }
  const sessions = sessionsOf(searches);
  const engines = await knownEngines();
  const name = (date: Date) => date.toLocaleDateString(undefined, { day: "numeric", month: "numeric" });
  const days = perDay(searches.map(({ time }) => time), DAYS, Date.now());
  const perHour = groupBy(searches, (one) => new Date(one.time).getHours());
  const perEngine = [...groupBy(searches, (one) => one.engine ?? "")].map(([engine, all]) => [nameOf(engine, engines), all.length] as const).sort((a, b) => b[1] - a[1]);
  const perWord = [...groupBy(searches.flatMap((one) => [...new Set(splitWords(one.query))].filter((word) => word.length > 3)), (word) => word)]
    .map(([word, all]) => [word, all.length] as const).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 12);
  frame("plots",
    facts([[message("searches"), String(searches.length)], [message("sessions"), String(sessions.length)], [message("per_session"), (searches.length / sessions.length).toFixed(1)]]),
    chart(message("plot_days"), days.map(([date, number]) => [name(date), number] as const)),
    chart(message("plot_hours"), Array.from({ length: 24 }, (_x, hour) => [String(hour), perHour.get(hour)?.length ?? 0])),
    list(message("plot_engines"), perEngine),
    list(message("plot_words"), perWord),
  );
}

void draw();
