/** The log: each event once, found by words, deleted with its traces. */

import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it } from "vitest";
import { type LogEvent, wordsOf } from "../../src/log/events.ts";
import { closeDatabase } from "../../src/store/database.ts";
import { addEvents, countEvents, deleteEvent, deleteEvents, deleteReplayed, eventsOf, everything, findEvents, lastNumber } from "../../src/store/events.ts";

const page = "https://engine.example/search?q=blue+shoes";
const search: LogEvent = { uid: "s", time: 1000, kind: "search", query: "Blue shoes", url: page };
const click: LogEvent = { uid: "c", time: 2000, kind: "result-click", search: "s", query: "Blue shoes", url: page, target: "https://shop.example/a", rank: 1 };
const load: LogEvent = { uid: "l", time: 1500, kind: "load", url: page, title: "Results" };
const other: LogEvent = { uid: "o", time: 3000, kind: "search", query: "red hats", url: "https://engine.example/search?q=red+hats" };

beforeEach(async () => {
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await addEvents([search, click, load, other]);
});

describe("the log", () => {
  it("keeps an event once, however often it is written", async () => {
    expect(await addEvents([search, other, { ...other, uid: "n" }])).toBe(1);
    expect(await Promise.all([addEvents([{ ...load, uid: "x" }]), addEvents([{ ...load, uid: "x" }])])).toEqual([1, 0]);
    expect(await countEvents()).toBe(6);
  });
  it("finds events by the beginnings of words, newest first, and by kind and time", async () => {
    const found = async (filter: Parameters<typeof findEvents>[0]) => (await findEvents(filter, 10)).map(({ uid }) => uid);
    expect(await found({ words: "shoe BLUE" })).toEqual(["c", "l", "s"]);
    expect(await found({ words: "shop" })).toEqual(["c"]);
    expect(await found({ words: "nothing" })).toEqual([]);
    expect(await found({ kinds: ["search"] })).toEqual(["o", "s"]);
    expect(await found({ from: 1500, until: 3000 })).toEqual(["c", "l"]);
    expect(await found({})).toEqual(["o", "c", "l", "s"]);
    expect((await findEvents({ words: "engine" }, 2)).length).toBe(2);
  });
  it("goes on with older events as it began, whatever is logged meanwhile", async () => {
    await addEvents(["x", "y", "z"].map((uid): LogEvent => ({ uid, time: 500, kind: "search", query: `blue ${uid}` }))); // read from a file: old, and logged last
    for (const filter of [{}, { words: "blue" }, { until: 2001 }]) {
      const begun = { ...filter, upTo: await lastNumber() };
      const all = await findEvents(begun, 20);
      await addEvents([1, 2, 3].map((n) => ({ ...other, uid: JSON.stringify([filter, n]), time: n === 1 ? 1999 : 4000, query: "blue since then" })));
      expect(await findEvents(begun, 20)).toEqual(all);
      expect(await findEvents(begun, 2)).toHaveLength(2);
      expect((await findEvents(filter, 20)).length).toBeGreaterThan(all.length);
    }
  });
  it("deletes a search with its clicks and the visits of its page", async () => {
    const [found] = await findEvents({ words: "blue", kinds: ["search"] }, 1);
    expect((await deleteEvent(found!.n)).size).toBe(3);
    expect((await everything()).map(({ uid }) => uid)).toEqual(["o"]);
  });
  it("deletes by word and by time", async () => {
    expect(await deleteEvents({ words: "hats" })).toBe(1);
    expect(await deleteEvents({ until: 1200 })).toBe(3);
    expect(await countEvents()).toBe(0);
  });
  it("finds and deletes nothing by signs that are no words", async () => {
    for (const words of ["++", " !! ", "…"]) {
      expect(await findEvents({ words }, 10)).toEqual([]);
      expect(await deleteEvents({ words })).toBe(0);
    }
    expect(await countEvents()).toBe(4);
    expect((await findEvents({ words: "  " }, 10)).length).toBe(4); // an empty field asks for everything
  });
  it("finds and deletes a search by what its results are called and where they lead", async () => {
    const results = [{ rank: 1, title: "A clinic for knees", url: "https://doctor-meier.example/knees" }];
    await addEvents([{ ...other, uid: "r", results }]);
    const found = async (words: string) => (await findEvents({ words }, 10)).map(({ uid }) => uid);
    expect([await found("clinic"), await found("meier kne")]).toEqual([["r"], ["r"]]);
    expect(await deleteEvents({ words: "clinic" })).toBe(2); // and the search before it, whose page has the same address
    expect([await found("clinic"), await found("hats")]).toEqual([[], []]);
  });
  it("deletes exactly what was replayed", async () => {
    const [asked, opened] = [{ ...search, uid: "rs", replay: "r" }, { ...click, uid: "rc", search: "rs", replay: "r" }];
    await addEvents([asked, opened, { ...load, uid: "real", url: page, search: "rs" }]); // what happened there meanwhile
    expect(await deleteReplayed()).toBe(2);
    expect((await everything()).map(({ uid }) => uid)).toEqual(["s", "l", "real", "c", "o"]);
    expect((await findEvents({ words: "engine" }, 10)).length).toBe(5);
    expect(await deleteReplayed()).toBe(0);
  });
  it("gives kinds in order of time", async () => {
    expect((await eventsOf(["result-click", "search"])).map(({ uid }) => uid)).toEqual(["s", "c", "o"]);
  });
});

