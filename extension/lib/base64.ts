/** Bytes in base64, as services send and take them. */

import { type Bytes, ReportError } from "./bytes.ts";

const PORTION = 8192; // arguments of one call

export function toBase64(data: Bytes): string {
  let text = "";
  for (let start = 0; start < data.length; start += PORTION) text += String.fromCharCode(...data.subarray(start, start + PORTION));
  return btoa(text);
}

export function fromBase64(text: unknown): Bytes {
  try {
    return Uint8Array.from(atob(String(text)), (character) => character.charCodeAt(0));
  } catch {
    throw new ReportError("told_unreadable");
  }
}
