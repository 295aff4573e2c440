/** Bytes in and out: joining, framing, hexadecimal, and where random ones come from. */

import { Told } from "./told.ts";

export type Bytes = Uint8Array;

/** Returns n fresh random bytes; injected so that tests can repeat a run. */
export type Randomness = (n: number) => Bytes;

/** The browser's (or Node's) cryptographic generator: the only source for real reports. */
export const systemRandomness: Randomness = (n) => crypto.getRandomValues(new Uint8Array(n));

/** Bytes or terms from outside that cannot be used. The message never quotes an artifact. */
export class ReportError extends Told {
  override name = "ReportError";
}

/** Terms that would protect too little. */
export class PrivacyRefusal extends Told {
  override name = "PrivacyRefusal";
}

export function concat(...parts: Bytes[]): Bytes {
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let position = 0;
  for (const part of parts) {
    result.set(part, position);
    position += part.length;
  }
  return result;
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** A number in two bytes, big-endian. */
export function u16(value: number): Bytes {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff) throw new ReportError("told_two_bytes", value);
  return Uint8Array.of(value >> 8, value & 0xff);
}

/** A number in four bytes, big-endian. */
export function u32(value: number): Bytes {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw new ReportError("told_four_bytes", value);
  return Uint8Array.of(value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);
}

/** Fields joined so that they can be told apart: each after its length in two bytes. */
export function frame(...fields: Bytes[]): Bytes {
  return concat(...fields.flatMap((field) => [u16(field.length), field]));
}

export function toHex(data: Bytes): string {
  return Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function fromHex(text: string): Bytes {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new ReportError("told_hex");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
