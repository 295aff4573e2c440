/** What a member sends of what she has: a random choice within the collection's limits, as `crowdlog.crowd.client.sample_artifacts`. */

import { type Bytes, concat, type Randomness, toHex, u32, utf8 } from "../../lib/bytes.ts";
import { sampled, shuffled } from "../../lib/choice.ts";
import { groupBy } from "../log/group.ts";
import { ALWAYS, type Manifest } from "./manifest.ts";
import type { Mined } from "./mining.ts";

const PAYLOAD_OVERHEAD = 32 + 3 * 2; // root and three lengths

/** One report to come: as its owner reads it, and the fields (hexadecimal) of it and of what goes inside. */
export interface Chosen {
  readonly readable: string;
  readonly parts: readonly (readonly [primary: string, secondary: string])[];
}

export interface Sample {
  readonly chosen: readonly Chosen[];
  readonly tooLong: number;
  readonly overLimit: number;
  /** Left to cover reports by lot, where the terms say so. */
  readonly notSampled: number;
}

export function sampleArtifacts(manifest: Manifest, found: readonly Mined[], randomness: Randomness): Sample {
  const fitting = found.filter((item) => fits(manifest, item));
  const kept = bounded(manifest, fitting, randomness);
  const inside = kept.flatMap((item) => item.inner);
  const fittingInside = kept.map((item) => item.inner.filter((pair) => fits(manifest, pair)));
  const room = manifest.collection.innerSlots;
  const keptInside = bounded(manifest, fittingInside.flatMap((all) => shuffled(all, randomness).slice(0, room)), randomness);
  const byQuery = groupBy(keptInside, (pair) => pair.texts[0] as string);
  const tooLong = found.length - fitting.length + inside.length - fittingInside.flat().length;
  const overLimit = found.length + inside.length - tooLong - kept.length - keptInside.length;
  const drawn = manifest.json.sampling < ALWAYS ? sampled(kept, manifest.json.sampling, randomness) : kept;
  const chosen = drawn.map((item) => chosenOf(manifest, item, byQuery.get(item.texts[0] as string) ?? []));
  return { chosen, tooLong, overLimit, notSampled: kept.length - drawn.length };
}

/** The primary field, or undefined for texts that hold a tab themselves. */
function encodeTexts(texts: readonly string[]): Bytes | undefined {
  return texts.some((text) => text.includes("\t")) ? undefined : utf8(texts.join("\t"));
}

/** Impressions where they are counted, then, if asked for, her own text. */
function encodeSecondary({ impressions, original }: Mined, manifest: Manifest): Bytes {
  const number = manifest.json.count === "impressions" ? u32(Math.min(impressions, 0xffffffff)) : new Uint8Array();
  return concat(number, utf8(original ?? ""));
}

function fits(manifest: Manifest, item: Mined): boolean {
  const name = encodeTexts(item.texts);
  return name !== undefined && name.length + encodeSecondary(item, manifest).length <= manifest.collection.payloadSize - PAYLOAD_OVERHEAD;
}

/** At most `limit` different artifacts, or at most `limit` impressions of all of them together: each as likely as any other. */
function bounded(manifest: Manifest, found: readonly Mined[], randomness: Randomness): Mined[] {
  if (manifest.json.count === "users") return shuffled(found, randomness).slice(0, manifest.limit);
  const every = found.flatMap((item) => Array<Mined>(item.impressions).fill(item));
  const drawn = shuffled(every, randomness).slice(0, manifest.limit);
  return [...groupBy(drawn, (item) => item)].map(([item, all]) => ({ ...item, impressions: all.length }));
}

function chosenOf(manifest: Manifest, item: Mined, inside: readonly Mined[]): Chosen {
  const times = ({ impressions }: Mined): string => (manifest.json.count === "impressions" ? `  × ${impressions}` : "");
  const written = item.original === undefined ? "" : `  (“${item.original}”)`;
  const lines = [item.texts.join(" | ") + times(item) + written, ...inside.map((pair) => pair.texts.slice(1).join(" | ") + times(pair))];
  const fields = (one: Mined): [string, string] => [toHex(encodeTexts(one.texts) ?? new Uint8Array()), toHex(encodeSecondary(one, manifest))];
  return { readable: lines.join(" › "), parts: [fields(item), ...inside.map(fields)] };
}
