/** Firefox asks her, from version 140 on, which kinds of data an extension may send (`data_collection_permissions` of the manifest); other browsers know nothing of it. */

import type { ManifestJson } from "../crowd/manifest.ts";

export const CONSENTS = ["searchTerms", "browsingActivity", "personallyIdentifyingInfo", "technicalAndInteraction"] as const;
export type Consent = (typeof CONSENTS)[number];

/** Answers in the clear may hold all that a person can say. */
export const ANSWERS: readonly Consent[] = ["searchTerms", "browsingActivity", "personallyIdentifyingInfo"];

interface Collected {
  readonly data_collection?: readonly string[];
}

/** Whether this browser asks. Known before any click: after waiting for it a click would be too long ago to ask anything. */
let asks = false;
void globalThis.chrome?.permissions?.getAll().then((all) => (asks = "data_collection" in all));

/** What a collection takes: words of searches, and where they led to. */
export function consentsOf({ artifact, inner_artifact: inner }: Pick<ManifestJson, "artifact" | "inner_artifact">): Consent[] {
  const led = /click|site|visit/.test(`${artifact} ${inner}`);
  return [...(artifact === "site" ? [] : (["searchTerms"] as const)), ...(led ? (["browsingActivity"] as const) : [])];
}

/** As a part of what the browser is asked for. */
export function asPermission(consents: readonly Consent[]): Collected {
  return asks && consents.length > 0 ? { data_collection: consents } : {};
}

/** Whether the browser still lets these kinds of data be sent; one that asks for none does. */
export async function holdsConsents(needed: readonly Consent[]): Promise<boolean> {
  const held = ((await chrome.permissions.getAll()) as Collected).data_collection;
  return held === undefined || needed.every((one) => held.includes(one));
}

/** Takes back all but those that are needed. */
export async function dropConsents(needed: ReadonlySet<Consent>): Promise<void> {
  const held = ((await chrome.permissions.getAll()) as Collected).data_collection ?? [];
  const unneeded = CONSENTS.filter((one) => held.includes(one) && !needed.has(one));
  if (unneeded.length > 0) await chrome.permissions.remove({ data_collection: unneeded } as chrome.permissions.Permissions);
}
