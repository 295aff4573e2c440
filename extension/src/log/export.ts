/** The log in formats that `crowdlog import` reads: a row for each result clicked, or one for a search without clicks. */

import { groupBy } from "./group.ts";
import { isSearch, type LogEvent } from "./events.ts";
import { seconds } from "./sessions.ts";

export const FORMATS = ["aol", "jsonl"] as const;
export type Format = (typeof FORMATS)[number];

export interface Row {
  readonly user: string;
  readonly query: string;
  readonly time: number;
  readonly rank?: number;
  readonly url?: string;
}

const USER = "1"; // the log holds one person, and nothing says who

/** Rows in order of time, as the import takes them. */
export function rowsOf(events: readonly LogEvent[]): Row[] {
  const clicks = groupBy(events.filter((event) => event.kind === "result-click"), (event) => event.search);
  const searches = events.filter(isSearch).sort((a, b) => a.time - b.time);
  return searches.flatMap((search) => {
    const row = { user: USER, query: oneLine(search.query), time: seconds(search) };
    const clicked = (clicks.get(search.uid) ?? []).filter((click) => click.target !== undefined);
    if (clicked.length === 0) return [row];
    return clicked.map((click) => ({ ...row, rank: click.rank ?? 0, url: oneLine(click.target as string) }));
  });
}

export function exported(events: readonly LogEvent[], format: Format): string {
  const rows = rowsOf(events);
  if (format === "jsonl") return rows.map((row) => JSON.stringify(row) + "\n").join("");
  const lines = rows.map((row) => [row.user, row.query, clock(row.time), row.rank ?? "", row.url ?? ""].join("\t"));
  return ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL", ...lines].join("\n") + "\n";
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** UTC, as the import reads a time without a zone. */
function clock(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 19).replace("T", " ");
}
