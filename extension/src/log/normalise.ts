/** One spelling per query, the same as `crowdlog.log.normalise` and `crowdlog.artifacts.representations`. */

import { byCodePoint } from "./order.ts";
import { stem } from "./stem.ts";

// What Python's str.split() takes for a blank.
const BLANK = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BLANKS = new RegExp(`[${BLANK}]+`, "u");
const SITE_PARTS = /www\.|\.(?:com|edu|net|org)(?![\p{L}\p{N}_])/gu;
const PUNCTUATION = new RegExp(`[^\\p{L}\\p{N}${BLANK}]|_`, "gu");

// The short list of words without a topic that the Python package has.
const STOP_WORDS = new Set(
  ("a an and are as at be but by do does for from had has have how i if in into is it its my no not of on or our she so such " +
    "that the their then there these they this to was we were what when where which who will with you your").split(" "),
);

const WAYS: Readonly<Record<string, (text: string) => string>> = { original: (text) => text, light, heavy };
export const REPRESENTATIONS = Object.keys(WAYS);

/** NFC, small letters, single blanks, nothing at the ends. */
export function normalise(text: string): string {
  return single(text.normalize("NFC").toLowerCase().normalize("NFC"));
}

/** Without www., .com, .edu, .net, .org and punctuation. */
export function light(text: string): string {
  return single(text.replace(SITE_PARTS, "").replace(PUNCTUATION, " "));
}

/** Light, without stop words, each word stemmed, words sorted. A query of stop words only keeps them. */
export function heavy(text: string): string {
  const words = light(text).split(" ");
  const content = words.filter((word) => !STOP_WORDS.has(word));
  return (content.length > 0 ? content : words).map(stem).sort(byCodePoint).join(" ");
}

export function represent(text: string, representation: string): string {
  return (WAYS[representation] as (text: string) => string)(normalise(text));
}

function single(text: string): string {
  return text.split(BLANKS).filter((word) => word !== "").join(" ");
}
