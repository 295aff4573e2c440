/** Lab studies, counts of apps, the module log, kept failures: what is kept, and what goes with a study. */

import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import cases from "../../../tests/vectors/studies.json";
import { noteUse, usesOf } from "../../src/apps/usage.ts";
import { closeDatabase } from "../../src/store/database.ts";
import { described, keepError, keptErrors } from "../../src/store/errors.ts";
import { addEvents, deleteEvents } from "../../src/store/events.ts";
import { writeState } from "../../src/store/state.ts";
import { removeStudy, saveStudy, WAITING, waitingQuestions } from "../../src/studies/installed.ts";
import { begun, countsOf, labState, nextTask, saveLabState } from "../../src/studies/lab.ts";
import { latinSquare } from "../../src/studies/latin-square.ts";
import { moduleLog, noteModule, setDeveloperMode } from "../../src/studies/module-log.ts";
import { type Lab, readStudy } from "../../src/studies/study.ts";

const step = cases.lab as Lab;
const questions = { do: "questionnaire", when: "once", most_per_day: 1, features: "assistant", questions: cases.lab.before };
const study = readStudy({ ...cases.study, until: "2099-12-31", steps: [step, questions] });

beforeEach(async () => {
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await saveStudy({ id: study.id, study, signing: "", agreed: 1 });
});

describe("orders of tasks", () => {
  it("are those of the Python package", () => {
    expect(cases.squares.map(([tasks]) => latinSquare(tasks as number))).toEqual(cases.squares.map(([, rows]) => rows));
  });
  it("go by the person's number in a Latin square, and hold every task otherwise", () => {
    expect([1, 2, 7].map((person) => begun(step, person).order)).toEqual([[0, 1, 2], [1, 2, 0], [0, 1, 2]]);
    expect(begun({ ...step, order: "as-written" }, 5).order).toEqual([0, 1, 2]);
    expect([...begun({ ...step, order: "random" }, 5).order].sort()).toEqual([0, 1, 2]);
    expect([...begun(step, 1).engines].sort()).toEqual(["bing", "google"]);
  });
});

describe("a task", () => {
  it("counts what happened while it ran, and no word of it", async () => {
    const at = (uid: string, time: number, kind: "search" | "result-click") => ({ uid, time, kind, query: "canary", url: "https://e.example/" });
    await addEvents([at("a", 900, "search"), at("b", 1100, "search"), at("c", 1200, "search"), at("d", 1300, "result-click"), at("e", 9900, "search")]);
    const counted = await countsOf({ ...begun(step, 2), started: 1000, ended: 9400 });
    expect(counted).toEqual({ person: 2, place: 1, seconds: 8, searches: 2, results_opened: 1 });
  });
  it("is over when the next one begins", () => {
    const next = nextTask({ ...begun(step, 1), before: { known: "yes" }, started: 1, ended: 2 });
    expect([next.place, next.before, next.started, next.ended]).toEqual([1, undefined, undefined, undefined]);
  });
});

describe("what is kept for a study", () => {
  it("goes with it", async () => {
    await saveLabState(study.id, 0, begun(step, 1));
    await noteUse("assistant", "opened");
    await Promise.all([noteUse("assistant", "moved"), noteUse("assistant", "moved")]);
    expect(await usesOf(study.id, "assistant")).toEqual({ opened: 1, moved: 2 });
    await removeStudy(study.id);
    expect(await labState(study.id, 0)).toBeUndefined();
    expect(await usesOf(study.id, "assistant")).toEqual({});
  });
  it("is counted only where a study asks for it, and not while it is paused", async () => {
    await noteUse("suggestions", "opened");
    await saveStudy({ id: study.id, study, signing: "", agreed: 1, paused: true });
    await noteUse("assistant", "opened");
    expect([await usesOf(study.id, "suggestions"), await usesOf(study.id, "assistant")]).toEqual([{}, {}]);
  });
});

describe("a question that waits", () => {
  it("goes with the search it is about", async () => {
    const search = (uid: string, query: string) => ({ uid, time: 1, kind: "search" as const, query, url: `https://e.example/${uid}` });
    await addEvents([search("a", "canary"), search("b", "other")]);
    await writeState(WAITING, ["a", "b"].map((about) => ({ name: about, study: study.id, step: 0, time: 1, about, text: about })));
    await deleteEvents({ words: "canary" });
    expect((await waitingQuestions()).map(({ about }) => about)).toEqual(["b"]);
  });
});

describe("the module log", () => {
  it("is written in developer mode alone, holds a bounded number of lines, and is forgotten with the mode", async () => {
    await noteModule("s", "unseen");
    await setDeveloperMode(true);
    for (let i = 0; i < 505; i++) await noteModule("s", String(i));
    expect([(await moduleLog()).length, (await moduleLog()).at(-1)?.what]).toEqual([500, "504"]);
    await setDeveloperMode(false);
    expect(await moduleLog()).toEqual([]);
  });
});

describe("a kept failure", () => {
  const base = "chrome-extension://abc/";
  it("says where in our files, and nothing of what it says", () => {
    const error = new SyntaxError("canary at https://other.example/x.js:1:2");
    error.stack = `SyntaxError: ${error.message}\n    at read (${base}history.js:12:3)\n    at ${base}history.js:40:1\n    at https://other.example/y.js:7:7`;
    expect(described(error, base)).toBe("SyntaxError < history.js:12:3 < history.js:40:1");
    error.stack = `read@${base}history.js:12:3\n@${base}history.js:40:1\n`;
    expect(described(error, base)).toBe("SyntaxError < history.js:12:3 < history.js:40:1");
    expect(described("canary", base)).toBe("string");
  });
  it("is one of the newest twenty", async () => {
    vi.stubGlobal("chrome", { runtime: { getURL: () => base } });
    for (let i = 0; i < 22; i++) await keepError("history.html", new Error("canary"));
    const kept = await keptErrors();
    expect(kept.length).toBe(20);
    expect(JSON.stringify(kept)).not.toContain("canary");
  });
});
