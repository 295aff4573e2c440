/** The log in the database: added once each, looked through, searched, deleted. */

import { type Kind, type LogEvent, splitWords } from "../log/events.ts";
import { transact } from "./database.ts";
import { dropOrphans, TELLING } from "./orphans.ts";
import { done } from "./request.ts";
import { type Asked, beginning, found as foundIn, ofDays, ofKinds, ofReplays, post, unpost } from "./postings.ts";

export interface Stored extends LogEvent {
  readonly n: number;
}

export interface Filter {
  readonly words?: string;
  readonly kinds?: readonly Kind[];
  /** Milliseconds: from … (inclusive) until … (exclusive). */
  readonly from?: number;
  readonly until?: number;
  /** Only what was logged up to this number: what comes meanwhile is left out. */
  readonly upTo?: number;
}

/** The stores that hold the log, for transactions. */
export const LOG = ["events", "postings"] as const;
/** Those that a deletion from it changes. */
const DELETED_FROM = [...new Set([...LOG, ...TELLING])];
type Store = (name: string) => IDBObjectStore;

/** Adds events to an open transaction over `LOG`; those whose uid is known are left out. `place` may change an event as it is added, when those before it are there. Returns the new ones. */
export async function addTo(store: Store, events: readonly LogEvent[], place?: (event: LogEvent) => Promise<LogEvent>): Promise<Stored[]> {
  const log = store("events");
  const once = [...new Map(events.map((event) => [event.uid, event])).values()];
  const known = await Promise.all(once.map(({ uid }) => done(log.index("uid").getKey(uid))));
  const adding: Promise<Stored>[] = [];
  for (const event of once.filter((_event, i) => known[i] === undefined)) {
    const placed = place ? await place(event) : event;
    adding.push(done(log.add(placed)).then((n) => ({ ...placed, n: n as number })));
  }
  const added = await Promise.all(adding);
  await post(store("postings"), added);
  return added;
}

export function addEvents(events: readonly LogEvent[]): Promise<number> {
  return transact(LOG, "readwrite", async (store) => (await addTo(store, events)).length);
}

export function countEvents(): Promise<number> {
  return transact(["events"], "readonly", (store) => done(store("events").count()));
}

/** All events of some kinds, in order of time. */
export async function eventsOf(kinds: readonly Kind[], from = 0): Promise<Stored[]> {
  const parts = await transact(["events"], "readonly", (store) =>
    Promise.all(kinds.map((kind) => done(store("events").index("kind").getAll(IDBKeyRange.bound([kind, from], [kind, Infinity]))))),
  );
  return (parts.flat() as Stored[]).sort((a, b) => a.time - b.time || a.n - b.n);
}

/** Events by their uids, in order of time; those that are gone are left out. */
export async function eventsBy(uids: readonly string[]): Promise<Stored[]> {
  const found = await transact(["events"], "readonly", (store) => Promise.all(uids.map((uid) => done(store("events").index("uid").get(uid)))));
  return (found as (Stored | undefined)[]).filter((event) => event !== undefined).sort((a, b) => a.time - b.time || a.n - b.n);
}

export async function everything(): Promise<Stored[]> {
  return transact(["events"], "readonly", (store) => done(store("events").index("time").getAll())) as Promise<Stored[]>;
}

/** The number of the event that was logged last. */
export function lastNumber(): Promise<number> {
  return transact(["events"], "readonly", (store) => newestIn(store("events")));
}

async function newestIn(events: IDBObjectStore): Promise<number> {
  return ((await done(events.openKeyCursor(null, "prev")))?.key as number | undefined) ?? 0;
}

/** The newest events that fit, at most `most`. */
export function findEvents(filter: Filter, most: number): Promise<Stored[]> {
  return transact(LOG, "readonly", (store) => find(store, filter, most));
}

async function find(store: Store, filter: Filter, most: number): Promise<Stored[]> {
  if (isOfSigns(filter)) return [];
  const asked = askedBy(filter);
  if (asked.length === 0) return byTime(store("events"), filter, most);
  const kept: Stored[] = [];
  for await (const numbers of foundIn(store("postings"), await newestIn(store("events")), asked)) {
    await keepFitting(store("events"), numbers, filter, most, kept);
    if (kept.length >= most) break;
  }
  return kept.slice(0, most).sort((a, b) => b.time - a.time || b.n - a.n);
}

/** Words without a letter or a digit are in no index: they find nothing, where no words at all would find everything. */
function isOfSigns({ words = "" }: Filter): boolean {
  return words.trim() !== "" && splitWords(words).length === 0;
}

/** The filter as the index understands it; a filter of times alone is left to the order of time. */
function askedBy({ words = "", kinds, from, until }: Filter): Asked {
  const asked = [...splitWords(words).map(beginning), ...(kinds ? [ofKinds(kinds)] : [])];
  const timed = from !== undefined || until !== undefined;
  return asked.length > 0 && timed ? [...asked, ofDays(from ?? 0, until ?? Infinity)] : asked;
}

