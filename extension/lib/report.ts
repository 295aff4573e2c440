/** A report: one person's share of one artifact, byte by byte as in docs/protocol.md. */

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { type Bytes, concat, frame, type Randomness, ReportError, u32 } from "./bytes.ts";
import type { Collection, Level } from "./collection.ts";
import { type Credential, pseudonym, show } from "./credential.ts";
import { keyOf, polynomial, rootOf, sharePoint, tagOf } from "./derive.ts";
import { encodeScalar } from "./group.ts";
import { value } from "./shamir.ts";

/** `primary` groups; `secondary` is readable only where the primary is. */
export interface Artifact {
  readonly primary: Bytes;
  readonly secondary?: Bytes;
}

export interface ReportOptions {
  /** A number below the limit that the person uses once at this level. */
  readonly slot: number;
  readonly level?: Level;
  /** Reports of level 1, in a nested collection: at most as many as it has room for. */
  readonly inner?: readonly Bytes[];
}

/** `rand` is the PRF's value of `collection.voprfInput(artifact.primary, level)`. */
export function makeReport(
  collection: Collection,
  credential: Credential,
  rand: Bytes,
  artifact: Artifact,
  randomness: Randomness,
  { slot, level = 0, inner = [] }: ReportOptions,
): Bytes {
  if (inner.length > 0 && (level === 1 || collection.innerK === 0 || inner.length > collection.innerSlots || inner.some((one) => one.length !== collection.reportSize(1)))) {
    throw new ReportError("told_nested", inner.length, level);
  }
  const context = collection.context(level);
  const root = rootOf(rand, context);
  const tag = tagOf(root, context, artifact.primary);
  const coefficients = polynomial(root, context, collection.bar(level));
  const group = concat(context, tag);
  const name = pseudonym(credential, group);
  const nameBytes = name.toBytes();
  const slotContext = collection.slotContext("report", slot, level);
  const slotName = pseudonym(credential, slotContext);
  const share = encodeScalar(value(coefficients, sharePoint(nameBytes)));
  const head = concat(group, nameBytes, share, u32(slot), slotName.toBytes());
  const nonce = randomness(12);
  const key = keyOf(coefficients[0] as bigint, context, tag);
  const sealed = chacha20poly1305(key, nonce, head).encrypt(payload(root, artifact, concat(...inner), collection.payload(level)));
  const named = [[group, name], [slotContext, slotName]] as const;
  return concat(head, nonce, show(credential, named, concat(head, nonce, sealed), randomness), sealed);
}

function payload(root: Bytes, artifact: Artifact, inner: Bytes, size: number): Bytes {
  const content = concat(root, frame(artifact.primary, artifact.secondary ?? new Uint8Array(), inner));
  if (content.length > size) throw new ReportError("told_too_long", content.length - size);
  return concat(content, new Uint8Array(size - content.length));
}
