/** Logs that the simulator replays. */

import { describe, expect, it } from "vitest";
import { exported } from "../../src/log/export.ts";
import { readRows } from "../../src/log/read-rows.ts";

const events = [
  { uid: "s", time: 1_700_000_000_000, kind: "search", query: "blue shoes" },
  { uid: "c", time: 1_700_000_001_000, kind: "result-click", search: "s", rank: 2, target: "https://shop.example/" },
  { uid: "t", time: 1_700_000_100_000, kind: "search", query: "train times" },
] as const;

describe("rows", () => {
  it("are read in both formats of the export", () => {
    const rows = [{ user: "1", query: "blue shoes", time: 1_700_000_000, rank: 2, url: "https://shop.example/" }, { user: "1", query: "train times", time: 1_700_000_100 }];
    for (const format of ["aol", "jsonl"] as const) expect(readRows(exported(events, format))).toEqual(rows);
  });
  it("are those of the first person", () => {
    expect(readRows("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n7\ta\t2026-03-01 00:00:00\t\t\n8\tb\t2026-03-01 00:00:00\t\t\n").map(({ query }) => query)).toEqual(["a"]);
  });
  it("name the line that is wrong", () => {
    expect(() => readRows('{"user": "1", "query": "a", "time": 1}\n{"query": 3}')).toThrow("simulator_line 2");
    expect(() => readRows("no json")).toThrow("simulator_line 1");
  });
});
