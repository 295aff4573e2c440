/** What everybody must agree on: a collection, named by the hash of all its terms. */

import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, frame, fromHex, PrivacyRefusal, ReportError, u16, utf8 } from "./bytes.ts";
import { SIZE } from "./group.ts";

export const VERSION = 1;
export const MIN_K = 5; // the client's floor, docs/protocol.md
const MAX_K = 1000;
const MIN_LAYERS = 3; // two mixes and the aggregation server
const MAX_LAYERS = 10;
const [MIN_PAYLOAD, MAX_PAYLOAD] = [64, 4096];
const MAX_SLOTS = 16;
const MAX_REPORT = 16_384; // bytes
export const HEADER_SIZE = 304;
const AEAD_TAG = 16;

export type Level = 0 | 1;

/** The public terms of one collection. `innerK` 0 means one threshold; otherwise a report has room for `innerSlots` that open at `innerK`. */
export class Collection {
  readonly id: Bytes;

  constructor(
    readonly title: string,
    readonly k: number,
    readonly voprfPublic: Bytes,
    readonly issuerPublic: Bytes,
    readonly mixPublics: readonly Bytes[],
    readonly innerK = 0,
    readonly payloadSize = 256,
    readonly innerSlots = 1,
  ) {
    this.check();
    const inner = innerK === 0 ? u16(0) : concat(u16(innerK), u16(innerSlots));
    const numbers = [u16(VERSION), u16(k), inner, u16(payloadSize)];
    this.id = sha256(concat(utf8("crowdlog-v1-collection"), frame(utf8(title), ...numbers, voprfPublic, issuerPublic, ...mixPublics)));
  }

  private check(): void {
    if (!(this.k >= MIN_K)) throw new PrivacyRefusal(`A collection must need at least ${MIN_K} people to read anything, got k = ${this.k}; do not join it.`);
    if (this.innerK !== 0 && !(this.innerK >= this.k)) {
      throw new PrivacyRefusal(`The inner threshold must be at least the outer one (${this.k}), got ${this.innerK}; do not join it.`);
    }
    if (this.mixPublics.length < MIN_LAYERS) throw new PrivacyRefusal(`Reports must pass two mixes before the aggregation server, got ${this.mixPublics.length} keys.`);
    const inRange = Math.max(this.k, this.innerK) <= MAX_K && this.mixPublics.length <= MAX_LAYERS && this.payloadSize >= MIN_PAYLOAD && this.payloadSize <= MAX_PAYLOAD;
    const room = this.innerSlots >= 1 && this.innerSlots <= MAX_SLOTS && this.reportSize() <= MAX_REPORT;
    const keys = this.issuerPublic.length === 2 * SIZE && [this.voprfPublic, ...this.mixPublics].every((key) => key.length === SIZE);
    if (!inRange || !room || !keys || utf8(this.title).length > 200) throw new ReportError("The collection's numbers, keys or title are out of range; ask its operator.");
  }

  /** How many people a group of this level needs. */
  bar(level: Level = 0): number {
    if (level === 1 && this.innerK === 0) throw new ReportError("This collection has one level only.");
    return level === 1 ? this.innerK : this.k;
  }

  /** What every derivation is bound to: version, level, collection and threshold. */
  context(level: Level = 0): Bytes {
    return concat(Uint8Array.of(VERSION, level), this.id, u16(this.bar(level)));
  }

  voprfInput(primary: Bytes, level: Level = 0): Bytes {
    return concat(this.context(level), primary);
  }

  /** Bytes of a payload before encryption: the same for every report of a level, so that lengths tell nothing. */
  payload(level: Level = 0): number {
    return this.payloadSize + (level === 0 && this.innerK !== 0 ? this.innerSlots * this.reportSize(1) : 0);
  }

  reportSize(level: Level = 0): number {
    return HEADER_SIZE + this.payload(level) + AEAD_TAG;
  }

  static fromJson(text: string): Collection {
    const terms = parseTerms(text);
    const bytes = (name: string): Bytes => fromHex(String(terms[name]));
    const mixes = terms["mix_publics"];
    if (terms["version"] !== VERSION || typeof terms["title"] !== "string" || !Array.isArray(mixes)) {
      throw new ReportError(`A collection's terms need a title, a list of mix keys and version ${VERSION}; ask its operator or update.`);
    }
    const [k, innerK, payloadSize, innerSlots] = ["k", "inner_k", "payload_size", "inner_slots"].map((name) => {
      if (!Number.isInteger(terms[name])) throw new ReportError(`A collection's ${name} must be an integer.`);
      return terms[name] as number;
    }) as [number, number, number, number];
    const keys = mixes.map((key) => fromHex(String(key)));
    return new Collection(terms["title"], k, bytes("voprf_public"), bytes("issuer_public"), keys, innerK, payloadSize, innerSlots);
  }
}

function parseTerms(text: string): Record<string, unknown> {
  try {
    const terms: unknown = JSON.parse(text);
    if (typeof terms === "object" && terms !== null) return terms as Record<string, unknown>;
  } catch {
    // refused below, in words
  }
  throw new ReportError("A collection's terms must be a JSON object.");
}
