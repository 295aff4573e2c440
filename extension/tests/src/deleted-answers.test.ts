/** What studies keep of a search goes with the search, however it is deleted. */

import "fake-indexeddb/auto";
import { beforeEach, expect, it } from "vitest";
import { closeDatabase } from "../../src/store/database.ts";
import { addEvents, deleteEvent, deleteEvents, deleteReplayed, findEvents } from "../../src/store/events.ts";
import { readState, writeState } from "../../src/store/state.ts";
import { saveTaskLabels, taskLabels } from "../../src/apps/labels.ts";
import { answersOf, ASKED, keepAnswer, WAITING, type Waiting } from "../../src/studies/installed.ts";

const search = (uid: string, query: string) => ({ uid, time: 1, kind: "search" as const, query, url: `https://e.example/${uid}` });
const click = { uid: "c", time: 2, kind: "result-click" as const, search: "a", query: "canary", url: "https://e.example/a", target: "https://shop.example/" };
const answer = (about: string, ...of: string[]) => ({ study: "s", step: 0, time: 3, about, of, values: { felt: "well" } });
const question: Waiting = { name: "a", study: "s", step: 0, time: 1, about: "a", text: "canary" };

async function kept(): Promise<string[]> {
  return (await answersOf("s")).map(({ about }) => about);
}

beforeEach(async () => {
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await addEvents([{ ...search("a", "canary"), replay: "r" }, search("b", "other"), click]);
  await writeState(WAITING, [question]);
  await keepAnswer(answer("canary", "a"));
  await keepAnswer(answer("https://shop.example/", "c"));
  await keepAnswer(answer("other", "b"));
  await keepAnswer({ study: "s", step: 1, time: 3, about: "", values: { age: "40" } }); // is about no search
});

it.each([
  ["singly", async () => deleteEvent((await findEvents({ words: "canary", kinds: ["search"] }, 1))[0]!.n)],
  ["by word", () => deleteEvents({ words: "canary" })],
])("deleted %s, with what was answered about it and its pages", async (_how, remove) => {
  await remove();
  expect(await kept()).toEqual(["other", ""]);
  expect(await readState(WAITING, [question])).toEqual([]);
});

it("deleted as a replay, or with everything", async () => {
  await deleteReplayed();
  expect(await kept()).toEqual(["https://shop.example/", "other", ""]); // the click was no replay
  await deleteEvents({});
  expect(await kept()).toEqual([""]);
});

it("of several events goes with the last of them", async () => {
  await keepAnswer(answer("both", "a", "b"));
  await deleteEvents({ words: "canary" });
  expect(await kept()).toContain("both");
  await deleteEvents({ words: "other" });
  expect(await kept()).toEqual([""]);
});

it("is not kept by a page that was open before the search was deleted", async () => {
  await deleteEvents({ words: "canary" });
  expect(await keepAnswer(answer("canary", "a"), question)).toBe(false);
  expect(await kept()).toEqual(["other", ""]);
});

it("searches that she moved between tasks go from their labels, and with the last entry the days of questions before today", async () => {
  await saveTaskLabels({ a: 0, b: 1 });
  const today = new Date().setHours(0, 0, 0, 0);
  await writeState(ASKED, { "s 0": [1, today] });
  await deleteEvents({ words: "canary" });
  expect(await taskLabels()).toEqual({ b: 1 });
  await deleteEvents({});
  expect(await taskLabels()).toEqual({});
  expect(await readState(ASKED, {})).toEqual({ "s 0": [today] }); // so many a day are asked, whatever is deleted of it
});
