/** Engines as data. */

import { describe, expect, it } from "vitest";
import { askedBy, engineAt, ENGINES, matchesOf, originsOf, readEngine, unwrapped } from "../../src/engines/engine.ts";
import { saidBy } from "./english.ts";

const asked = (address: string) => {
  const found = askedBy(address, ENGINES);
  return found && [found.engine.id, found.query, found.start];
};

describe("an address", () => {
  it("tells engine, query and the rank of the first result", () => {
    expect(asked("https://www.google.com/search?q=a+b")).toEqual(["google", "a b", 1]);
    expect(asked("https://www.google.com/search?q=a&start=20")).toEqual(["google", "a", 21]);
    expect(asked("https://www.bing.com/search?q=a&first=11")).toEqual(["bing", "a", 11]);
    expect(asked("https://duckduckgo.com/?q=a")).toEqual(["duckduckgo", "a", 1]);
    expect(asked("https://search.yahoo.com/search?p=a&b=8")).toEqual(["yahoo", "a", 8]);
    expect(asked("https://search.yahoo.com/search;_ylt=Awr1;_ylu=Y29?p=a")).toEqual(["yahoo", "a", 1]);
    expect(asked("https://uk.search.yahoo.com/search?p=a")).toEqual(["yahoo", "a", 1]);
    expect(asked("https://search.brave.com/search?q=a&offset=2")).toEqual(["brave", "a", 41]);
    expect(asked("https://www.google.com/search?q=a&start=x")).toEqual(["google", "a", 1]);
  });
  it("of anything else tells nothing", () => {
    for (const address of ["https://www.google.com/maps?q=a", "https://www.google.com/search?q=+", "https://evil.example/search?q=a", "https://evilsearch.yahoo.com/search?p=a", "https://de.www.google.com/search?q=a", "https://duckduckgo.com/settings?q=a"]) {
      expect(asked(address)).toBeUndefined();
    }
  });
});

describe("a shipped engine at another address", () => {
  const google = ENGINES[0]!;
  it("asks the same way there", () => {
    const german = engineAt(google, " https://www.google.DE/ ");
    expect([german.host, german.id, originsOf(german)]).toEqual(["www.google.de", "google@www.google.de", ["http://www.google.de/*", "https://www.google.de/*"]]);
    expect(askedBy("https://www.google.de/search?q=a&start=10", [...ENGINES, german])).toEqual({ engine: german, query: "a", start: 11 });
  });
  it.each([["www.google.com", "already"], ["uk.search.yahoo.com", "already"], ["*", "host"], ["", "host"]])("is refused for %o", (host, word) => {
    expect(saidBy(() => engineAt(google, host))).toContain(word);
  });
});

describe("a wrapped link", () => {
  it("is unwrapped, and left alone where it cannot be", () => {
    expect(unwrapped("https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9hLmV4YW1wbGUv", { parameter: "u", base64: "a1" })).toBe("https://a.example/");
    expect(unwrapped("https://www.bing.com/ck/a?u=zz", { parameter: "u", base64: "a1" })).toBe("https://www.bing.com/ck/a?u=zz");
    expect(unwrapped("https://r.search.yahoo.com/_ylt=A/RU=https%3a%2f%2fa.example%2f/RK=2", { path: "RU=" })).toBe("https://a.example/");
    expect(unwrapped("https://e.example/?to=https://a.example/", { parameter: "to" })).toBe("https://a.example/");
    expect(unwrapped("no address", { path: "RU=" })).toBe("no address");
    expect(unwrapped("https://a.example/", undefined)).toBe("https://a.example/");
  });
});

describe("an engine file", () => {
  const good = { version: 1, id: "own", name: "Own", host: "own.example", path: "/s", query: "q", page: null, results: { item: "li", link: "a", title: "h2" } };
  it("is read, and gives the pages it is about", () => {
    expect(matchesOf(readEngine(JSON.stringify(good)))).toEqual(["*://own.example/s*"]);
    const countries = readEngine(JSON.stringify({ ...good, host: "own.example:8080", subdomains: true }));
    expect([matchesOf(countries), originsOf(countries)]).toEqual([["*://*.own.example/s*"], ["http://*.own.example/*", "https://*.own.example/*"]]);
  });
  it.each([[{ version: 2 }, "version"], [{ host: "*" }, "host"], [{ name: "" }, "name"], [{ results: {} }, "results"], [{ page: { parameter: 1 } }, "page"], [{ subdomains: "yes" }, "subdomains"]])("is refused with what is wrong: %o", (change, word) => {
    expect(saidBy(() => readEngine(JSON.stringify({ ...good, ...change })))).toContain(word);
  });
  it("must be JSON", () => {
    expect(saidBy(() => readEngine("{"))).toContain("JSON");
    expect(saidBy(() => readEngine("null"))).toContain("version");
  });
});
