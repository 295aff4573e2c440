/** Every text a page shows is in the locale file, and nothing else is. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import messages from "../../_locales/en/messages.json";
import { KINDS } from "../../src/log/events.ts";
import { ARTIFACTS } from "../../src/crowd/manifest.ts";
import { PERMISSIONS } from "../../src/studies/study.ts";

const sources = ["src", "lib"].flatMap((part) => {
  const folder = fileURLToPath(new URL(`../../${part}`, import.meta.url));
  return (readdirSync(folder, { recursive: true }) as string[]).filter((name) => name.endsWith(".ts")).map((name) => readFileSync(`${folder}/${name}`, "utf8"));
});

/** Names in quotes, and names that are put together: all that begin so. */
const fixed = new Set(sources.flatMap((text) => [...text.matchAll(/"([a-z][a-z0-9_]*)"/g)].map(([, name]) => name as string)));
const begun = new Set(sources.flatMap((text) => [...text.matchAll(/message\(`([a-z_]+)\$\{/g)].map(([, name]) => name as string)));
const used = (name: string) => fixed.has(name) || sources.some((text) => text.includes(`${name}:`)) || [...begun].some((start) => name.startsWith(start)) || ["name", "description"].includes(name) || /^(assistant|suggestions)_what$/.test(name);

it("holds every message that is asked for by name", () => {
  const asked = sources.flatMap((text) => [...text.matchAll(/message\(\s*"([a-z_0-9]+)"/g)].map(([, name]) => name as string));
  const either = sources.flatMap((text) => [...text.matchAll(/message\([^"`)]*\? "([a-z_]+)" : "([a-z_]+)"/g)].flatMap(([, one, other]) => [one as string, other as string]));
  const made = [...KINDS.map((kind) => `kind_${kind.replace("-", "_")}`), ...ARTIFACTS.map((kind) => `artifact_${kind.replaceAll("-", "_")}`), ...PERMISSIONS.flatMap((name) => [`group_${name}`, `group_${name}_what`])];
  expect([...asked, ...either, ...made].filter((name) => !(name in messages))).toEqual([]);
});

it("holds every sentence of an error; none is written in the code", () => {
  const thrown = sources.flatMap((text) => [...text.matchAll(/"(told_[a-z_0-9]+)"|\b(told_[a-z_0-9]+):|new (?:Told|ReportError|PrivacyRefusal)\("([a-z_0-9]+)"/g)].map(([, one, two, three]) => one ?? two ?? (three as string)));
  expect(thrown.length).toBeGreaterThan(60);
  expect(thrown.filter((name) => !(name in messages))).toEqual([]);
  expect(sources.flatMap((text) => [...text.matchAll(/new (?:\w*Error|PrivacyRefusal|Told)\((?:`|"[A-Z' ])[^)]*/g)].map(([whole]) => whole))).toEqual([]);
  expect(sources.flatMap((text) => [...text.matchAll(/new Error\(/g)])).toEqual([]);
});

it("puts as many values into a sentence as it has places", () => {
  const used = sources.flatMap((text) => [...text.matchAll(/new (?:Told|ReportError|PrivacyRefusal)\("([a-z_0-9]+)"((?:, (?:[^(),]|\([^()]*(?:\([^()]*\)[^()]*)*\))+)*)\)/g)].map(([, name, values]) => [name as string, (values as string).split(", ").length - 1] as const));
  const places = (name: string): number => new Set((messages as Record<string, { message: string }>)[name]?.message.match(/\$\d/g)).size;
  expect(used.filter(([name, values]) => places(name) !== values)).toEqual([]);
});

it("holds no other", () => {
  expect(Object.keys(messages).filter((name) => !used(name))).toEqual([]);
});
