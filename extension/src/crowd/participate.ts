/** Joining: look at the terms, check every party, get the three credentials; as `crowdlog.crowd.client.participate`. */

import { fromBase64, toBase64 } from "../../lib/base64.ts";
import { concat, fromHex, PrivacyRefusal, systemRandomness, u32 } from "../../lib/bytes.ts";
import { ISSUERS, type Issuer } from "../../lib/collection.ts";
import { acceptCredential, type Credential, Credentials, type PendingCredential, requestCredential } from "../../lib/credential.ts";
import { signed } from "../../lib/signing.ts";
import type { Link } from "./link.ts";
import { Manifest, type Party } from "./manifest.ts";
import { checkedHead } from "./public-list.ts";
import type { Call } from "./reports.ts";

/** Fetches the description; its id is a hash of what it promises, so it cannot promise others something else. */
export async function look(link: Link, call: Call): Promise<Manifest> {
  const manifest = Manifest.fromJson((await call("GET", `${link.server}/collections/${link.collection}`))["manifest"]);
  if (manifest.id !== link.collection) throw new PrivacyRefusal("told_other_collection");
  return manifest;
}

/** Asks each party whether it is who the terms say and has agreed to them, and whether the public list names the collection; returns that list's head. `seen`: its heads at earlier times. */
export async function checkParties(manifest: Manifest, call: Call, seen: readonly string[] = []): Promise<string> {
  for (const party of manifest.json.parties) {
    const known = await call("GET", `${party.url}/identity`);
    const { signature } = await call("GET", `${party.url}/collections/${manifest.id}`);
    if (known["owner"] !== party.owner || known["signing"] !== party.signing) {
      throw new PrivacyRefusal("told_party_other", party.url);
    }
    if (!signedBy(party, "terms", manifest.collection.id, signature)) {
      throw new PrivacyRefusal("told_party_terms", party.url);
    }
  }
  return checkedHead(await call("GET", `${manifest.randomness.url}/collections`), manifest.id, seen);
}

function signedBy(party: Party, purpose: string, message: Uint8Array, signature: unknown): boolean {
  try {
    return signed(fromHex(party.signing), purpose, message, fromHex(String(signature)));
  } catch {
    return false;
  }
}

export function newRequest(manifest: Manifest): PendingCredential {
  return requestCredential(manifest.collection, systemRandomness);
}

/** Hands in the invitation, shows the ticket to the randomness server and the first mix, and checks what all three issued. */
export async function collectCredentials(manifest: Manifest, invitation: string, pending: PendingCredential, call: Call): Promise<Credentials> {
  const path = `/collections/${manifest.id}/credentials`;
  const request = toBase64(pending.request);
  const admitted = await call("POST", manifest.aggregation.url + path, { invitation, request });
  const body = { request, ticket: admitted["ticket"] };
  const answers = {
    report: admitted,
    evaluation: await call("POST", manifest.randomness.url + path, body),
    admission: await call("POST", manifest.firstMix.url + path, body),
  };
  const accepted = ISSUERS.map((issuer) => [issuer, acceptCredential(pending, manifest.collection, fromBase64(answers[issuer]["credential"]), issuer)] as const);
  return new Credentials(Object.fromEntries(accepted) as Record<Issuer, Credential>);
}

/** When reports may be sent, in seconds since 1970. */
export interface UploadWindow {
  readonly opens: number;
  readonly ends: number;
}

/** Asks the first mix, which sees the sending anyway, and nobody else. Undefined while the randomness key exists. */
export async function uploadWindow(manifest: Manifest, call: Call): Promise<UploadWindow | undefined> {
  const answer = await call("GET", `${manifest.firstMix.url}/collections/${manifest.id}`);
  if (answer["state"] === "waiting") return undefined;
  const destroyed = answer["destroyed"];
  if (!Number.isSafeInteger(destroyed) || !certified(manifest, destroyed as number, answer["certificate"])) {
    throw new PrivacyRefusal("told_no_certificate");
  }
  return { opens: destroyed as number, ends: (destroyed as number) + manifest.json.upload_seconds };
}

function certified(manifest: Manifest, destroyed: number, certificate: unknown): boolean {
  if (destroyed < 0) return false;
  const time = concat(u32(Math.floor(destroyed / 2 ** 32)), u32(destroyed % 2 ** 32));
  return signedBy(manifest.randomness, "destroyed", concat(manifest.collection.id, time), certificate);
}
