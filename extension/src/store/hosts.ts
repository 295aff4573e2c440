/** Servers that she has allowed, and what for: the gate sends to no other. What nothing needs any more is given back to the browser. */

import { type Engine, originsOf } from "../engines/engine.ts";
import { type Consent, consentsOf, dropConsents } from "./consents.ts";
import { type Membership, memberships } from "./crowd.ts";
import { transact } from "./database.ts";
import { done } from "./request.ts";
import { readState } from "./state.ts";

export const EVERYWHERE: readonly string[] = ["http://*/*", "https://*/*"];
const STATE = "hosts";
const STALE = 10 * 60 * 1000; // ms after which a page that asked for a few requests is taken to be gone

interface Host {
  readonly why: string;
  /** For some requests on a button, allowed then; without it as long as a collection needs it. */
  readonly since?: number;
}

export type Hosts = Readonly<Record<string, Host>>;

export function allowedHosts(): Promise<Hosts> {
  return readState<Hosts>(STATE, {});
}

export function allowHosts(origins: readonly string[], why: string): Promise<void> {
  return change((hosts) => ({ ...hosts, ...Object.fromEntries(origins.map((origin) => [origin, { why, since: Date.now() }])) }));
}

function change(changed: (hosts: Hosts) => Hosts): Promise<void> {
  return transact(["state"], "readwrite", async (store) => {
    store("state").put(changed(((await done(store("state").get(STATE))) as Hosts | undefined) ?? {}), STATE);
  });
}

/** Whether anything of this collection may still be sent or asked. */
function runs({ left, pending, credentials }: Membership): boolean {
  return !left && (pending !== undefined || credentials !== undefined);
}

/** Gives back servers and consents that no collection needs: these ones, and those of pages that went away. */
export async function giveBackUnneeded(finished: readonly string[] = []): Promise<void> {
  const running = (await memberships()).filter(runs);
  const needed = new Set(running.flatMap(({ manifest }) => manifest.parties.map(({ url }) => new URL(url).origin)));
  const before = await allowedHosts();
  const used = (origin: string): boolean => !finished.includes(origin) && Date.now() - (before[origin]?.since ?? 0) < STALE;
  const gone = Object.keys(before).filter((origin) => !needed.has(origin) && !used(origin));
  const kept = ([origin, { why, since }]: [string, Host]): [string, Host] => [origin, since === undefined || finished.includes(origin) ? { why } : { why, since }];
  await change((hosts) => Object.fromEntries(Object.entries(hosts).filter(([origin]) => !gone.includes(origin)).map(kept)));
  await giveBack(patternsOf(gone));
  const inUse = Object.keys(await allowedHosts()).some((origin) => !needed.has(origin));
  if (!inUse) await dropConsents(new Set<Consent>(running.flatMap(({ manifest }) => consentsOf(manifest))));
}

/** What must stay with the browser: servers that may be asked, her own engines, and everything if she lets all pages be logged. */
async function neededPatterns(): Promise<string[]> {
  const { engines = [], pages = false } = (await chrome.storage.local.get(["engines", "pages"])) as { engines?: Engine[]; pages?: boolean };
  return [...new Set([...patternsOf(Object.keys(await allowedHosts())), ...engines.flatMap(originsOf), ...(pages ? EVERYWHERE : [])])];
}

/** Those of these patterns that the browser has granted. */
async function granted(patterns: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(patterns.map((pattern) => chrome.permissions.contains({ origins: [pattern] })));
  return patterns.filter((_pattern, i) => answers[i]);
}

/** Gives hosts back, but for those that something still needs. With a wide pattern Chromium takes all narrower ones; it grants them again
 *  without a question, because she had allowed them, as long as the click that led here is not long ago. */
export async function giveBack(patterns: readonly string[]): Promise<void> {
  const needed = await neededPatterns();
  const gone = patterns.filter((pattern) => !needed.includes(pattern));
  if (gone.length === 0) return;
  const before = await granted(needed);
  await chrome.permissions.remove({ origins: gone }).catch(() => undefined); // the browser keeps what it granted at installation
  const after = await granted(before);
  const lost = before.filter((pattern) => !after.includes(pattern));
  if (lost.length > 0) await chrome.permissions.request({ origins: lost }).catch(() => undefined); // pages show what is missing
}

/** A browser's patterns know no ports. */
export function patternsOf(origins: readonly string[]): string[] {
  return [...new Set(origins.map((origin) => `${new URL(origin).protocol}//${new URL(origin).hostname}/*`))];
}
