/** What a party says under its own name: Ed25519 signatures, each for one purpose only (docs/protocol.md). */

import { ed25519 } from "@noble/curves/ed25519.js";
import { type Bytes, concat, utf8 } from "./bytes.ts";

export function signed(publicKey: Bytes, purpose: string, message: Bytes, signature: Bytes): boolean {
  try {
    return ed25519.verify(signature, concat(utf8(`crowdlog-v2-${purpose}`), Uint8Array.of(0), message), publicKey, { zip215: false });
  } catch {
    return false;
  }
}
