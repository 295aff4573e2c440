/** Sessions, export, tabs, labels: functions of the log alone. */

import { describe, expect, it } from "vitest";
import { saidBy } from "./english.ts";
import { moved } from "../../src/apps/labels.ts";
import { taskSearches } from "../../src/apps/searches.ts";
import { changes } from "../../src/background/tabs.ts";
import { parseLink } from "../../src/crowd/link.ts";
import type { LogEvent } from "../../src/log/events.ts";
import { exported, rowsOf } from "../../src/log/export.ts";
import { sessionsOf } from "../../src/log/sessions.ts";
import { coverage } from "../../src/studies/coverage.ts";
import { frustrationFeatures } from "../../src/studies/frustration.ts";

const search = (uid: string, minutes: number, query: string): LogEvent => ({ uid, time: minutes * 60_000, kind: "search", query });
const click = (uid: string, of: string, target: string): LogEvent => ({ uid, time: 1, kind: "result-click", search: of, target, rank: 3 });

describe("sessions", () => {
  it("end at a pause of more than 26 minutes", () => {
    const times = [0, 26, 52.02, 60].map((minutes, i) => search(String(i), minutes, "q"));
    expect(sessionsOf(times).map((session) => session.length)).toEqual([2, 2]);
    expect(sessionsOf([])).toEqual([]);
  });
});

describe("the export", () => {
  const events = [search("b", 2, "two\twords\n"), search("a", 1, "one"), click("c", "a", "https://x.example/"), click("d", "a", "https://y.example/")];
  it("has a row for each click, or one for a search without", () => {
    expect(rowsOf(events).map(({ query, time, rank, url }) => [query, time, rank, url])).toEqual([["one", 60, 3, "https://x.example/"], ["one", 60, 3, "https://y.example/"], ["two words ", 120, undefined, undefined]]);
  });
  it("is written as AOL's files and as JSON Lines", () => {
    expect(exported(events, "aol").split("\n")[3]).toBe("1\ttwo words \t1970-01-01 00:02:00\t\t");
    expect(JSON.parse(exported(events, "jsonl").split("\n")[0]!)).toEqual({ user: "1", query: "one", time: 60, rank: 3, url: "https://x.example/" });
  });
});

describe("tabs", () => {
  it("are compared with those seen before", () => {
    const found = changes({ open: [1, 2], selected: [1] }, { open: [2, 3], selected: [3] }, new Map([[3, 2]]), 7);
    expect(found.map(({ kind, tab, from }) => [kind, tab, from])).toEqual([["tab-add", 3, 2], ["tab-select", 3, undefined], ["tab-remove", 1, undefined]]);
    expect(changes({ open: [1], selected: [1] }, { open: [1], selected: [1] }, new Map(), 7)).toEqual([]);
  });
});

describe("a moved search", () => {
  it("goes with its new task and not with its old one", () => {
    const labels = moved({}, "x", ["x", "y"], ["a", "b"]);
    expect(labels["x"]).toBe(labels["a"]);
    expect(labels["a"]).toBe(labels["b"]);
    expect(labels["y"]).not.toBe(labels["x"]);
  });
  it("may make a task of its own, and may be moved again", () => {
    const alone = moved({}, "x", ["x", "y"], []);
    expect(alone["x"]).not.toBe(alone["y"]);
    const back = moved(alone, "x", ["x"], ["y"]);
    expect(back["x"]).toBe(back["y"]);
  });
});

describe("searches of tasks", () => {
  it("join equal neighbours and hold the sites clicked", () => {
    const found = taskSearches([search("a", 1, "One"), search("b", 2, "one "), search("c", 3, "two"), click("d", "b", "https://www.x.example/p")]);
    expect(found.map(({ uid, query, sites }) => [uid, query, sites])).toEqual([["a", "one", ["x.example"]], ["c", "two", []]]);
    const step: LogEvent = { uid: "e", time: 2, kind: "link-click", url: "https://www.x.example/p", target: "https://y.example/" };
    const [first] = taskSearches([search("a", 1, "One"), click("d", "a", "https://www.x.example/p"), { ...step, time: 70_000 }]);
    expect([first?.visits, first?.sites]).toEqual([["https://www.x.example/p", "https://y.example/"], ["x.example"]]);
    expect(frustrationFeatures(found)).toEqual({ characters: 3, letters_per_word: 3, task_seconds: 120, task_actions: 3, urls: 1 });
    expect(frustrationFeatures(taskSearches([search("a", 1, "𝒳 ab")]))).toMatchObject({ characters: 4, letters_per_word: 1.5 }); // code points, as Python counts
  });
});

describe("coverage", () => {
  it("counts what occurs at least k times", () => {
    const events = [search("a", 1, "one"), search("b", 2, "two"), search("c", 3, "ONE"), click("d", "a", "https://x.example/")];
    expect(coverage(events, 3)).toEqual([[1, 2, 2, 1], [2, 1, 0, 0], [3, 0, 0, 0]]);
  });
});

describe("an invitation link", () => {
  const id = "ab".repeat(32);
  it("is read", () => {
    expect(parseLink(` https://h.example/x/collections/${id}#secret `)).toEqual({ server: "https://h.example/x", collection: id, invitation: "secret" });
  });
  it.each(["", "https://h.example/", `ftp://h/collections/${id}#s`, `https://h.example/collections/${id}`, `https://h.example/collections/${id.slice(1)}#s`])("is refused: %s", (text) => {
    expect(saidBy(() => parseLink(text))).toContain("link must look like");
  });
});
