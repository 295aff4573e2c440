/** Content scripts she has allowed beyond those of the five engines: her own engines, and all pages. */

import { blockedEngines } from "../engines/allowed.ts";
import { type Engine, matchesOf } from "../engines/engine.ts";
import { EVERYWHERE } from "../store/hosts.ts";

let working: Promise<void> = Promise.resolve();

/** Registers exactly what preferences and permissions ask for; calls wait for each other. */
export function registerScripts(): Promise<void> {
  working = working.catch(() => undefined).then(register);
  return working;
}

async function register(): Promise<void> {
  await noteBlocked();
  const { engines = [], pages = false } = (await chrome.storage.local.get(["engines", "pages"])) as { engines?: Engine[]; pages?: boolean };
  const wanted: chrome.scripting.RegisteredContentScript[] = engines.map((engine) => ({
    id: `engine-${engine.id}`,
    js: ["engine-page.js"],
    matches: matchesOf(engine),
    runAt: "document_start",
  }));
  const allowed = pages && (await chrome.permissions.contains({ origins: [...EVERYWHERE] }));
  if (pages && !allowed) await chrome.storage.local.set({ pages: false }); // she took it back in the browser's settings
  if (allowed) {
    wanted.push({ id: "any-page", js: ["any-page.js"], matches: [...EVERYWHERE], runAt: "document_start" });
  }
  const known = await chrome.scripting.getRegisteredContentScripts();
  if (sameScripts(known, wanted)) return; // between an end and a beginning a page could come and go unseen
  if (known.length > 0) await chrome.scripting.unregisterContentScripts({ ids: known.map(({ id }) => id) });
  if (wanted.length > 0) await chrome.scripting.registerContentScripts(wanted);
}

/** Pages that are open cannot ask the browser what it lets them see: they read it here (content/wanted.ts). */
async function noteBlocked(): Promise<void> {
  const { blocked = [] } = (await chrome.storage.local.get("blocked")) as { blocked?: string[] };
  const { ids } = await blockedEngines();
  if (ids.join() !== blocked.join()) await chrome.storage.local.set({ blocked: ids });
}

function sameScripts(some: readonly chrome.scripting.RegisteredContentScript[], others: readonly chrome.scripting.RegisteredContentScript[]): boolean {
  const told = (scripts: typeof some) => scripts.map(({ id, matches }) => `${id} ${matches?.join(" ")}`).sort().join("\n");
  return told(some) === told(others);
}
