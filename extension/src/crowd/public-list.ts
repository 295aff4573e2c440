/** The public list of collections that a randomness server keeps, as `crowdlog.crowd.public_list`: each entry's head is a hash of all ids up to it. */

import { sha256 } from "@noble/hashes/sha2.js";
import { concat, fromHex, PrivacyRefusal, toHex, utf8 } from "../../lib/bytes.ts";

const EMPTY = "00".repeat(32); // the head of a list without entries
const ID = /^[0-9a-f]{64}$/;

function chained(head: string, id: string): string {
  return toHex(sha256(concat(utf8("crowdlog-v2-list"), fromHex(head), fromHex(id))));
}

/** The head of a list that a server shows, if it holds this collection, its heads are those of its ids, and it goes on from every head that was seen before. */
export function checkedHead(listed: Record<string, unknown>, collection: string, seen: readonly string[]): string {
  const entries = Array.isArray(listed["collections"]) ? (listed["collections"] as ({ id?: unknown; head?: unknown } | null)[]) : [];
  const heads = [EMPTY];
  let named = false;
  for (const entry of entries) {
    const { id, head } = entry ?? {};
    const before = heads.at(-1) as string;
    if (typeof id !== "string" || !ID.test(id) || head !== chained(before, id)) throw new PrivacyRefusal("told_list_contradicts");
    heads.push(head);
    named ||= id === collection;
  }
  const last = heads.at(-1) as string;
  if (listed["head"] !== last) throw new PrivacyRefusal("told_list_contradicts");
  if (!named) throw new PrivacyRefusal("told_not_listed");
  const known = new Set(heads);
  if (!seen.every((head) => known.has(head))) throw new PrivacyRefusal("told_list_not_grown");
  return last;
}
