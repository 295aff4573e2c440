/** How a page's events reach the log. They are written to the browser's storage first, by the page's own process: the background
 *  may be stopped at any moment and finds them there when it runs again (background/journal.ts). A click may be the last thing a page
 *  does, so an event is handed to the browser before anything is awaited. */

import { type LogEvent, newUid } from "../log/events.ts";
import { isWanted, type Wanted, WANTED } from "./wanted.ts";

export const JOURNAL = "event:";
export const LOGGING = "logging";

/** What she lets be logged, as far as it is known. */
let wanted: Wanted = {};
let tab: number | undefined;
/** What happened before it was known whether anything may be written down. */
let early: LogEvent[] | undefined = [];

/** Whether the person lets searches be logged; nothing is before she said so on the welcome page. */
export async function isLogging(): Promise<boolean> {
  return (await chrome.storage.local.get(LOGGING))[LOGGING] === true;
}

/** Must be called once; what is recorded before it is done waits for it. */
export async function readyToRecord(): Promise<void> {
  let newer: Wanted = {};
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area !== "local") return;
    newer = { ...newer, ...Object.fromEntries(WANTED.filter((name) => name in changes).map((name) => [name, changes[name]?.newValue])) };
    wanted = { ...wanted, ...newer };
  });
  const [now, own] = await Promise.all([chrome.storage.local.get([...WANTED]), ownTab()]);
  wanted = { ...now, ...newer }; // a change that came meanwhile is newer
  tab = own;
  const waiting = early ?? [];
  early = undefined;
  waiting.forEach(write);
}

export function record(event: Omit<LogEvent, "uid" | "time" | "tab"> & { uid?: string }): void {
  const now: LogEvent = { uid: newUid(), time: Date.now(), ...event };
  if (early) early.push(now);
  else write(now);
}

function write(event: LogEvent): void {
  if (chrome.extension.inIncognitoContext || !isWanted(event, wanted)) return;
  void chrome.storage.local.set({ [JOURNAL + event.uid]: { ...event, ...(tab === undefined ? {} : { tab }) } });
}

/** A page does not know its tab; the background does. It may be stopped while it is asked. */
async function ownTab(): Promise<number | undefined> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return (await chrome.runtime.sendMessage({ do: "tab" })) as number;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt));
    }
  }
  return undefined;
}
