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
  /** Names of engines whose pages the browser does not let us see. */
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  readonly ids: readonly string[];
  /** Whether there is no other engine. */
  readonly all: boolean;
}

export async function blockedEngines(): Promise<Blocked> {
  const every = await watched();
  const held = await Promise.all(every.map(({ patterns }) => chrome.permissions.contains({ origins: [...patterns] })));
  const blocked = every.filter((_one, i) => !held[i]);
  return { ids: blocked.map(({ engine }) => engine.id), names: blocked.map(({ engine }) => engine.name), patterns: blocked.flatMap(({ patterns }) => patterns), all: blocked.length === every.length };
}
