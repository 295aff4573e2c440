/** From artifacts to what is sent: blinded randomness for each, the report, one envelope layer per node, the proof that lets it in.
 *  The same steps as `crowdlog.crowd.client.reports`. */

import { fromBase64, toBase64 } from "../../lib/base64.ts";
import { type Bytes, fromHex, type Randomness } from "../../lib/bytes.ts";
import { shuffled } from "../../lib/choice.ts";
import type { Level } from "../../lib/collection.ts";
import type { Credentials } from "../../lib/credential.ts";
import { sealOnion } from "../../lib/envelope.ts";
import { type Artifact, makeReport } from "../../lib/report.ts";
import { blind, finalize } from "../../lib/voprf.ts";
import type { Manifest } from "./manifest.ts";
import type { Chosen } from "./sample.ts";
import { doorOf, slotRequest, submission } from "./slots.ts";

const REQUEST_ELEMENTS = 100; // values evaluated with one request
const COVER_BYTES = 32;
const RAND_BYTES = 64;

/** Calls a service: method, address, body; returns the JSON object it answers. */
export type Call = (method: "GET" | "POST", url: string, body?: unknown) => Promise<Record<string, unknown>>;

/** One report on its way; `readable` is empty for a cover report. */
export interface Prepared {
  readonly slot: number;
  readonly readable: string;
  readonly submission: Bytes;
}

export type Progress = (done: number, of: number) => void;

/** Makes the reports of these artifacts, and cover reports for the slots that are left. */
export async function seal(manifest: Manifest, credentials: Credentials, chosen: readonly Chosen[], call: Call, randomness: Randomness, progress: Progress = () => undefined): Promise<Prepared[]> {
  const { collection } = manifest;
  const outer = chosen.map((item) => collection.voprfInput(artifactOf(item.parts[0]).primary));
  const inside = chosen.flatMap((item) => item.parts.slice(1).map((part) => collection.voprfInput(artifactOf(part).primary, 1)));
  const rands = await draw(manifest, credentials, outer, call, randomness, 0);
  const innerRands = (await draw(manifest, credentials, inside, call, randomness, 1))[Symbol.iterator]();
  const slots = slotsInRandomOrder(manifest.limit, randomness);
  const doors = slotsInRandomOrder(manifest.limit, randomness);
  const innerSlots = slotsInRandomOrder(manifest.limit, randomness)[Symbol.iterator]();
  const all = manifest.json.cover ? manifest.limit : chosen.length;
  const prepared = chosen.map((item, i) => {
    const inner = item.parts.slice(1).map((part) =>
      makeReport(collection, credentials.of.report, innerRands.next().value as Bytes, artifactOf(part), randomness, { slot: innerSlots.next().value as number, level: 1 }),
    );
    const slot = slots[i] as number;
    const report = makeReport(collection, credentials.of.report, rands[i] as Bytes, artifactOf(item.parts[0]), randomness, { slot, inner });
    progress(i + 1, all);
    return packed(manifest, credentials, [slot, doors[i] as number], item.readable, report, randomness);
  });
  if (!manifest.json.cover) return prepared;
  const rest = slots.slice(chosen.length).map((slot, i) => {
    progress(chosen.length + i + 1, all);
    return cover(manifest, credentials, slot, doors[chosen.length + i] as number, randomness);
  });
  return [...prepared, ...rest];
}

/** A report of nothing, for a slot that has no artifact: to whoever cannot open it a report like any other. */
export function cover(manifest: Manifest, credentials: Credentials, slot: number, door: number, randomness: Randomness): Prepared {
  const nothing = { primary: randomness(COVER_BYTES) };
  const rand = randomness(RAND_BYTES);
  const report = makeReport(manifest.collection, credentials.of.report, rand, nothing, randomness, { slot });
  return packed(manifest, credentials, [slot, door], "", report, randomness);
}

/** A cover report that takes the place of another, with the same numbers inside and at the door. */
export function coverFor(item: Prepared, manifest: Manifest, credentials: Credentials, randomness: Randomness): Prepared {
  return cover(manifest, credentials, item.slot, doorOf(item.submission), randomness);
}

/** A sealing that was stopped goes on with what it had begun with; what she struck out since then becomes a cover report. */
export function withoutStruck(sealed: readonly Prepared[], kept: readonly Chosen[], covered: (item: Prepared) => Prepared): Prepared[] {
  const wanted = new Set(kept.map(({ readable }) => readable));
  return sealed.map((item) => (item.readable === "" || wanted.has(item.readable) ? item : covered(item)));
}

/** `slot` is inside the report, where the aggregation server sees it, `door` lets it in at the first mix: each is drawn by itself, so that these two cannot match what they see. */
function packed({ collection }: Manifest, credentials: Credentials, [slot, door]: readonly [number, number], readable: string, report: Bytes, randomness: Randomness): Prepared {
  const envelope = sealOnion(collection.mixPublics, report, randomness);
  return { slot, readable, submission: submission(collection, credentials.of.admission, door, envelope, randomness) };
}

function slotsInRandomOrder(limit: number, randomness: Randomness): number[] {
  return shuffled([...Array(limit).keys()], randomness);
}

function artifactOf(part: Chosen["parts"][number] | undefined): Artifact {
  const [primary = "", secondary = ""] = part ?? [];
  return { primary: fromHex(primary), secondary: fromHex(secondary) };
}

/** Has the oblivious PRF evaluated, one slot each; with cover as many values as the limit allows, so that their number says nothing. */
async function draw(manifest: Manifest, credentials: Credentials, inputs: readonly Bytes[], call: Call, randomness: Randomness, level: Level): Promise<Bytes[]> {
  const { collection } = manifest;
  const padded = [...inputs];
  const levels = collection.innerK > 0 ? 2 : 1;
  if (manifest.json.cover && level < levels) padded.push(...Array.from({ length: manifest.limit - inputs.length }, () => randomness(COVER_BYTES)));
  const slots = slotsInRandomOrder(manifest.limit, randomness);
  const rands: Bytes[] = [];
  for (let start = 0; start < padded.length; start += REQUEST_ELEMENTS) {
    const blinded = padded.slice(start, start + REQUEST_ELEMENTS).map((item) => blind(item, randomness));
    const asked = blinded.map((item, i) => slotRequest(collection, credentials.of.evaluation, slots[start + i] as number, item.element, randomness, level));
    const answer = await call("POST", `${manifest.randomness.url}/collections/${manifest.id}/evaluate`, { slots: asked.map(toBase64) });
    rands.push(...finalize(collection.voprfPublic, blinded, fromBase64(answer["evaluation"])));
  }
  return rands.slice(0, inputs.length);
}
