/** Which engines the browser lets be logged: she can take single ones back in its settings, also those that came with the installation. */

import { type Engine, ENGINES, matchesOf, originsOf } from "./engine.ts";

interface Watched {
  readonly engine: Engine;
  /** What the browser must allow: of those that came with the installation no more than the manifest names. */
  readonly patterns: readonly string[];
}

async function watched(): Promise<Watched[]> {
  const { engines = [] } = (await chrome.storage.local.get("engines")) as { engines?: Engine[] };
  const shipped = ENGINES.map((engine) => ({ engine, patterns: matchesOf(engine) }));
  return [...shipped, ...engines.map((engine) => ({ engine, patterns: originsOf(engine) }))];
}

export interface Blocked {
  /** Names of engines of whose pages the browser lets us see none. */
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  readonly ids: readonly string[];
  /** Whether there is no other engine. */
  readonly all: boolean;
}

/** Whether this pattern of the browser's lets some page of the engine be seen. Chromium can allow one site alone, `https` of one host: no
 *  page of another loads our script then, and those of this one are logged. */
function showsPagesOf({ host, subdomains = false }: Engine, pattern: string): boolean {
  if (pattern === "<all_urls>") return true;
  const allowed = /^(?:\*|https?):\/\/([^/:]+)/.exec(pattern)?.[1] ?? "";
  const name = host.replace(/:\d+$/, "");
  const below = (one: string, other: string): boolean => one === other || one.endsWith(`.${other}`);
  if (allowed === "*") return true;
  if (!allowed.startsWith("*.")) return allowed === name || (subdomains && below(allowed, name));
  return below(name, allowed.slice(2)) || (subdomains && below(allowed.slice(2), name));
}

export async function blockedEngines(): Promise<Blocked> {
  const every = await watched();
  const { origins = [] } = await chrome.permissions.getAll();
  const blocked = every.filter(({ engine }) => !origins.some((pattern) => showsPagesOf(engine, pattern)));
  return { ids: blocked.map(({ engine }) => engine.id), names: blocked.map(({ engine }) => engine.name), patterns: blocked.flatMap(({ patterns }) => patterns), all: blocked.length === every.length };
}
