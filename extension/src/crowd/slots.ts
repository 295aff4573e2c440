/** What a client shows with each value she has evaluated and each envelope she sends: one of her numbered slots. */

import { type Bytes, concat, type Randomness, u32 } from "../../lib/bytes.ts";
import type { Collection, Level } from "../../lib/collection.ts";
import { type Credential, pseudonym, show, SHOWN_SIZE, unchanged } from "../../lib/credential.ts";
import { SIZE } from "../../lib/group.ts";

export function slotRequest(collection: Collection, credential: Credential, slot: number, element: Bytes, randomness: Randomness, level: Level): Bytes {
  const context = collection.slotContext("evaluation", slot, level);
  const name = pseudonym(credential, context);
  return concat(Uint8Array.of(level), u32(slot), element, name.toBytes(), show(credential, [[context, name]], element, randomness));
}

/** Lets an envelope in at the first mix with one of one's slots. */
export function submission(collection: Collection, credential: Credential, slot: number, envelope: Bytes, randomness: Randomness): Bytes {
  const context = collection.slotContext("admission", slot);
  const name = pseudonym(credential, context);
  return concat(u32(slot), name.toBytes(), show(credential, [[context, name]], envelope, randomness), envelope);
}

/** The number of the slot that lets a submission in. */
export function doorOf(submission: Bytes): number {
  return new DataView(submission.buffer, submission.byteOffset, submission.byteLength).getUint32(0);
}

/** Whether the bytes of a submission are still those that were made. */
export function isWhole(collection: Collection, submission: Bytes): boolean {
  const head = 4 + SIZE + SHOWN_SIZE;
  if (submission.length <= head || doorOf(submission) >= collection.limit) return false;
  const context = collection.slotContext("admission", doorOf(submission));
  return unchanged(submission.slice(4 + SIZE, head), context, submission.slice(4, 4 + SIZE), submission.slice(head));
}
