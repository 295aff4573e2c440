/** Takes events that pages have written down into the log. An event is removed from the journal only when it is in the log on disk, and its
 *  uid is in the log at most once: the background may be stopped anywhere in between. */

import { JOURNAL } from "../content/record.ts";
import type { LogEvent } from "../log/events.ts";
import { transact } from "../store/database.ts";
import { done } from "../store/request.ts";
import { addTo, LOG, searchFor } from "../store/events.ts";
import { UNASKED } from "../studies/installed.ts";

let working: Promise<unknown> = Promise.resolve();

/** Empties the journal; calls wait for each other. Returns the events that were new. */
export function drainJournal(): Promise<LogEvent[]> {
  const run = working.then(drain);
  working = run.catch(() => undefined);
  return run;
}

async function drain(): Promise<LogEvent[]> {
  const all = await chrome.storage.local.get(null);
  const names = Object.keys(all).filter((name) => name.startsWith(JOURNAL));
  if (names.length === 0) return [];
  const events = names.map((name) => all[name] as LogEvent).sort((a, b) => a.time - b.time);
  const fresh = await transact([...LOG, "state"], "readwrite", async (store) => {
    const added = await addTo(store, events, (event) => withSearch(store("events"), event));
    await noteUnasked(store("state"), added);
    return added;
  });
  await chrome.storage.local.remove(names);
  return fresh;
}

/** Searches that no study has been told of yet are remembered with them: the background may be stopped before it tells. */
async function noteUnasked(state: IDBObjectStore, added: readonly LogEvent[]): Promise<void> {
  const searches = added.filter(({ kind }) => kind === "search").map(({ uid }) => uid);
  if (searches.length === 0) return;
  const before = ((await done(state.get(UNASKED))) as string[] | undefined) ?? [];
  state.put([...before, ...searches], UNASKED);
}

/** A click on a page that was shown again belongs to the search that showed it before. */
async function withSearch(log: IDBObjectStore, event: LogEvent): Promise<LogEvent> {
  if (!event.kind.endsWith("click") || event.search !== undefined || event.query === undefined) return event;
  const before = await searchFor(log, event);
  return before ? { ...event, search: before.uid } : event;
}
