/** What a collection tells everybody, checked as `crowdlog.crowd.manifest` does: its id is a hash of every term. */

import { PrivacyRefusal, ReportError, toHex } from "../../lib/bytes.ts";
import type { Collection } from "../../lib/collection.ts";
import { collectionOf } from "../../lib/terms.ts";
import { REPRESENTATIONS } from "../log/normalise.ts";
import { refuseOneInTwoRoles } from "./separate-parties.ts";

export const PAIRS = ["pair", "session-pair", "window-pair", "undirected-pair", "undirected-session-pair", "undirected-window-pair"] as const;
const PARTS = ["word", "word-pair", "site", "query-site", "word-site"] as const;
export const ARTIFACTS = ["query", "click", ...PAIRS, ...PARTS, "triple", "query-visit"] as const;
const COUNTS = ["users", "impressions"];
export const ALWAYS = 1_000_000; // of a probability in millionths
const TEXTS = ["title", "artifact", "representation", "count", "policy", "inner_artifact", "inner_policy", "secondary"];
const NUMBERS = ["smallest_crowd", "mining_until", "upload_seconds", "sampling"];
const FIELDS = [...TEXTS, ...NUMBERS, "collection", "cover", "parties", "consent", "job"];
const PARTY = { texts: ["owner", "role", "signing", "url"], numbers: [] };
const CONSENT = { texts: ["contact", "dates", "institution", "not_guaranteed", "published", "purpose"], numbers: ["version"] };
const JOB = { texts: ["previous", "panel"], numbers: ["mining_from", "log_from", "log_until", "repeat_seconds"] };
const MISREAD = "told_misread";

export interface Party {
  readonly role: "randomness" | "mix" | "aggregation";
  readonly owner: string;
  readonly url: string;
  readonly signing: string;
}

export interface Consent {
  readonly purpose: string;
  readonly institution: string;
  readonly contact: string;
  readonly published: string;
  readonly dates: string;
  readonly not_guaranteed: string;
  readonly version: number;
}

/** When a collection mines, and which part of a log. Seconds since 1970; 0 is no bound. */
export interface Job {
  readonly mining_from: number;
  readonly log_from: number;
  readonly log_until: number;
  readonly repeat_seconds: number;
  readonly previous: string;
  readonly panel: string;
}

/** As the server sends it. */
export interface ManifestJson {
  readonly collection: unknown;
  readonly title: string;
  readonly artifact: string;
  readonly representation: string;
  readonly count: "users" | "impressions";
  readonly policy: string;
  readonly smallest_crowd: number;
  readonly mining_until: number;
  readonly upload_seconds: number;
  readonly cover: boolean;
  readonly parties: readonly Party[];
  readonly consent: Consent;
  readonly inner_artifact: string;
  readonly inner_policy: string;
  /** The probability, in millionths, with which each chosen artifact is reported. */
  readonly sampling: number;
  readonly secondary: string;
  readonly job: Job;
}

export class Manifest {
  readonly id: string;

  constructor(
    readonly json: ManifestJson,
    readonly collection: Collection,
  ) {
    this.id = toHex(collection.id);
    const roles = json.parties.map(({ role }) => role).join(" ");
    const mixes = Array<string>(collection.mixPublics.length - 1).fill("mix"); // the last key is the aggregation server's
    if (roles !== ["randomness", ...mixes, "aggregation"].join(" ")) throw new ReportError(MISREAD);
    refuseOneInTwoRoles(json.parties, collection);
    const nested = new Set([collection.innerK > 0, json.inner_artifact !== "", json.inner_policy !== ""]);
    if (nested.size > 1 || (json.inner_artifact !== "" && json.artifact !== "query")) throw new ReportError(MISREAD);
    if (json.smallest_crowd < collection.k) throw new PrivacyRefusal("told_smallest_crowd", collection.k, json.smallest_crowd);
    if (json.sampling < 1 || json.sampling > ALWAYS) throw new ReportError(MISREAD);
    if (json.sampling < ALWAYS && !json.cover) throw new PrivacyRefusal("told_sampling");
  }

  get limit(): number {
    return this.collection.limit;
  }

  get randomness(): Party {
    return this.json.parties[0] as Party;
  }

  get firstMix(): Party {
    return this.json.parties[1] as Party;
  }

  get aggregation(): Party {
    return this.json.parties.at(-1) as Party;
  }

  static fromJson(value: unknown): Manifest {
    const fields = record(value, FIELDS);
    const wellFormed = TEXTS.every((name) => isLine(fields[name])) && NUMBERS.every((name) => isNumber(fields[name]));
    if (!wellFormed || typeof fields["cover"] !== "boolean" || !Array.isArray(fields["parties"])) throw new ReportError(MISREAD);
    for (const party of fields["parties"]) checkPart(party, PARTY);
    checkPart(fields["consent"], CONSENT);
    checkPart(fields["job"], JOB);
    const json = fields as unknown as ManifestJson;
    if (!["", "click", ...PAIRS].includes(json.inner_artifact) || !COUNTS.includes(json.count) || !["", "original"].includes(json.secondary)) throw new ReportError("told_unknown_value");
    refuseUnsupported(json);
    return new Manifest(json, collectionOf(fields as never));
  }
}

/** What only the Python client can do: corrected spelling and open cities need word lists of megabytes. */
function refuseUnsupported(json: ManifestJson): void {
  if (!REPRESENTATIONS.some((one) => one === json.representation)) {
    throw new ReportError("told_representation", json.representation);
  }
  if (!ARTIFACTS.some((kind) => kind === json.artifact)) throw new ReportError("told_artifact", json.artifact);
}

function record(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.keys(value).sort().join() !== [...names].sort().join()) throw new ReportError(MISREAD);
  return value as Record<string, unknown>;
}

function checkPart(value: unknown, { texts, numbers }: { texts: readonly string[]; numbers: readonly string[] }): void {
  const fields = record(value, [...texts, ...numbers]);
  if (!texts.every((name) => isLine(fields[name])) || !numbers.every((name) => isNumber(fields[name]))) throw new ReportError(MISREAD);
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Text of one line without control characters, as Python's `isprintable`. */
function isLine(value: unknown): value is string {
  return typeof value === "string" && value.length <= 4000 && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(value);
}
