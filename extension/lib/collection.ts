/** What everybody must agree on: a collection, named by the hash of all its terms. */

import { sha256 } from "@noble/hashes/sha2.js";
import { type Bytes, concat, frame, fromHex, PrivacyRefusal, ReportError, u16, u32, utf8 } from "./bytes.ts";
import { SIZE } from "./group.ts";

export const VERSION = 2;
export const MIN_K = 5; // the client's floor, docs/protocol.md
const MAX_K = 1000;
const MIN_LAYERS = 3; // two mixes and the aggregation server
const MAX_LAYERS = 10;
const [MIN_PAYLOAD, MAX_PAYLOAD] = [64, 4096];
const MAX_SLOTS = 16;
const MAX_REPORT = 16_384; // bytes
export const HEADER_SIZE = 340;
const AEAD_TAG = 16;
const MAX_LIMIT = 1_000_000; // reports of one person
const DIGEST_SIZE = 32;
/** Who issues one of the three MACs of a credential: aggregation server, randomness server, first mix. */
export const ISSUERS = ["report", "evaluation", "admission"] as const;
export type Issuer = (typeof ISSUERS)[number];

export type Level = 0 | 1;

/** The numbers of a collection. `innerK` 0 means one threshold; otherwise a report has room for `innerSlots` that open at `innerK`. */
export interface Numbers {
  readonly k: number;
  readonly inner_k: number;
  readonly payload_size: number;
  readonly inner_slots: number;
  readonly limit: number;
}

/** The terms of one collection that go into the cryptography; `terms` is the SHA-256 of all others, so that the id names these too. */
export class Collection {
  readonly id: Bytes;
  readonly k: number;
  readonly innerK: number;
  readonly payloadSize: number;
  readonly innerSlots: number;
  readonly limit: number;

  constructor(
    readonly terms: Bytes,
    numbers: Numbers,
    readonly voprfPublic: Bytes,
    readonly issuers: Readonly<Record<Issuer, Bytes>>,
    readonly mixPublics: readonly Bytes[],
  ) {
    this.k = numbers.k;
    this.innerK = numbers.inner_k;
    this.payloadSize = numbers.payload_size;
    this.innerSlots = numbers.inner_slots;
    this.limit = numbers.limit;
    this.check();
    const inner = this.innerK === 0 ? u16(0) : concat(u16(this.innerK), u16(this.innerSlots));
    const framed = [u16(VERSION), u16(this.k), inner, u16(this.payloadSize), u32(this.limit)];
    const keys = [voprfPublic, ...ISSUERS.map((name) => issuers[name]), ...mixPublics];
    this.id = sha256(concat(utf8("crowdlog-v2-collection"), frame(terms, ...framed, ...keys)));
  }

  private check(): void {
    if (!(this.k >= MIN_K)) throw new PrivacyRefusal("told_k", MIN_K, this.k);
    if (this.innerK !== 0 && !(this.innerK >= this.k)) {
      throw new PrivacyRefusal("told_inner_k", this.k, this.innerK);
    }
    if (this.mixPublics.length < MIN_LAYERS) throw new PrivacyRefusal("told_mixes", this.mixPublics.length);
    const inRange = Math.max(this.k, this.innerK) <= MAX_K && this.mixPublics.length <= MAX_LAYERS && this.payloadSize >= MIN_PAYLOAD && this.payloadSize <= MAX_PAYLOAD;
    const room = this.innerSlots >= 1 && this.innerSlots <= MAX_SLOTS && this.reportSize() <= MAX_REPORT && this.limit >= 1 && this.limit <= MAX_LIMIT;
    const issuers = ISSUERS.every((name) => this.issuers[name].length === 2 * SIZE);
    const keys = issuers && [this.voprfPublic, ...this.mixPublics].every((key) => key.length === SIZE) && this.terms.length === DIGEST_SIZE;
    if (!inRange || !room || !keys) throw new ReportError("told_numbers");
  }

  /** How many people a group of this level needs. */
  bar(level: Level = 0): number {
    if (level === 1 && this.innerK === 0) throw new ReportError("told_one_level");
    return level === 1 ? this.innerK : this.k;
  }

  /** What every derivation is bound to: version, level, collection and threshold. */
  context(level: Level = 0): Bytes {
    return concat(Uint8Array.of(VERSION, level), this.id, u16(this.bar(level)));
  }

  /** What a person's pseudonym for one of her `limit` slots with one of the issuers is bound to. */
  slotContext(issuer: Issuer, slot: number, level: Level = 0): Bytes {
    if (!Number.isInteger(slot) || slot < 0 || slot >= this.limit) throw new ReportError("told_slot", this.limit - 1, slot);
    return concat(this.context(level), utf8(issuer), u32(slot));
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
    if (terms["version"] !== VERSION || !Array.isArray(mixes)) {
      throw new ReportError("told_terms_version", VERSION);
    }
    const number = (name: keyof Numbers): number => {
      if (!Number.isInteger(terms[name])) throw new ReportError("told_integer", name);
      return terms[name] as number;
    };
    const numbers = { k: number("k"), inner_k: number("inner_k"), payload_size: number("payload_size"), inner_slots: number("inner_slots"), limit: number("limit") };
    const issuers = { report: bytes("report_issuer"), evaluation: bytes("evaluation_issuer"), admission: bytes("admission_issuer") };
    return new Collection(bytes("terms"), numbers, bytes("voprf_public"), issuers, mixes.map((key) => fromHex(String(key))));
  }
}

function parseTerms(text: string): Record<string, unknown> {
  try {
    const terms: unknown = JSON.parse(text);
    if (typeof terms === "object" && terms !== null) return terms as Record<string, unknown>;
  } catch {
    // refused below, in words
  }
  throw new ReportError("told_terms_json");
}
