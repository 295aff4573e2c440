/** Onion envelopes: one HPKE layer (RFC 9180 base mode; X25519, HKDF-SHA256, ChaCha20-Poly1305) per mix and one for the aggregation server. */

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, type Randomness, ReportError, u16, utf8 } from "./bytes.ts";
import { SIZE } from "./group.ts";

const INFO = utf8("crowdlog-v2-layer");
const KEM_ID = concat(utf8("KEM"), Uint8Array.of(0, 0x20)); // suite ids, RFC 9180 section 7
const HPKE_ID = concat(utf8("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 3));
const NOTHING = new Uint8Array();

/** Wraps a report for a chain of keys; the first one is opened first. */
export function sealOnion(publics: readonly Bytes[], report: Bytes, randomness: Randomness): Bytes {
  return publics.reduceRight((inside, publicKey) => sealLayer(publicKey, inside, randomness(SIZE)), report);
}

/** SetupBaseS and one Seal of RFC 9180 with this ephemeral secret, to be used once. */
export function sealLayer(publicKey: Bytes, inside: Bytes, ephemeral: Bytes): Bytes {
  const enc = x25519.getPublicKey(ephemeral);
  const secret = expand(extract(NOTHING, KEM_ID, "eae_prk", exchange(ephemeral, publicKey)), KEM_ID, "shared_secret", concat(enc, publicKey), 32);
  const context = concat(Uint8Array.of(0), extract(NOTHING, HPKE_ID, "psk_id_hash", NOTHING), extract(NOTHING, HPKE_ID, "info_hash", INFO));
  const prk = extract(secret, HPKE_ID, "secret", NOTHING);
  const nonce = expand(prk, HPKE_ID, "base_nonce", context, 12);
  return concat(enc, chacha20poly1305(expand(prk, HPKE_ID, "key", context, 32), nonce).encrypt(inside));
}

function exchange(ephemeral: Bytes, publicKey: Bytes): Bytes {
  try {
    return x25519.getSharedSecret(ephemeral, publicKey);
  } catch {
    throw new ReportError("told_mix_key", SIZE, publicKey.length);
  }
}

function extract(salt: Bytes, suite: Bytes, label: string, key: Bytes): Bytes {
  return hmac(sha256, salt, concat(utf8("HPKE-v1"), suite, utf8(label), key));
}

/** One block of HKDF-Expand is enough for all sizes asked for. */
function expand(prk: Bytes, suite: Bytes, label: string, info: Bytes, size: number): Bytes {
  return hmac(sha256, prk, concat(u16(size), utf8("HPKE-v1"), suite, utf8(label), info, Uint8Array.of(1))).slice(0, size);
}
