/** A day lasts until the next one begins, also where the clocks change. */

import { afterEach, expect, it } from "vitest";
import { localDay, perDay } from "../../src/log/days.ts";

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

const counts = (times: string[], now: string) => perDay(times.map((time) => new Date(time).getTime()), 28, new Date(now).getTime()).map(([day, number]) => [`${day.getMonth() + 1}-${day.getDate()}`, number] as const);

it("counts four weeks by day, also where the clocks change", () => {
  process.env["TZ"] = "Europe/Berlin";
  const found = counts(["2026-03-28T23:30", "2026-03-29T00:10", "2026-03-29T23:50", "2026-04-05T00:00"], "2026-04-05T12:00");
  expect(found.map(([day]) => day)).toContain("3-29");
  expect(new Set(found.map(([day]) => day)).size).toBe(28);
  expect(found.filter(([, number]) => number > 0)).toEqual([["3-28", 1], ["3-29", 2], ["4-5", 1]]);
});

it("counts nothing of the same day of another year", () => {
  const found = counts(["2025-11-18T10:00", "2026-11-18T10:00"], "2026-11-19T12:00");
  expect(found.filter(([, number]) => number > 0)).toEqual([["11-18", 1]]);
});
