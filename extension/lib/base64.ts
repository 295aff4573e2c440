/** Bytes in base64, as services send and take them. */

import { type Bytes, ReportError } from "./bytes.ts";

export function toBase64(data: Bytes): string {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}

export function fromBase64(text: unknown): Bytes {
  try {
    return Uint8Array.from(atob(String(text)), (character) => character.charCodeAt(0));
  } catch {
    throw new ReportError("told_unreadable");
  }
}
