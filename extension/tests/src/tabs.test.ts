/** What is logged of tabs, whichever comes first: the browser's word or a look at all tabs. */

import { describe, expect, it } from "vitest";
import { changes, type Known, opened, removed, selected, stepOver } from "../../src/background/tabs.ts";
import type { LogEvent } from "../../src/log/events.ts";

const NOW = 5;
const start: Known = { open: [1, 2, 3], selected: [1, 3] }; // 1 and 2 are in one window, 3 in another
const told = (events: readonly LogEvent[]) => events.map(({ kind, tab, time, from }) => [kind, tab, time, from]);

describe("a tab", () => {
  it("that comes and goes is logged twice, though no look finds it", () => {
    const [there, first] = opened(start, 7, 1, NOW);
    const [gone, second] = removed(there, 7, NOW + 1);
    expect(told([...first, ...second])).toEqual([["tab-add", 7, NOW, 1], ["tab-remove", 7, NOW + 1, undefined]]);
    expect(gone).toEqual(start);
  });
  it("that a look has found is not logged again", () => {
    const now = { open: [1, 3, 8], selected: [8, 3] };
    expect(told(changes(start, now, new Map([[8, 1]]), NOW))).toEqual([["tab-add", 8, NOW, 1], ["tab-select", 8, NOW, undefined], ["tab-remove", 2, NOW, undefined]]);
    expect([opened(now, 8, 1, NOW), selected(now, 8, [1, 8], NOW), removed(now, 2, NOW)]).toEqual([[now, []], [now, []], [now, []]]);
    expect(changes(now, now, new Map(), NOW)).toEqual([]);
  });
  it("that is selected takes the place of the one in its window", () => {
    const [now, events] = selected(start, 2, [1, 2], NOW);
    expect([now, told(events)]).toEqual([{ open: [1, 2, 3], selected: [3, 2] }, [["tab-select", 2, NOW, undefined]]]);
    expect(removed(now, 2, NOW)[0]).toEqual({ open: [1, 3], selected: [3] });
  });
  it("is logged from what the browser said, one after the other", () => {
    const said = [{ what: "opened", tab: 9, from: 1, time: NOW }, { what: "selected", tab: 9, window: 4, time: NOW + 1 }, { what: "removed", tab: 9, time: NOW + 2 }] as const;
    const [now, events] = stepOver(start, said, new Map([[4, [1, 2, 9]]]));
    expect(told(events)).toEqual([["tab-add", 9, NOW, 1], ["tab-select", 9, NOW + 1, undefined], ["tab-remove", 9, NOW + 2, undefined]]);
    expect(now).toEqual({ open: [1, 2, 3], selected: [3] });
  });
});
