/** Table 8.1 of Feild 2013 for one person: how many different queries, pairs and clicks occur at least k times. */

import { mineKind } from "../crowd/mining.ts";
import { rowsOf } from "../log/export.ts";
import type { LogEvent } from "../log/events.ts";
import { normalise } from "../log/normalise.ts";

export const COLUMNS = ["query", "pair", "click"] as const;

/** Rows for k = 1 … mostK: k, then the number of each column. */
export function coverage(events: readonly LogEvent[], mostK: number): number[][] {
  const rows = rowsOf(events).map((row) => ({ ...row, query: normalise(row.query) })).filter(({ query }) => query !== "");
  const counted = COLUMNS.map((kind) => mineKind(rows, kind).map(({ impressions }) => impressions));
  return Array.from({ length: mostK }, (_x, i) => [i + 1, ...counted.map((times) => times.filter((time) => time >= i + 1).length)]);
}
