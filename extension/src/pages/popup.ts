/** The popup: pause in one click, and the way to everything else. */

import { loggingNow } from "../log/state.ts";
import { setLogging } from "../log/switch.ts";
import { relatedTasks } from "../apps/related.ts";
import { RECENT, suggestionsNow } from "../apps/suggest.ts";
import { taskClient } from "../apps/task-client.ts";
import { eventsOf } from "../store/events.ts";
import { installed, waitingQuestions } from "../studies/installed.ts";
import { button, h, redrawn } from "./dom.ts";
import { message } from "./messages.ts";
import { relatedLines } from "./related.ts";
import { suggestedLines } from "./suggested.ts";

const RELATED = 3;
const GROUPED = 1000; // searches
const suggested = h("div", { id: "suggested" });
const beside = h("div", { id: "related" });
const LINKS = ["history", "assistant", "suggestions", "plots", "collections", "studies", "status", "help"];

async function draw(): Promise<void> {
  const { state: logging, on, picture, blocked } = await loggingNow();
  document.title = message("name");
  document.body.className = "popup";
  const state = h("div", { class: "state", role: "status" }, h("img", { src: `icons/${picture}-32.png`, alt: "" }), h("strong", {}, message(logging, blocked.names.join(", "))));
  const toggle = logging === "icon_new" ? h("a", { href: "welcome.html", target: "_blank", class: "button main" }, message("read_first")) : button(message(on ? "pause" : "resume"), async () => {
    await setLogging(!on);
    await draw();
  }, "main");
  toggle.id = "toggle";
  const links = LINKS.map((page) => h("li", {}, h("a", { href: `${page}.html`, target: "_blank" }, message(`page_${page}`))));
  const asking = new Set((await waitingQuestions()).map(({ study }) => study));
  const waiting = (await installed()).filter(({ id }) => asking.has(id)).map(({ id, study }) => h("li", {}, h("a", { href: `study.html#${id}`, target: "_blank" }, message("question_waits", study.title))));
  const again = on && blocked.names.length > 0 ? [h("p", {}, h("a", { href: "status.html", target: "_blank" }, message("engines_again")))] : [];
  redrawn(() => document.body.replaceChildren(state, h("p", {}, toggle), ...again, h("ul", { id: "waiting" }, ...waiting), h("ul", { class: "links" }, ...links), suggested, beside));
}

/** What to ask next comes when it is there: the popup does not wait for it. */
async function showSuggested(): Promise<void> {
  const next = await suggestionsNow(3);
  if (next.length > 0) suggested.replaceChildren(h("p", { class: "soft" }, message("suggest_next")), h("ul", {}, ...(await suggestedLines(next))));
}

/** Older tasks near to what she searches now, among her newest searches: it is done at each opening, in a worker, and the popup does not wait for it. */
async function showRelated(): Promise<void> {
  if ((await eventsOf(["search"], Date.now() - RECENT)).length === 0) return;
  const client = taskClient();
  const grouped = await client.group(GROUPED);
  const current = grouped.searches.at(-1);
  const lines = relatedLines(relatedTasks(grouped, await client.withLast(grouped.searches), RELATED), "_blank");
  if (current && lines.length > 0) beside.replaceChildren(h("p", { class: "soft" }, message("related_to", current.text)), h("ul", {}, ...lines));
}

void draw();
void showSuggested();
void showRelated();
