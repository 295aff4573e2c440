/** The background: all listeners are set before anything is awaited, so that the browser can start it for any of them. */

import { toBase64 } from "../../lib/base64.ts";
import { JOURNAL, LOGGING } from "../content/record.ts";
import { onWire } from "../log/wire.ts";
import { noteWaits } from "../log/state.ts";
import { noteStart } from "../log/switch.ts";
import { keepError } from "../store/errors.ts";
import { giveBackUnneeded } from "../store/hosts.ts";
import { badge, tellStudies } from "../studies/triggers.ts";
import { call, download } from "./gate.ts";
import { showState, showWaiting } from "./icon.ts";
import { drainJournal } from "./journal.ts";
import { registerScripts } from "./scripts.ts";
import { ALARM, schedule, sendAllDue } from "./sending.ts";
import { compareTabs, watchTabs } from "./tabs.ts";

interface Request {
  readonly do: string;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly body?: unknown;
}

/** What pages of the extension may ask; content scripts, which run beside a web page, may ask for their tab alone. */
const ANSWERS: Readonly<Record<string, (request: Request) => Promise<unknown>>> = {
  call: ({ method, url, body }) => call(method, url, body),
  download: async ({ url }) => toBase64(await download(url)),
  drain: async () => (await take()).length,
  schedule,
  send: () => sendAllDue(true),
  badge: async () => showWaiting(await badge()),
};

let taking: Promise<unknown> = Promise.resolve();

/** New events go into the log; then studies that wait for one are told. Calls wait for each other: whoever asked knows that both are done. */
function take(): ReturnType<typeof drainJournal> {
  const run = taking.then(async () => {
    const draining = drainJournal();
    if (await draining.then(() => noteWaits(false), () => noteWaits(true))) await showState();
    const events = await draining;
    if (await tellStudies()) await showWaiting(await badge());
    return events;
  });
  taking = run.catch(() => undefined);
  return run;
}

chrome.runtime.onInstalled.addListener(({ reason }) => {
  if (reason === "install") void chrome.tabs.create({ url: "welcome.html" });
  void registerScripts();
});

// Firefox starts the background with the browser only if something listens for that: until then the icon would show what the manifest says,
// nothing would tell that logging is on, and no report would leave. What is to be done is done at every start, below.
chrome.runtime.onStartup.addListener(() => undefined);

chrome.runtime.onMessage.addListener((request: Request, sender, answer) => {
  if (request.do === "tab") {
    answer(sender.tab?.id);
    return false;
  }
  const handler = ANSWERS[request.do];
  if (!handler || !sender.url?.startsWith(chrome.runtime.getURL(""))) return false;
  handler(request).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: onWire(error) }),
  );
  return true;
});

chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === ALARM) void sendAllDue(false);
});

chrome.storage.onChanged.addListener((changes, area) => {
  if (area !== "local") return;
  const names = Object.keys(changes);
  if (names.some((name) => name.startsWith(JOURNAL) && changes[name]?.newValue !== undefined)) void take();
  if (LOGGING in changes) void showState().then(compareTabs);
  if ("engines" in changes || "pages" in changes) void registerScripts().then(showState);
});

for (const changed of [chrome.permissions.onRemoved, chrome.permissions.onAdded]) changed.addListener(() => void registerScripts().then(showState));

self.addEventListener("unhandledrejection", ({ reason }) => void keepError("background", reason));
watchTabs();
void noteStart();
void take();
void schedule();
void giveBackUnneeded();
void registerScripts(); // what the browser took back while nothing ran
void showState();
void badge().then(showWaiting); // a browser that starts has forgotten it
void compareTabs();
