/** Clicks of a page that was shown again find their search; whatever tells of a search goes with it. */

import "fake-indexeddb/auto";
import { beforeEach, expect, it } from "vitest";
import { drainJournal } from "../../src/background/journal.ts";
import { JOURNAL } from "../../src/content/record.ts";
import type { LogEvent } from "../../src/log/events.ts";
import { closeDatabase } from "../../src/store/database.ts";
import { deleteEvent, everything, findEvents } from "../../src/store/events.ts";

const url = "https://engine.example/?q=blue+shoes";
const asked = { engine: "own", query: "blue shoes", start: 1 };
let kept: Record<string, unknown>;

async function logged(...events: readonly LogEvent[]): Promise<void> {
  for (const event of events) kept[JOURNAL + event.uid] = event;
  await drainJournal();
}

async function searchOf(uid: string): Promise<string | undefined> {
  return (await everything()).find((event) => event.uid === uid)?.search;
}

beforeEach(async () => {
  kept = {};
  const local = { get: async () => ({ ...kept }), remove: async (names: string[]) => names.forEach((name) => delete kept[name]) };
  (globalThis as { chrome?: unknown }).chrome = { storage: { local } }; // what pages write to, without a browser
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await logged({ uid: "one", time: 1, kind: "search", url, ...asked }, { uid: "two", time: 2, kind: "search", url: `${url}&page=2`, ...asked, start: 11 });
});

it("a click without a search gets the one at its address, or with its words", async () => {
  await logged({ uid: "a", time: 3, kind: "result-click", url, ...asked });
  await logged({ uid: "b", time: 4, kind: "result-click", url: `${url}&ia=web`, ...asked }); // the page added to its address
  await logged({ uid: "c", time: 5, kind: "link-click", url: `${url}&page=2&ia=web`, ...asked, start: 11 });
  await logged({ uid: "d", time: 6, kind: "result-click", url: `${url}+red`, ...asked, query: "blue shoes red" });
  expect(await Promise.all(["a", "b", "c", "d"].map(searchOf))).toEqual(["one", "one", "two", undefined]);
});

it("a click with a search keeps it, also when the same was asked at the same address before", async () => {
  await logged({ uid: "again", time: 3, kind: "search", url, ...asked }, { uid: "a", time: 4, kind: "result-click", url, ...asked, search: "one" });
  expect(await searchOf("a")).toBe("one");
});

it("a search is deleted with what happened at its address, also after the page added to it", async () => {
  const visits = ["", "&ia=web", "#top", "+red"].map((end, i) => ({ uid: `v${i}`, time: 3 + i, kind: "load", url: url + end }) as LogEvent);
  await logged(...visits);
  const [found] = (await findEvents({ kinds: ["search"] }, 10)).filter(({ uid }) => uid === "one");
  await deleteEvent(found!.n);
  expect((await everything()).map(({ uid }) => uid)).toEqual(["v3"]);
});
