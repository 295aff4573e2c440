/** Servers that she has allowed, and what for: the gate sends to no other. What nothing needs any more is given back to the browser. */

import { type Engine, originsOf } from "../engines/engine.ts";
import { type Consent, consentsOf, dropConsents } from "./consents.ts";
import { type Membership, memberships } from "./crowd.ts";
import { transact } from "./database.ts";
import { done } from "./request.ts";
import { readState } from "./state.ts";

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
  await giveBack(await unusedPatterns(gone));
  const inUse = Object.keys(await allowedHosts()).some((origin) => !needed.has(origin));
  if (!inUse) await dropConsents(new Set<Consent>(running.flatMap(({ manifest }) => consentsOf(manifest))));
}

/** Patterns of these servers that neither other servers, nor her own engines, nor the logging of all pages need. */
async function unusedPatterns(gone: readonly string[]): Promise<string[]> {
  const { engines = [], pages = false } = (await chrome.storage.local.get(["engines", "pages"])) as { engines?: Engine[]; pages?: boolean };
  if (pages) return [];
  const needed = [...patternsOf(Object.keys(await allowedHosts())), ...engines.flatMap(originsOf)];
  return patternsOf(gone).filter((pattern) => !needed.includes(pattern));
}

/** Hosts that nothing needs any more. */
export async function giveBack(origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await chrome.permissions.remove({ origins: [...origins] }).catch(() => undefined); // the browser keeps what it granted at installation
}

/** A browser's patterns know no ports. */
export function patternsOf(origins: readonly string[]): string[] {
  return [...new Set(origins.map((origin) => `${new URL(origin).protocol}//${new URL(origin).hostname}/*`))];
}
