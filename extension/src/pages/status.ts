/** Status: preferences, messages from researchers, collections joined, what was sent and when, updates. */

import { Told } from "../../lib/told.ts";
import { type Engine, engineAt, ENGINES, originsOf, readEngine } from "../engines/engine.ts";
import { loggingNow } from "../log/state.ts";
import { setLogging } from "../log/switch.ts";
import { memberships, stateOf } from "../store/crowd.ts";
import { countEvents } from "../store/events.ts";
import { allowedHosts, giveBack, patternsOf } from "../store/hosts.ts";
import { MOST_SENT, sentLines } from "../store/sent.ts";
import { messagesOf } from "../studies/catalogue.ts";
import { button, facts, frame, h, moment, section, table } from "./dom.ts";
import { message } from "./messages.ts";
import { allowPages } from "./permissions.ts";

async function draw(): Promise<void> {
  const version = chrome.runtime.getManifest().version;
  frame("status",
    await preferences(),
    await engines(),
    await notes(),
    await collections(),
    await sentSection(),
    section(message("updates"), h("p", {}, message("updates_what", version)), h("p", {}, message("updates_new"))),
    h("p", {}, h("a", { href: "feedback.html" }, message("page_feedback")), " · ", h("a", { href: "leave.html" }, message("page_leave"))),
  );
}

async function preferences(): Promise<HTMLElement> {
  const { state: logging, on, blocked } = await loggingNow();
  const { pages = false } = (await chrome.storage.local.get("pages")) as { pages?: boolean };
  const toggle = button(message(on ? "pause" : "resume"), async () => { await setLogging(!on); await draw(); });
  const allow = button(message("engines_again"), async () => {
    if (!(await chrome.permissions.request({ origins: [...blocked.patterns] }))) throw new Told("not_allowed");
    await draw();
  }, "main");
  return section(message("preferences"),
    facts([[message("logging"), message(logging, blocked.names.join(", "))], [message("pages_logged"), message(pages ? "on" : "off")], [message("events_kept"), String(await countEvents())]]),
    h("p", { class: "actions" },
      logging === "icon_new" ? h("a", { href: "welcome.html", class: "button" }, message("read_first")) : toggle,
      ...(blocked.names.length > 0 ? [allow] : []),
      button(message(pages ? "pages_stop" : "welcome_pages_allow"), async () => { await allowPages(!pages); await draw(); })));
}

/** Engines are data: one of her own is a small JSON file. */
async function engines(): Promise<HTMLElement> {
  const { engines: own = [] } = (await chrome.storage.local.get("engines")) as { engines?: Engine[] };
  // Read when it is chosen: the browser asks for a permission only right after a click.
  let engine: Engine | undefined;
  const file: HTMLInputElement = h("input", { type: "file", accept: ".json,application/json", id: "engine", onchange: async (): Promise<void> => {
    engine = undefined;
    engine = readEngine((await file.files?.[0]?.text()) ?? "");
    file.dataset["engine"] = engine.id;
  } });
  const add = async (chosen: Engine) => {
    if (!(await chrome.permissions.request({ origins: originsOf(chosen) }))) throw new Told("not_allowed");
    await chrome.storage.local.set({ engines: [...own.filter(({ id }) => id !== chosen.id), chosen] });
    await draw();
  };
  const chosenFile = (): Engine => {
    if (!engine) throw new Told("engine_choose");
    return engine;
  };
  const which = h("select", { id: "which" }, ...ENGINES.map(({ name }, i) => h("option", { value: i }, name)));
  const host = h("input", { id: "host", placeholder: "www.google.de", spellcheck: "false", autocapitalize: "off" });
  const lines = own.map((one) => h("li", {}, h("span", { class: "grow" }, `${one.name} (${one.host})`), button(message("delete"), async () => {
    await chrome.storage.local.set({ engines: own.filter(({ id }) => id !== one.id) });
    await giveBack(originsOf(one));
    await draw();
  }, "small")));
  return section(message("engines"), h("p", {}, ENGINES.map(({ name }) => name).join(", ")), h("ul", { class: "plain" }, ...lines),
    h("h3", {}, message("engine_elsewhere")), h("div", { class: "fields" }, h("label", {}, message("engine_which"), which), h("label", {}, message("engine_host"), host)), h("p", {}, button(message("engine_host_add"), () => add(engineAt(ENGINES[Number(which.value)] as Engine, host.value)))),
    h("h3", {}, message("engine_own")), h("label", {}, message("engine_file"), file), h("p", {}, button(message("engine_add"), () => add(chosenFile()))));
}

async function notes(): Promise<HTMLElement> {
  const found = await messagesOf();
  const lines = found.map((note) => h("li", {}, h("time", {}, note.date), h("span", { class: "grow" }, h("strong", {}, note.from), `: ${note.text}`)));
  return section(message("messages"), found.length === 0 ? h("p", { class: "soft" }, message("messages_none")) : h("ul", { class: "plain" }, ...lines));
}

async function collections(): Promise<HTMLElement> {
  const members = await memberships();
  const lines = members.map((one) => h("li", {}, h("span", { class: "grow" }, one.manifest.title, h("br"), h("small", {}, message("status_sent", one.sent))), h("span", {}, message(`state_${stateOf(one)}`))));
  return section(message("page_collections"), members.length === 0 ? h("p", { class: "soft" }, message("collections_none")) : h("ul", { class: "plain" }, ...lines), h("p", {}, h("a", { href: "collections.html" }, message("page_collections"))));
}

async function sentSection(): Promise<HTMLElement> {
  const lines = await sentLines();
  const held = (origin: string) => chrome.permissions.contains({ origins: patternsOf([origin]) });
  const allowed = await Promise.all(Object.entries(await allowedHosts()).map(async ([origin, { why }]) => [origin, (await held(origin)) ? why : `${why}: ${message("host_taken_back")}`] as const));
  const rows = lines.reverse().map((line) => [h("time", {}, moment(line.time)), line.times ? `${line.method} × ${line.times}` : line.method, line.origin, String(line.bytes), line.why]);
  const head = [message("time"), message("method"), message("server"), message("bytes"), message("why")];
  return section(message("sent"), h("p", {}, message("sent_what")), rows.length === 0 ? h("p", { class: "soft" }, message("sent_none")) : table(head, rows, message("sent_newest", MOST_SENT)), h("h3", {}, message("allowed_now")), allowed.length === 0 ? h("p", { class: "soft" }, message("allowed_none")) : facts(allowed));
}

void draw();
