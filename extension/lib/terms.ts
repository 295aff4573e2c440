/** The terms of a collection as its manifest holds them: one spelling of JSON, and the hash of it that stands in the id. */

import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, PrivacyRefusal, ReportError, toHex, utf8 } from "./bytes.ts";
import { Collection } from "./collection.ts";

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** The one spelling that is hashed and signed: names sorted by code point, no spaces. Numbers are whole. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const named = value as { readonly [name: string]: Json };
    const names = Object.keys(named).sort(byCodePoint);
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(named[name] as Json)}`).join(",")}}`;
  }
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new ReportError("told_not_whole");
  return JSON.stringify(value);
}

function byCodePoint(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** The hash of all terms outside the cryptography. */
export function digestOf(description: { readonly [name: string]: Json }): Bytes {
  return sha256(concat(utf8("crowdlog-v2-terms"), utf8(canonical(description))));
}

/** Read a manifest that a server sent; refuses one whose words are not those of its id. */
export function collectionOf(manifest: { readonly [name: string]: Json }): Collection {
  const { collection: cryptographic, ...description } = manifest;
  const collection = Collection.fromJson(JSON.stringify(cryptographic ?? null));
  if (toHex(digestOf(description)) !== toHex(collection.terms)) {
    throw new PrivacyRefusal("told_terms_changed");
  }
  return collection;
}
