/** Tabs opened, selected and closed. The browser tells of each and starts the background for it, so that a tab that comes and goes while the
 *  background is stopped is logged too. What it tells is handed to the browser's storage before anything is awaited, so that a stop in the
 *  next moment does not lose it; what it told a background that was gone already is found by comparing the tabs with those seen last.
 *  What is known of the tabs and the events are written together, so that a stop can neither lose nor double one. */

import { isLogging, LOGGING } from "../content/record.ts";
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
const NOTICE = "tab:";
const TAKEN = "tab-notices"; // names of those that were taken last: the background may be stopped before they are removed

/** What the browser said of a tab. */
export interface Notice {
  readonly what: "opened" | "selected" | "removed";
  readonly time: number;
  readonly tab: number;
  readonly from?: number;
  readonly window?: number;
}

/** Closed since the background runs: a browser's word that one was opened may come after its tab was missed. */
const closed = new Set<number>();

let working: Promise<void> = Promise.resolve();

/** One after the other, so that an older look never follows a newer one. */
function inTurn(work: () => Promise<void>): Promise<void> {
  working = working.catch(() => undefined).then(work);
  return working;
}

/** Takes a step from what is known. Tabs of a pause are not logged: what was known is forgotten when it begins, and at its end the tabs
 *  that are open then are where the next step begins from. `names`: of the notices that the step is about; it is told which were taken before. */
async function take(step: (before: Known, taken: ReadonlySet<string>) => Step, first?: Known, names: readonly string[] = []): Promise<void> {
  const logging = await isLogging();
  await transact([...LOG, "state"], "readwrite", async (store) => {
    const state = store("state");
    if (!logging) {
      state.delete(STATE);
      return;
    }
    const before = ((await done(state.get(STATE))) as Known | undefined) ?? first;
    if (!before) return; // the look that begins the logging comes first
    const taken = ((await done(state.get(TAKEN))) as string[] | undefined) ?? [];
    const [now, events] = step(before, new Set(taken));
    await addTo(store, events);
    for (const { kind, tab } of events) if (kind === "tab-remove") closed.add(tab as number);
    state.put(now, STATE);
    if (names.length > 0) state.put(names, TAKEN);
  });
}

export function compareTabs(): Promise<void> {
  return inTurn(async () => {
    await takeNotices();
    const tabs = (await chrome.tabs.query({})).filter((tab) => !tab.incognito);
    const now = { open: tabs.map(idOf), selected: tabs.filter((tab) => tab.active).map(idOf) };
    const from = new Map(tabs.map((tab) => [idOf(tab), tab.openerTabId]));
    await take((before) => [now, changes(before, now, from, Date.now())], now);
  });
}

/** Takes all notices, in their order, and removes them when they are on disk. */
async function takeNotices(): Promise<void> {
  const all = await chrome.storage.local.get(null);
  const names = Object.keys(all).filter((name) => name.startsWith(NOTICE)).sort();
  if (names.length === 0) return;
  const notices = names.map((name) => [name, all[name] as Notice] as const);
  const windows = new Map<number, number[]>();
  for (const [, { window }] of notices) if (window !== undefined && !windows.has(window)) windows.set(window, await tabsIn(window));
  await take((before, taken) => stepOver(before, notices.filter(([name]) => !taken.has(name)).map(([, notice]) => notice), windows), undefined, names);
  await chrome.storage.local.remove(names);
}

async function tabsIn(windowId: number): Promise<number[]> {
  return (await chrome.tabs.query({ windowId }).catch(() => [])).map(idOf); // the window may be gone
}

/** One notice after the other. */
export function stepOver(before: Known, notices: readonly Notice[], windows: ReadonlyMap<number, readonly number[]>): Step {
  return notices.reduce<Step>(([known, events], { what, tab, from, window = -1, time }) => {
    const [now, more] = what === "opened" ? opened(known, tab, from, time) : what === "selected" ? selected(known, tab, windows.get(window) ?? [], time) : removed(known, tab, time);
    return [now, [...events, ...more]];
  }, [before, []]);
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

/** Whether she lets tabs be logged, if that is known yet. */
let logging: boolean | undefined;
let noticed = 0;

function note(notice: Omit<Notice, "time">): void {
  if (logging === false) return;
  const time = Date.now();
  const name = `${NOTICE}${time} ${String(noticed++).padStart(9, "0")} ${newUid()}`; // in their order
  void chrome.storage.local.set({ [name]: { ...notice, time } }).then(() => inTurn(takeNotices));
}

export function watchTabs(): void {
  chrome.tabs.onCreated.addListener((tab) => {
    if (!tab.incognito) note({ what: "opened", tab: idOf(tab), ...(tab.openerTabId === undefined ? {} : { from: tab.openerTabId }) });
  });
  chrome.tabs.onActivated.addListener(({ tabId, windowId }) => note({ what: "selected", tab: tabId, window: windowId }));
  chrome.tabs.onRemoved.addListener((tab) => note({ what: "removed", tab }));
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area === "local" && LOGGING in changes) logging = changes[LOGGING]?.newValue === true;
  });
  void isLogging().then((now) => (logging ??= now));
}
