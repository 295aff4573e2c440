/** The client of RFC 9497's VOPRF, ristretto255-SHA512: the server learns nothing of the input and proves which key it used. */

import { ristretto255_oprf } from "@noble/curves/ed25519.js";
import { type Bytes, concat, type Randomness, ReportError, utf8 } from "./bytes.ts";
import { encodeScalar, hashToGroup, multiply, randomScalar, SIZE } from "./group.ts";

const DOMAIN = concat(utf8("HashToGroup-OPRFV1-"), Uint8Array.of(1), utf8("-ristretto255-SHA512"));
const MAX_INPUT = 0xffff; // RFC 9497 section 1.2

/** What a client keeps of one request: only `element` is sent. */
export interface Blinded {
  readonly message: Bytes;
  readonly blind: bigint;
  readonly element: Bytes;
}

export function blind(message: Bytes, randomness: Randomness): Blinded {
  return blindWith(message, randomScalar(randomness));
}

/** `blind` with a chosen scalar, for test vectors. */
export function blindWith(message: Bytes, scalar: bigint): Blinded {
  if (message.length > MAX_INPUT) throw new ReportError("told_prf_input", MAX_INPUT, message.length);
  return { message, blind: scalar, element: multiply(scalar, hashToGroup(message, DOMAIN)).toBytes() };
}

/** Checks the proof (the answer's first 64 bytes), takes the blinds off and returns the PRF's values, 64 bytes each. */
export function finalize(publicKey: Bytes, blinded: readonly Blinded[], answer: Bytes): Bytes[] {
  if (blinded.length === 0 || answer.length !== 2 * SIZE + blinded.length * SIZE) {
    throw new ReportError("told_prf_answer", blinded.length, answer.length);
  }
  const items = blinded.map((item, index) => ({
    input: item.message,
    blind: encodeScalar(item.blind),
    blinded: item.element,
    evaluated: answer.slice((index + 2) * SIZE, (index + 3) * SIZE),
  }));
  try {
    return ristretto255_oprf.voprf.finalizeBatch(items, publicKey, answer.slice(0, 2 * SIZE));
  } catch {
    throw new ReportError("told_prf_proof");
  }
}
