/** From the PRF's value of an artifact to everything in its reports, bound to version, level, collection and k by the context. */

import { hmac } from "@noble/hashes/hmac.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, frame, u16, utf8 } from "./bytes.ts";
import { encodeScalar, hashToScalar } from "./group.ts";

/** HKDF (RFC 5869) with SHA-512, the context as salt: 32 bytes. */
export function hkdf(secret: Bytes, context: Bytes, info: Bytes): Bytes {
  return hmac(sha512, hmac(sha512, context, secret), concat(info, Uint8Array.of(1))).slice(0, 32);
}

export function rootOf(rand: Bytes, context: Bytes): Bytes {
  return hkdf(rand, context, utf8("root"));
}

export function tagOf(root: Bytes, context: Bytes, primary: Bytes): Bytes {
  return hkdf(root, context, concat(utf8("tag"), primary));
}

/** The polynomial of degree k − 1 that the shares lie on, the constant first. */
export function polynomial(root: Bytes, context: Bytes, k: number): bigint[] {
  return Array.from({ length: k }, (_, index) => hashToScalar(frame(context, root, u16(index)), utf8("crowdlog-v2-coefficient")));
}

export function keyOf(secret: bigint, context: Bytes, tag: Bytes): Bytes {
  return hkdf(encodeScalar(secret), context, concat(utf8("key"), tag));
}

export function sharePoint(pseudonym: Bytes): bigint {
  return hashToScalar(pseudonym, utf8("crowdlog-v2-share-point"));
}
