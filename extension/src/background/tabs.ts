/** Tabs opened, selected and closed. The browser tells of each and starts the background for it, so that a tab that comes and goes while the
 *  background is stopped is logged too; what it told while the background was being stopped is found by comparing the tabs with those seen
 *  last. What is known of the tabs and the events are written together, so that a stop can neither lose nor double one. */

import { isLogging } from "../content/record.ts";
import { type LogEvent, newUid } from "../log/events.ts";
import { transact } from "../store/database.ts";
import { done } from "../store/request.ts";
import { addTo, LOG } from "../store/events.ts";

export interface Known {
  readonly open: readonly number[];
  readonly selected: readonly number[];
}

/** What is known afterwards, and what is logged. */
export type Step = readonly [now: Known, events: readonly LogEvent[]];

const STATE = "tabs";

/** Closed since the background runs: a browser's word that one was opened may come after its tab was missed. */
const closed = new Set<number>();

let working: Promise<void> = Promise.resolve();

/** One after the other, so that an older look never follows a newer one. */
function inTurn(work: () => Promise<void>): Promise<void> {
  working = working.catch(() => undefined).then(work);
  return working;
}

/** Takes a step from what is known. Tabs of a pause are not logged: what was known is forgotten when it begins, and at its end the tabs
 *  that are open then are where the next step begins from. */
async function take(step: (before: Known) => Step, first?: Known): Promise<void> {
  const logging = await isLogging();
  await transact([...LOG, "state"], "readwrite", async (store) => {
    if (!logging) {
      store("state").delete(STATE);
      return;
    }
    const before = ((await done(store("state").get(STATE))) as Known | undefined) ?? first;
    if (!before) return; // the look that begins the logging comes first
    const [now, events] = step(before);
    await addTo(store, events);
    for (const { kind, tab } of events) if (kind === "tab-remove") closed.add(tab as number);
    store("state").put(now, STATE);
  });
}

export function compareTabs(): Promise<void> {
  return inTurn(async () => {
    const tabs = (await chrome.tabs.query({})).filter((tab) => !tab.incognito);
    const now = { open: tabs.map(idOf), selected: tabs.filter((tab) => tab.active).map(idOf) };
    const from = new Map(tabs.map((tab) => [idOf(tab), tab.openerTabId]));
    await take((before) => [now, changes(before, now, from, Date.now())], now);
  });
}

/** What happened between two looks. */
export function changes(before: Known, now: Known, from: ReadonlyMap<number, number | undefined>, time: number): LogEvent[] {
  const opened = now.open.filter((tab) => !before.open.includes(tab)).map((tab) => addition(tab, from.get(tab), time));
  const selected = now.selected.filter((tab) => !before.selected.includes(tab)).map((tab) => eventOf("tab-select", tab, time));
  const gone = before.open.filter((tab) => !now.open.includes(tab)).map((tab) => eventOf("tab-remove", tab, time));
  return [...opened, ...selected, ...gone];
}

/** The browser says that a tab was opened. */
export function opened(before: Known, tab: number, opener: number | undefined, time: number): Step {
  if (before.open.includes(tab) || closed.has(tab)) return [before, []];
  return [{ ...before, open: [...before.open, tab] }, [addition(tab, opener, time)]];
}

/** … that one was selected, in the place of another one of its window. */
export function selected(before: Known, tab: number, inWindow: readonly number[], time: number): Step {
  if (before.selected.includes(tab) || closed.has(tab)) return [before, []];
  const others = before.selected.filter((one) => !inWindow.includes(one));
  return [{ ...before, selected: [...others, tab] }, [eventOf("tab-select", tab, time)]];
}

/** … that one was closed. */
export function removed(before: Known, tab: number, time: number): Step {
  const without = (tabs: readonly number[]): number[] => tabs.filter((one) => one !== tab);
  if (!before.open.includes(tab)) return [before, []];
  return [{ open: without(before.open), selected: without(before.selected) }, [eventOf("tab-remove", tab, time)]];
}

function eventOf(kind: LogEvent["kind"], tab: number, time: number): LogEvent {
  return { uid: newUid(), time, kind, tab };
}

function addition(tab: number, opener: number | undefined, time: number): LogEvent {
  return { ...eventOf("tab-add", tab, time), ...(opener === undefined ? {} : { from: opener }) };
}

function idOf(tab: chrome.tabs.Tab): number {
  return tab.id ?? -1;
}

export function watchTabs(): void {
  chrome.tabs.onCreated.addListener((tab) => {
    const time = Date.now();
    if (!tab.incognito) void inTurn(() => take((before) => opened(before, idOf(tab), tab.openerTabId, time)));
  });
  chrome.tabs.onActivated.addListener(({ tabId, windowId }) => {
    const time = Date.now();
    void inTurn(async () => {
      const inWindow = (await chrome.tabs.query({ windowId }).catch(() => [])).map(idOf); // the window may be gone
      await take((before) => selected(before, tabId, inWindow, time));
    });
  });
  chrome.tabs.onRemoved.addListener((tab) => {
    const time = Date.now();
    void inTurn(() => take((before) => removed(before, tab, time)));
  });
}
