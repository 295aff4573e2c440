/** A question after a search or at the end of a task is asked once, wherever the background is stopped in between. */

import "fake-indexeddb/auto";
import { readFileSync } from "node:fs";
import { beforeEach, expect, it } from "vitest";
import { drainJournal } from "../../src/background/journal.ts";
import { JOURNAL } from "../../src/content/record.ts";
import { closeDatabase, emptyDatabase } from "../../src/store/database.ts";
import { deleteEvents } from "../../src/store/events.ts";
import { ASKED, dismiss, removeStudy, saveStudy, WAITING, type Waiting, waitingQuestions } from "../../src/studies/installed.ts";
import { readState, writeState } from "../../src/store/state.ts";
import type { Study } from "../../src/studies/study.ts";
import { tellStudies } from "../../src/studies/triggers.ts";

const study = { id: "asks", from: "2000-01-01", until: "2999-12-31", steps: [{ do: "questionnaire", when: "search", most_per_day: 2, questions: [] }] } as unknown as Study;
const MODEL = new URL("../../../src/crowdlog/applications/tasks/default.json", import.meta.url);
let kept: Record<string, unknown>;

function searched(uid: string): void {
  kept[JOURNAL + uid] = { uid, time: Date.now(), kind: "search", query: uid };
}

async function waiting(): Promise<string[]> {
  return (await waitingQuestions()).map(({ text }) => text);
}

beforeEach(async () => {
  kept = {};
  const local = { get: async () => ({ ...kept }), remove: async (names: string[]) => names.forEach((name) => delete kept[name]) };
  (globalThis as { chrome?: unknown }).chrome = { storage: { local } }; // what pages write to, without a browser
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await saveStudy({ id: "asks", study, signing: "", agreed: 0 });
});

it("waits for studies that were not told before the stop", async () => {
  searched("one");
  await drainJournal(); // and here the background is stopped
  expect(await waiting()).toEqual([]);
  expect((await drainJournal()).length).toBe(0); // it runs again: nothing is new
  expect(await tellStudies()).toBe(true);
  expect(await waiting()).toEqual(["one"]);
});

it("is not asked again after it was answered or skipped", async () => {
  searched("one");
  await drainJournal();
  await tellStudies();
  const [question] = await waitingQuestions();
  await dismiss(question!);
  expect(await tellStudies()).toBe(false);
  expect(await waiting()).toEqual([]);
});

it("keeps to the limit of a day, over several stops", async () => {
  for (const uid of ["one", "two", "three"]) {
    searched(uid);
    await drainJournal();
  }
  await tellStudies();
  searched("four");
  await drainJournal();
  expect(await tellStudies()).toBe(false);
  expect(await waiting()).toEqual(["one", "two"]);
});

it("is not asked about a search that was deleted meanwhile, nor by a study that was left", async () => {
  searched("one");
  await drainJournal();
  await deleteEvents({});
  expect(await tellStudies()).toBe(false);
  searched("two");
  await drainJournal();
  await removeStudy("asks");
  expect(await tellStudies()).toBe(false);
  expect(await waiting()).toEqual([]);
});

it("keeps to the limit of a day also when she deletes her log, and keeps no more than the day", async () => {
  for (const uid of ["one", "two"]) searched(uid);
  await drainJournal();
  await tellStudies();
  await deleteEvents({});
  expect(await waiting()).toEqual([]);
  const day = new Date().setHours(0, 0, 0, 0);
  expect(await readState(ASKED, {})).toEqual({ "asks 0": [day, day] });
  searched("three");
  await drainJournal();
  expect(await tellStudies()).toBe(false);
  await emptyDatabase();
  expect(await readState(ASKED, {})).toEqual({});
});

it("is asked again on the next day, and the day before is forgotten", async () => {
  const yesterday = new Date().setHours(0, 0, 0, 0) - 1;
  await writeState(ASKED, { "asks 0": [yesterday, yesterday], "another 0": [yesterday] });
  searched("one");
  await drainJournal();
  expect(await tellStudies()).toBe(true);
  expect(await readState(ASKED, {})).toEqual({ "asks 0": [new Date().setHours(0, 0, 0, 0)] });
});

const over = { ...study, id: "over", until: "2000-01-02" };
const fifty = (of: string): Waiting[] => Array.from({ length: 50 }, (_none, i) => ({ name: `${of} ${i}`, study: of, step: 0, time: 1, about: "", text: `canary ${of}` }));

async function keptOf(): Promise<string[]> {
  return [...new Set((await readState<Waiting[]>(WAITING, [])).map((one) => one.study))];
}

it("is asked although many wait of studies that do not ask now; those of one that is over or was left go", async () => {
  await saveStudy({ id: "over", study: over, signing: "", agreed: 0 });
  await saveStudy({ id: "paused", study: { ...study, id: "paused" }, signing: "", agreed: 0, paused: true });
  await writeState(WAITING, ["over", "paused", "left"].flatMap(fifty));
  searched("one");
  await drainJournal();
  expect(await tellStudies()).toBe(true);
  expect(await waiting()).toEqual(["one"]);
  expect(await keptOf()).toEqual(["paused", "asks"]); // she may go on with it
});

it("goes with its study when it is over, as soon as somebody looks", async () => {
  await saveStudy({ id: "over", study: over, signing: "", agreed: 0 });
  await writeState(WAITING, fifty("over"));
  expect(await waiting()).toEqual([]);
  expect(await keptOf()).toEqual([]);
});

it("is not asked while so many wait that she could answer", async () => {
  await writeState(WAITING, fifty("asks"));
  searched("one");
  await drainJournal();
  expect(await tellStudies()).toBe(false);
  expect((await waiting()).length).toBe(50);
});

it("is asked of every task that ended, also when all its searches come at once", async () => {
  const asks = { ...study, steps: [{ do: "questionnaire", when: "task-end", most_per_day: 9, features: "frustration", questions: [] }] } as unknown as Study;
  await saveStudy({ id: "asks", study: asks, signing: "", agreed: 0 });
  const model = readFileSync(MODEL).toString("base64");
  (globalThis as unknown as { chrome: Record<string, unknown> }).chrome["runtime"] = { getURL: () => `data:application/json;base64,${model}` };
  const now = Date.now();
  const queries = ["blue shoes", "blue shoes red", "quantum lecture", "cake recipe", "cake recipe easy", "train to rome"];
  queries.forEach((query, i) => (kept[JOURNAL + i] = { uid: String(i), time: now - 60_000 * (queries.length - i), kind: "search", query }));
  await drainJournal();
  expect(await tellStudies()).toBe(true);
  expect(await waiting()).toEqual(["blue shoes red", "quantum lecture", "cake recipe easy"]);
  expect((await waitingQuestions()).map(({ features }) => features?.["task_actions"])).toEqual([2, 1, 2]);
  expect(await tellStudies()).toBe(false);
});
