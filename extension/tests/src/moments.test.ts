/** Each report leaves at a moment of its own, however the window lies. */

import { describe, expect, it } from "vitest";
import { dueAnew, leaving, momentOf, overdue, spread } from "../../src/crowd/moments.ts";

const window = (length: number) => ({ opens: 1000, ends: 1000 + length });
const shares = Array.from({ length: 1000 }, (_unused, i) => ({ due: i / 1000 }));

describe("moments", () => {
  it.each([180, 600, 3600, 7 * 86_400])("of a window of %i seconds are all different, also at its end", (length) => {
    const moments = shares.map((item) => momentOf(item, window(length)));
    expect(new Set(moments).size).toBe(shares.length);
    expect(Math.max(...moments)).toBeLessThanOrEqual(1000 + length - 120);
  });
  it("leave the last tenth of the window free, ten minutes at most", () => {
    expect([1800, 3600, 86_400].map((length) => spread(window(length)))).toEqual([1620, 3240, 85_800]);
  });
  it("are one in a window too short for alarms", () => {
    expect(spread(window(60))).toBe(0);
    expect(leaving(shares, window(60), 1000)).toHaveLength(shares.length);
  });
  it("that passed while the browser was closed are drawn anew over what is left", () => {
    const week = window(7 * 86_400);
    const now = 1000 + 3 * 86_400;
    const late = overdue(shares, week, now);
    expect(late.length).toBeGreaterThan(400);
    const anew = late.map(({ due }) => momentOf({ due: dueAnew(due, week, now) }, week));
    expect(Math.min(...anew)).toBeGreaterThanOrEqual(now - 1e-6);
    expect(Math.max(...anew)).toBeLessThanOrEqual(week.ends - 120);
    expect(new Set(anew).size).toBe(late.length);
  });
  it("that passed long ago leave one at a look when there is no time left", () => {
    const hour = window(3600);
    const now = hour.ends - 60;
    expect(overdue(shares, hour, now)).toEqual([]);
    expect(leaving(shares, hour, now)).toEqual([shares[0]]);
  });
});
