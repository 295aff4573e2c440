/** Mining one's own log: which artifacts a person has, and how often; the same as the Python client on the exported log. */

import { type Row, rowsOf } from "../log/export.ts";
import type { LogEvent } from "../log/events.ts";
import { groupBy } from "../log/group.ts";
import { normalise, represent } from "../log/normalise.ts";
import { byCodePoint } from "../log/order.ts";
import { SESSION_SECONDS } from "../log/sessions.ts";
import { withTrails } from "../log/trails.ts";
import type { Manifest } from "./manifest.ts";

const WINDOW = 30; // queries, Feild 2013

export interface Mined {
  readonly texts: readonly string[];
  readonly impressions: number;
  /** In a nested collection, her clicks or pairs of this query. */
  readonly inner: readonly Mined[];
  /** How she wrote a query most often, before its representation; only where the terms ask for it. */
  readonly original?: string;
}

interface Impression {
  readonly query: string;
  readonly time: number;
}

export function mine(events: readonly LogEvent[], manifest: Manifest): Mined[] {
  const { artifact, inner_artifact: inner, representation } = manifest.json;
  const { log_from: from, log_until: until } = manifest.json.job;
  const within = (time: number): boolean => time >= from && (until === 0 || time < until);
  const asked = rowsOf(artifact === "query-visit" ? withTrails(events) : events).filter((row) => normalise(row.query) !== "");
  const rows = asked.map((row) => ({ ...row, query: represent(row.query, representation) }));
  const inside = inner === "" ? new Map<string, Mined[]>() : groupBy(mineKind(rows, inner, within), (item) => item.texts[0] as string);
  const found = mineKind(rows, artifact, within).map((item) => ({ ...item, inner: inside.get(item.texts[0] as string) ?? [] }));
  return manifest.json.secondary === "" ? found : withOriginals(found, asked, representation, within);
}

/** Each query with the text she wrote most often for it, of equals the first in order. */
function withOriginals(found: readonly Mined[], asked: readonly Row[], representation: string, within: Within): Mined[] {
  const written = mineKind(asked.map((row) => ({ ...row, query: normalise(row.query) })), "query", within);
  const byName = groupBy(written, (item) => represent(item.texts[0] as string, representation));
  const first = (a: Mined, b: Mined): number => b.impressions - a.impressions || byCodePoint(a.texts[0] as string, b.texts[0] as string);
  return found.map((item) => ({ ...item, original: byName.get(item.texts[0] as string)?.sort(first)[0]?.texts[0] ?? "" }));
}

/** Whether a time is in the part of the log that is asked for; a pair's time is that of its second query. */
type Within = (time: number) => boolean;

/** Artifacts of one kind with the number of times they occur. */
export function mineKind(rows: readonly Row[], kind: string, within: Within = () => true): Mined[] {
  const counted = groupBy(occurrences(rows, kind, within), (texts) => texts.join("\n"));
  return [...counted.values()].map((all) => ({ texts: all[0] as string[], impressions: all.length, inner: [] }));
}

function occurrences(rows: readonly Row[], kind: string, within: Within): string[][] {
  const clicked = (): string[][] => clicks(rows.filter(({ time }) => within(time)));
  if (kind === "click" || kind === "query-visit") return clicked();
  if (kind === "site") return clicked().map(([, url]) => [siteOf(url as string)]);
  if (kind === "query-site") return clicked().map(([query, url]) => [query as string, siteOf(url as string)]);
  if (kind === "word-site") return clicked().flatMap(([query, url]) => wordsOf(query as string).map((word) => [word, siteOf(url as string)]));
  const asked = impressions(rows);
  const texts = (): string[][] => asked.filter(({ time }) => within(time)).map(({ query }) => wordsOf(query));
  if (kind === "word") return texts().flatMap((words) => words.map((word) => [word]));
  if (kind === "word-pair") return texts().flatMap((words) => words.slice(1).map((word, i) => [words[i] as string, word]));
  if (kind === "triple") return triples(asked, within);
  return kind === "query" ? asked.filter(({ time }) => within(time)).map(({ query }) => [query]) : pairs(asked, kind, within);
}

/** A query asked at a time counts once, however many of its results were clicked. */
function impressions(rows: readonly Row[]): Impression[] {
  const seen = new Set<string>();
  return rows.filter(({ query, time }) => {
    const name = `${time} ${query}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function wordsOf(query: string): string[] {
  return query.split(" ").filter((word) => word !== "");
}

// The host without user name, www. and port; what has no host stands for itself (crowdlog.artifacts.parts).
const HOST = /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)?(?:[^/?#@]*@)?(?:[wW]{3}\.)?([^/?#:]+)/;

function siteOf(url: string): string {
  return (HOST.exec(url)?.[1] ?? url).toLowerCase();
}

function clicks(rows: readonly Row[]): string[][] {
  return rows.flatMap(({ query, url }) => (url === undefined ? [] : [[query, url]]));
}

function pairs(asked: readonly Impression[], kind: string, within: Within): string[][] {
  const directed = !kind.startsWith("undirected-");
  const scope = kind.replace("undirected-", "");
  const sessions = sessionNumbers(asked);
  const found: string[][] = [];
  asked.forEach((later, j) => {
    if (!within(later.time)) return;
    for (let i = scope === "pair" ? j - 1 : scope === "window-pair" ? j - WINDOW + 1 : 0; i < j; i++) {
      const earlier = asked[i];
      if (!earlier || earlier.query === later.query) continue;
      if (scope !== "window-pair" && sessions[i] !== sessions[j]) continue;
      const both = [earlier.query, later.query];
      found.push(directed ? both : both.sort(byCodePoint));
    }
  });
  return found;
}

/** Three queries, one right after the other in a session, none like the one before it. */
function triples(asked: readonly Impression[], within: Within): string[][] {
  const sessions = sessionNumbers(asked);
  return asked.flatMap((third, i) => {
    const [first, second] = asked.slice(Math.max(0, i - 2), i);
    if (!first || !second || sessions[i - 2] !== sessions[i] || !within(third.time)) return [];
    return first.query === second.query || second.query === third.query ? [] : [[first.query, second.query, third.query]];
  });
}

function sessionNumbers(asked: readonly Impression[]): number[] {
  let number = 0;
  return asked.map(({ time }, i) => {
    const before = asked[i - 1];
    if (before && time - before.time > SESSION_SECONDS) number++;
    return number;
  });
}
