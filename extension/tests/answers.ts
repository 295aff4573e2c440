/** Answers of the extension's own functions, for tests of the Python package: one JSON question on standard input, one answer out. */

import { QueryGraph, type CrowdLog } from "../lib/query-graph.ts";
import type { Labels } from "../src/apps/labels.ts";
import type { TaskSearch } from "../src/apps/searches.ts";
import { mineKind } from "../src/crowd/mining.ts";
import { taskVectors } from "../src/crowd/task-vectors.ts";
import type { LogEvent } from "../src/log/events.ts";
import { type Row, rowsOf } from "../src/log/export.ts";
import { represent } from "../src/log/normalise.ts";
import { stem } from "../src/log/stem.ts";
import { withTrails } from "../src/log/trails.ts";

interface Questions {
  readonly rows: readonly Row[];
  readonly kinds: readonly string[];
  readonly representations: readonly string[];
  readonly texts: readonly string[];
  readonly log: CrowdLog;
  readonly asked: readonly string[];
  readonly searches: readonly TaskSearch[];
  readonly labels: Labels;
  readonly words: readonly string[];
  readonly events: readonly LogEvent[];
}

let text = "";
for await (const part of process.stdin) text += String(part);
const { rows, kinds, representations, texts, log, asked, searches, labels, words, events } = JSON.parse(text) as Questions;
const mined = representations.map((name) => {
  const written = rows.map((row) => ({ ...row, query: represent(row.query, name) }));
  return kinds.map((kind) => mineKind(written, kind).map((item) => [item.texts, item.impressions]));
});
const graph = new QueryGraph(log);
const vectors = (["bin1", "bin2"] as const).map((bins) => taskVectors(searches, labels, bins).map((item) => [item.texts[0], item.impressions]));
const written = representations.map((name) => texts.map((one) => represent(one, name)));
const trails = rowsOf(withTrails(events)).map(({ query, time, url }) => [query, time, url]);
process.stdout.write(JSON.stringify({ mined, vectors, written, trails, stems: words.map(stem), answers: asked.map((query) => graph.answer(query, 20)) }));
