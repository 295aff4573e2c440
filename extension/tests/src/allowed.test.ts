/** Which engines the browser lets be seen, by what it says it has granted. */

import { expect, it } from "vitest";
import { blockedEngines } from "../../src/engines/allowed.ts";

async function blocked(...origins: string[]): Promise<string> {
  const storage = { local: { get: async () => ({ engines: [{ id: "own", name: "Own", host: "own.example:8080", path: "/find" }] }) } };
  (globalThis as { chrome?: unknown }).chrome = { storage, permissions: { getAll: async () => ({ origins }) } };
  const { ids, all } = await blockedEngines();
  return all ? "all" : ids.join(" ");
}

it.each([
  [[], "all"],
  [["<all_urls>"], ""],
  [["http://*/*", "https://*/*"], ""],
  [["*://www.google.com/search*"], "bing duckduckgo yahoo brave own"],
  [["https://www.google.com/*"], "bing duckduckgo yahoo brave own"], // one site alone
  [["https://de.search.yahoo.com/*"], "google bing duckduckgo brave own"],
  [["*://*.search.yahoo.com/search*"], "google bing duckduckgo brave own"],
  [["https://*.google.com/*"], "bing duckduckgo yahoo brave own"],
  [["https://own.example/*"], "google bing duckduckgo yahoo brave"],
  [["https://google.com/*", "https://www.google.com.example/*", "https://notsearch.yahoo.com/*", "file:///*"], "all"],
])("%j", async (origins, expected) => {
  expect(await blocked(...origins)).toBe(expected);
});
