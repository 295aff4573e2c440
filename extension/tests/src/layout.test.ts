/** How the files hang together: no file needs one that needs it. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const FILES = ["src", "lib"].flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(ROOT, folder, name))).filter((name) => name.endsWith(".ts"));

/** What a file imports of ours when it runs; types are gone by then. */
function importsOf(file: string): string[] {
  const found = readFileSync(file, "utf8").matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]*\.ts)"/gm);
  return [...found].map(([, path]) => join(dirname(file), path as string));
}

function cycleFrom(file: string, imports: ReadonlyMap<string, readonly string[]>, way: readonly string[], done: Set<string>): readonly string[] | undefined {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
  if (done.has(file)) return undefined;
  done.add(file);
  return (imports.get(file) ?? []).map((next) => cycleFrom(next, imports, [...way, file], done)).find((cycle) => cycle !== undefined);
}

it("one file sends requests; two read what came with the extension", () => {
  const fetching = FILES.filter((file) => /\b(?:fetch|sendBeacon|XMLHttpRequest|WebSocket|EventSource)\(/.test(readFileSync(file, "utf8")));
  expect(fetching.map((file) => file.slice(ROOT.length + 1)).sort()).toEqual(["src/background/gate.ts", "src/studies/triggers.ts", "src/workers/tasks.ts"]);
});

it("no file imports itself by way of others", () => {
  const imports = new Map(FILES.map((file) => [file, importsOf(file)]));
  expect(FILES.length).toBeGreaterThan(80);
  expect(imports.get(join(ROOT, "src/store/database.ts"))).toContain(join(ROOT, "src/store/postings.ts"));
  const done = new Set<string>();
  expect(FILES.map((file) => cycleFrom(file, imports, [], done)).filter((cycle) => cycle !== undefined)).toEqual([]);
});