describe("words", () => {
  it("are those of texts and of decoded addresses", () => {
    expect(wordsOf({ ...search, query: "Zürich", url: "https://e.example/?q=caf%C3%A9+bar" })).toEqual(["zürich", "https", "e", "example", "q", "café", "bar"]);
    expect(wordsOf({ ...search, url: "https://e.example/%zz" })).toContain("zz");
  });
});

describe("the index", () => {
  const kinds = ["search", "load"] as const;
  const many = Array.from({ length: 5000 }, (_x, i): LogEvent => ({ uid: `m${i}`, time: 10_000 + i * 60_000, kind: kinds[i % 7 === 0 ? 0 : 1], title: `all odd${i % 2} w${i % 50}` }));
  const answer = (words: string, most: number, fits: (event: LogEvent) => boolean) =>
    many.filter((event) => words.split(" ").every((word) => (event.title ?? "").split(" ").some((one) => one.startsWith(word))) && fits(event)).reverse().slice(0, most).map(({ uid }) => uid);

  it("gives the newest events of many blocks, by words, kinds and times, also after deletions", async () => {
    await addEvents(many);
    const found = async (filter: Parameters<typeof findEvents>[0], most: number) => (await findEvents(filter, most)).map(({ uid }) => uid);
    expect(await found({ words: "all" }, 201)).toEqual(answer("all", 201, () => true));
    expect(await found({ words: "al odd1 w7" }, 300)).toEqual(answer("al odd1 w7", 300, () => true));
    expect(await found({ words: "w1", kinds: ["search"] }, 300)).toEqual(answer("w1", 300, ({ kind }) => kind === "search"));
    const [from, until] = [10_000 + 1500 * 60_000, 10_000 + 1700 * 60_000];
    expect(await found({ words: "all", from, until }, 300)).toEqual(answer("all", 300, ({ time }) => time >= from && time < until));
    const gone = many.filter(({ title }) => title?.includes("w7")).length;
    expect(await deleteEvents({ words: "w7" })).toBe(gone);
    expect(await found({ words: "w7" }, 10)).toEqual([]);
    expect(await found({ words: "all" }, 6000)).toEqual(answer("all", 6000, ({ title }) => !title?.includes("w7")));
    expect(await deleteEvents({})).toBe(many.length - gone + 4);
    expect(await found({ words: "all" }, 10)).toEqual([]);
  });
  it("is made anew for a log whose index knew no results", async () => {
    const results = [{ rank: 1, title: "A clinic", url: "https://doctor.example/" }];
    await closeDatabase();
    await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
    await new Promise<void>((resolve) => {
      const request = indexedDB.open("crowdlog", 2);
      request.onupgradeneeded = () => {
        const events = request.result.createObjectStore("events", { keyPath: "n", autoIncrement: true });
        events.createIndex("time", "time");
        request.result.createObjectStore("postings").put(Uint16Array.of(1), [0, "stale"]);
        events.add({ ...search, results });
      };
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
    });
    const found = async (words: string) => (await findEvents({ words }, 10)).map(({ uid }) => uid);
    expect([await found("clinic"), await found("blue"), await found("stale")]).toEqual([["s"], ["s"], []]);
  });
  it("is made for a log of version 1", async () => {
    await closeDatabase();
    await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
    await new Promise<void>((resolve) => {
      const request = indexedDB.open("crowdlog", 1);
      request.onupgradeneeded = () => {
        const events = request.result.createObjectStore("events", { keyPath: "n", autoIncrement: true });
        events.createIndex("uid", "uid", { unique: true });
        events.createIndex("time", "time");
        events.createIndex("kind", ["kind", "time"]);
        events.createIndex("search", "search");
        events.createIndex("words", "words", { multiEntry: true });
        for (const event of [search, click, load]) events.add({ ...event, words: wordsOf(event) });
        request.result.createObjectStore("state");
        request.result.createObjectStore("answers", { keyPath: "n", autoIncrement: true });
      };
      request.onsuccess = () => {
        request.result.close();
        resolve();
      };
    });
    expect((await findEvents({ words: "shoes" }, 10)).map(({ uid }) => uid)).toEqual(["c", "l", "s"]);
    expect(await deleteEvents({ words: "shop" })).toBe(1);
  });
});
