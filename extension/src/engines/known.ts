/** All engines of this installation: those that came with it, and her own. */

import { type Engine, ENGINES } from "./engine.ts";

export async function knownEngines(): Promise<readonly Engine[]> {
  const { engines = [] } = (await chrome.storage.local.get("engines")) as { engines?: Engine[] };
  return [...ENGINES, ...engines];
}

/** What an engine is called; one that is gone, or was replayed, is called by its id. */
export function nameOf(id: string, engines: readonly Engine[]): string {
  return engines.find((engine) => engine.id === id)?.name ?? id;
}
