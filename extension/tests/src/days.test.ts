/** A day lasts until the next one begins, also where the clocks change. */

import { afterEach, expect, it } from "vitest";
import { localDay } from "../../src/log/days.ts";

const HOUR = 3600 * 1000;
const zone = process.env["TZ"];

afterEach(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

it.each([
  ["Europe/Berlin", "2026-03-28", 24],
  ["Europe/Berlin", "2026-03-29", 23],
  ["Europe/Berlin", "2026-10-25", 25],
  ["America/New_York", "2026-11-01", 25],
  ["America/Sao_Paulo", "2018-11-04", 23], // it began at one o'clock
  ["UTC", "2026-12-31", 24],
])("in %s on %s has its hours", (place, date, hours) => {
  process.env["TZ"] = place;
  const { start, end } = localDay(date)!;
  expect((end - start) / HOUR).toBe(hours);
  expect(new Date(start).getDate()).toBe(Number(date.slice(-2)));
  expect(new Date(end - 1).getDate()).toBe(Number(date.slice(-2))); // its last moment belongs to it
  expect(new Date(end).getDate()).not.toBe(Number(date.slice(-2)));
});

it("is none without a date", () => {
  expect(localDay("")).toBeUndefined();
});