const PORTION = 100;

async function keepFitting(events: IDBObjectStore, numbers: readonly number[], filter: Filter, most: number, kept: Stored[]): Promise<void> {
  for (let start = 0; start < numbers.length && kept.length < most; start += PORTION) {
    const some = await Promise.all(numbers.slice(start, start + PORTION).map((n) => done(events.get(n) as IDBRequest<Stored>)));
    kept.push(...some.filter((event) => fits(event, filter)));
  }
}

async function byTime(events: IDBObjectStore, filter: Filter, most: number): Promise<Stored[]> {
  const range = IDBKeyRange.bound(filter.from ?? 0, filter.until ?? Infinity, false, true);
  const kept: Stored[] = [];
  const request = events.index("time").openCursor(range, "prev");
  for (let cursor = await done(request); cursor && kept.length < most; cursor = await done(request)) {
    if (fits(cursor.value as Stored, filter)) kept.push(cursor.value as Stored);
    cursor.continue();
  }
  return kept;
}

function fits(event: Stored, filter: Filter): boolean {
  const kind = !filter.kinds || filter.kinds.includes(event.kind);
  return kind && event.time >= (filter.from ?? 0) && event.time < (filter.until ?? Infinity) && event.n <= (filter.upTo ?? Infinity);
}

/** Deletes everything that fits, and with a search its clicks, the visits of its result page, and what studies keep of it. Returns how many events went. */
export function deleteEvents(filter: Filter): Promise<number> {
  return transact(DELETED_FROM, "readwrite", async (store) => {
    if (isOfSigns(filter)) return 0;
    if (askedBy(filter).length > 0 || filter.from !== undefined || filter.until !== undefined) return (await remove(store, await find(store, filter, Infinity))).size;
    const number = await done(store("events").count());
    for (const name of LOG) store(name).clear();
    await dropOrphans(store);
    return number;
  });
}

/** Deletes one event as `deleteEvents` does. Returns the numbers of those that went. */
export function deleteEvent(n: number): Promise<ReadonlySet<number>> {
  return transact(DELETED_FROM, "readwrite", async (store) => {
    const found = (await done(store("events").get(n))) as Stored | undefined;
    return found ? remove(store, [found]) : new Set<number>();
  });
}

/** Deletes exactly what replays wrote: an event that happened stays, whatever words or address it shares with them. */
export function deleteReplayed(): Promise<number> {
  return transact(DELETED_FROM, "readwrite", async (store) => {
    const numbers = new Set<number>();
    for await (const some of foundIn(store("postings"), await newestIn(store("events")), [ofReplays()])) some.forEach((n) => numbers.add(n));
    return (await removeNumbers(store, numbers)).size;
  });
}

async function remove(store: Store, found: readonly Stored[]): Promise<ReadonlySet<number>> {
  const keys = new Set(found.map((event) => event.n));
  for (const search of found.filter((event) => event.kind === "search")) {
    for (const one of await tracesOf(store("events"), search)) keys.add(one);
  }
  return removeNumbers(store, keys);
}

async function removeNumbers(store: Store, numbers: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  for (const n of numbers) store("events").delete(n);
  await unpost(store("postings"), numbers);
  await dropOrphans(store);
  return numbers;
}

/** What else tells of a search: its clicks, and whatever happened on its result page, whose address holds the query; also where the page has
 *  added to its address. */
async function tracesOf(events: IDBObjectStore, search: Stored): Promise<number[]> {
  const of = (index: string, value: IDBValidKey | IDBKeyRange) => done(events.index(index).getAllKeys(value)) as Promise<number[]>;
  const { uid, url } = search;
  const longer = (mark: string) => IDBKeyRange.bound(url + mark, `${url}${mark}\uffff`);
  const places = url === undefined ? [] : [url, longer("&"), longer("#")];
  return (await Promise.all([of("search", uid), ...places.flatMap((place) => [of("url", place), of("target", place)])])).flat();
}

const LOOKED_AT = 500; // searches among which that of a click is looked for

/** The newest search that showed the page of this click: at the same address, or else with the same words, because pages change their addresses. */
export async function searchFor(events: IDBObjectStore, { url, engine, query, start }: LogEvent): Promise<Stored | undefined> {
  const there = (await done(events.index("url").getAll(url ?? ""))) as Stored[];
  const same = there.filter((event) => event.kind === "search").at(-1);
  if (same) return same;
  const request = events.index("kind").openCursor(IDBKeyRange.bound(["search", 0], ["search", Infinity]), "prev");
  let cursor = await done(request);
  for (let seen = 0; cursor && seen < LOOKED_AT; seen++) {
    const one = cursor.value as Stored;
    if (one.engine === engine && one.query === query && one.start === start) return one;
    cursor.continue();
    cursor = await done(request);
  }
  return undefined;
}
