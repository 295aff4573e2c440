/** Where the browser has no room left: it is told in a sentence, and a failure that cannot be kept is no failure. */

import "fake-indexeddb/auto";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { addEvents } from "../../src/store/events.ts";
import { keepError, keptErrors } from "../../src/store/errors.ts";

beforeEach(() => {
  (globalThis as { chrome?: unknown }).chrome = { runtime: { getURL: () => "chrome-extension://one/" } };
  for (const name of ["add", "put"] as const) {
    vi.spyOn(IDBObjectStore.prototype, name).mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
  }
});

afterEach(() => vi.restoreAllMocks());

it("is told", async () => {
  await expect(addEvents([{ uid: "a", time: 1, kind: "load" }])).rejects.toMatchObject({ sentence: "told_full" });
});

it("does not fail for the failure that it keeps", async () => {
  await keepError("history", new Error("canary"));
  vi.restoreAllMocks();
  expect(await keptErrors()).toEqual([]);
});
