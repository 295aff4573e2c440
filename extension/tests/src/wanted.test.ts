import { expect, test } from "vitest";
import { isWanted } from "../../src/content/wanted.ts";

const result = { engine: "google" };
const page = {};

test("nothing is written down before she says so, or while she pauses", () => {
  for (const wanted of [{}, { pages: true }, { logging: false, pages: true }]) {
    expect([isWanted(result, wanted), isWanted(page, wanted)]).toEqual([false, false]);
  }
});

test("pages only while she lets pages be logged", () => {
  expect(isWanted(page, { logging: true })).toBe(false);
  expect(isWanted(page, { logging: true, pages: false })).toBe(false);
  expect(isWanted(page, { logging: true, pages: true })).toBe(true);
});

test("result pages of engines that she has and that the browser lets be seen", () => {
  expect(isWanted(result, { logging: true })).toBe(true);
  expect(isWanted(result, { logging: true, blocked: ["google"] })).toBe(false);
  expect(isWanted({ engine: "own" }, { logging: true, engines: [] })).toBe(false);
  expect(isWanted({ engine: "own" }, { logging: true, engines: [{ id: "own" }] })).toBe(true);
});
