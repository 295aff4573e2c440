/** The group of the protocol: ristretto255 (RFC 9496). Scalars are bigints below ORDER and travel little-endian in 32 bytes. */

import { ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { expand_message_xmd } from "@noble/curves/abstract/hash-to-curve.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { type Bytes, type Randomness, ReportError } from "./bytes.ts";

export const Point = ristretto255.Point;
export type Point = InstanceType<typeof ristretto255.Point>;
export const ORDER = Point.Fn.ORDER;
export const SIZE = 32;

export function modulo(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

export function toNumber(data: Bytes): bigint {
  return data.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

export function encodeScalar(value: bigint): Bytes {
  return Uint8Array.from({ length: SIZE }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn));
}

export function decodeScalar(data: Bytes): bigint {
  const value = toNumber(data);
  if (data.length !== SIZE || value >= ORDER) throw new ReportError("told_scalar", SIZE, data.length);
  return value;
}

/** Reads a point; the identity and other spellings are refused. */
export function decodePoint(data: Bytes): Point {
  let point: Point | undefined;
  try {
    point = Point.fromBytes(data);
  } catch {
    point = undefined;
  }
  if (!point || point.is0()) throw new ReportError("told_element", SIZE, data.length);
  return point;
}

/** A uniform nonzero scalar (64 bytes reduced: bias below 2^-250). */
export function randomScalar(randomness: Randomness): bigint {
  return (toNumber(randomness(64)) % (ORDER - 1n)) + 1n;
}

export function multiply(scalar: bigint, point: Point): Point {
  if (scalar === 0n) throw new ReportError("told_identity");
  return point.multiply(scalar);
}

export function hashToGroup(message: Bytes, domain: Bytes): Point {
  return ristretto255_hasher.hashToCurve(message, { DST: domain });
}

export function hashToScalar(message: Bytes, domain: Bytes): bigint {
  return modulo(toNumber(expand_message_xmd(message, domain, 64, sha512)));
}
