/** Permissions she is asked for when something needs them, and that are given back when nothing does. */

import { Told } from "../../lib/told.ts";
import type { ManifestJson } from "../crowd/manifest.ts";
import { asPermission, type Consent, consentsOf, holdsConsents } from "../store/consents.ts";
import { allowHosts, EVERYWHERE, giveBack, giveBackUnneeded, patternsOf } from "../store/hosts.ts";

/** Pages beyond result pages: loads, focus, links. */
export async function allowPages(on: boolean): Promise<void> {
  if (on && !(await chrome.permissions.request({ origins: [...EVERYWHERE] }))) return;
  await chrome.storage.local.set({ pages: on });
  if (!on) await giveBack(EVERYWHERE);
}

/** Lets the gate send to these servers while `work` goes on, for this purpose; the browser asks her too, also for the kinds of data that would
 *  leave. Afterwards they are given back, unless she is in a collection that needs them. Must be called from a click. */
export async function withServers<T>(urls: readonly string[], why: string, consents: readonly Consent[], work: () => Promise<T>): Promise<T> {
  const origins = [...new Set(urls.map((url) => new URL(url).origin))];
  if (!(await chrome.permissions.request({ origins: patternsOf(origins), ...asPermission(consents) }))) throw new Told("not_allowed");
  await allowHosts(origins, why);
  try {
    return await work();
  } finally {
    await giveBackUnneeded(origins);
  }
}

function serversOf({ parties }: ManifestJson): string[] {
  return patternsOf(parties.map(({ url }) => new URL(url).origin));
}

/** Whether the browser still lets this collection's servers be asked; she may have taken that back in its settings. */
export async function stillAllowed(manifest: ManifestJson): Promise<boolean> {
  return (await chrome.permissions.contains({ origins: serversOf(manifest) })) && holdsConsents(consentsOf(manifest));
}

/** Must be called from a click. */
export async function allowAgain(manifest: ManifestJson): Promise<void> {
  if (!(await chrome.permissions.request({ origins: serversOf(manifest), ...asPermission(consentsOf(manifest)) }))) throw new Told("not_allowed");
}
