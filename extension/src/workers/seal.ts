/** The cryptography of collections, away from the page: joining, sealing, striking out. Requests go back through the page to the background's gate. */

import { Told } from "../../lib/told.ts";
import { systemRandomness } from "../../lib/bytes.ts";
import { fraction } from "../../lib/choice.ts";
import { Credentials, type PendingCredential } from "../../lib/credential.ts";
import { decodeScalar, encodeScalar, toNumber } from "../../lib/group.ts";
import { seeded } from "../../lib/seeded.ts";
import type { Link } from "../crowd/link.ts";
import { Manifest, type ManifestJson } from "../crowd/manifest.ts";
import { mine, type Mined } from "../crowd/mining.ts";
import { checkParties, collectCredentials, look, newRequest } from "../crowd/participate.ts";
import { type Call, coverFor, seal, withoutStruck } from "../crowd/reports.ts";
import { type Chosen, type Sample, sampleArtifacts } from "../crowd/sample.ts";
import { type Bins, taskVectors } from "../crowd/task-vectors.ts";
import { taskLabels } from "../apps/labels.ts";
import { taskSearches } from "../apps/searches.ts";
import { vectorsFor } from "../studies/installed.ts";
import { beginPreparing, fillOutbox, headsSeen, isOver, type Item, joined, type Membership, membership, memberships, preparing, replaceItem, saveMembership } from "../store/crowd.ts";
import { eventsOf } from "../store/events.ts";
import { channel } from "./channel.ts";

const SEED_BYTES = 32;

const askPage = channel(self as unknown as Parameters<typeof channel>[0], {
  terms: async (link: Link): Promise<ManifestJson> => (await look(link, call)).json,
  check,
  join,
  choose,
  prepare,
  strike,
});

const call: Call = (method, url, body) => askPage("call", method, url, body) as ReturnType<Call>;

async function check(json: ManifestJson): Promise<string> {
  const manifest = Manifest.fromJson(json);
  return checkParties(manifest, call, headsSeen(await memberships(), manifest.randomness));
}

/** The request is on disk before it is sent, so a lost answer is asked for again. */
async function join(link: Link, json: ManifestJson, head: string): Promise<void> {
  const manifest = Manifest.fromJson(json);
  const known = await membership(manifest.id);
  if (known?.credentials && !known.left) return;
  if (known && isOver(known)) throw new Told("told_over"); // its record and receipt stay
  let pending: PendingCredential;
  if (known?.pending && !known.left && known.invitation === link.invitation) {
    pending = { secret: decodeScalar(known.pending.secret), request: known.pending.request };
  } else {
    pending = newRequest(manifest);
    const kept = { secret: encodeScalar(pending.secret), request: pending.request };
    const receipt = { time: Date.now(), head };
    await saveMembership({ id: manifest.id, manifest: json, server: link.server, invitation: link.invitation, pending: kept, receipt, prepared: false, sent: 0, left: false });
  }
  await joined(manifest.id, (await collectCredentials(manifest, link.invitation, pending, call)).toBytes());
}

/** What would be sent; a choice that was begun to be prepared is kept. */
async function choose(id: string): Promise<Sample> {
  const begun = await preparing(id);
  if (begun) return { chosen: begun, tooLong: 0, overLimit: 0, notSampled: 0 };
  const manifest = Manifest.fromJson((await member(id)).manifest);
  const bins = await vectorsFor(id);
  const found = bins === undefined ? mine(await eventsOf(["search", "result-click", "link-click"]), manifest) : await ownVectors(manifest, bins);
  return sampleArtifacts(manifest, found, systemRandomness);
}

/** A study may say that a collection of texts takes vectors in place of queries. */
async function ownVectors(manifest: Manifest, bins: Bins): Promise<Mined[]> {
  if (manifest.json.artifact !== "query" || manifest.json.inner_artifact !== "") throw new Told("told_vectors_unfit");
  const { log_from: from, log_until: until } = manifest.json.job;
  const searches = taskSearches(await eventsOf(["search", "result-click", "link-click"])).filter(({ time }) => time >= from && (until === 0 || time < until));
  return taskVectors(searches, await taskLabels(), bins);
}

/** Every slot is good for one value, so the choice and the secret all draws come from are on disk before anything is asked. */
async function prepare(id: string, chosen: readonly Chosen[]): Promise<number> {
  const one = await member(id);
  const manifest = Manifest.fromJson(one.manifest);
  const kept = await beginPreparing(id, systemRandomness(SEED_BYTES), chosen);
  const repeatable = seeded(toNumber(kept.seed.slice().reverse())); // the seed is secret and used for this alone
  const told = (done: number, of: number): void => void askPage("progress", done, of);
  const sealed = await seal(manifest, credentialsOf(one), kept.chosen, call, repeatable, told);
  const prepared = withoutStruck(sealed, chosen, (item) => coverFor(item, manifest, credentialsOf(one), systemRandomness));
  await fillOutbox(id, kept.seed, prepared.map((item) => [item, fraction(repeatable)] as const));
  return prepared.length;
}

/** A cover report takes the place of one that was struck out, so that nobody sees it. */
async function strike(item: Item): Promise<void> {
  const one = await member(item.collection);
  if (!one.credentials) throw new Told("told_left_already"); // with the last one
  const made = coverFor(item, Manifest.fromJson(one.manifest), credentialsOf(one), systemRandomness);
  if (!(await replaceItem(item, made))) throw new Told("told_left_already");
}

async function member(id: string): Promise<Membership> {
  const found = await membership(id);
  if (!found || found.left) throw new Told("told_no_collection");
  return found;
}

function credentialsOf(one: Membership): Credentials {
  return Credentials.fromBytes(one.credentials ?? new Uint8Array());
}
