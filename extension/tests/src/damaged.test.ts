/** A report whose bytes were damaged on her disk does not leave, does not count, and holds back no other. */

import "fake-indexeddb/auto";
import { beforeEach, expect, it, vi } from "vitest";
import keys from "../../../tests/vectors/crowd-v2.json";
import vectors from "../../../tests/vectors/crowd-client.json";
import { fromBase64 } from "../../lib/base64.ts";
import { fromHex, systemRandomness, toHex } from "../../lib/bytes.ts";
import { Credentials } from "../../lib/credential.ts";
import { sendAllDue } from "../../src/background/sending.ts";
import { Manifest } from "../../src/crowd/manifest.ts";
import { isWhole, submission } from "../../src/crowd/slots.ts";
import { beginPreparing, fillOutbox, type Membership, membership, outbox, saveMembership } from "../../src/store/crowd.ts";
import { closeDatabase } from "../../src/store/database.ts";

const now = Math.floor(Date.now() / 1000);
const mix = vi.hoisted(() => ({ left: [] as string[], asked: 0 }));
vi.mock("../../src/crowd/participate.ts", () => ({
  uploadWindow: async () => {
    mix.asked++;
    return { opens: now - 1000, ends: now + 60 };
  },
}));
vi.mock("../../src/background/gate.ts", () => ({
  call: async (_method: string, _url: string, { submissions }: { submissions: string[] }) => {
    mix.left.push(...submissions);
    return { accepted: 1, duplicates: 0, rejected: 0 };
  },
}));

const manifest = Manifest.fromJson(vectors.manifests[0]?.manifest);
const credential = Credentials.fromBytes(fromHex(keys.collections[0]?.credentials as string)).of.admission;
const envelope = new Uint8Array(300).fill(7);
const made = (slot: number) => submission(manifest.collection, credential, slot, envelope, systemRandomness);

function rotted(data: Uint8Array, place: number): Uint8Array {
  return data.map((byte, i) => (i === place ? byte ^ 4 : byte));
}

beforeEach(async () => {
  const alarms = { clear: async () => true, get: async () => ({}), create: async () => undefined };
  const storage = { local: { get: async () => ({}), set: async () => undefined } };
  const permissions = { getAll: async () => ({}), contains: async () => true, remove: async () => true };
  (globalThis as { chrome?: unknown }).chrome = { alarms, storage, permissions };
  mix.left = [];
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await saveMembership({ id: manifest.id, manifest: manifest.json, server: "", credentials: new Uint8Array([7]), receipt: { time: 1, head: "" }, prepared: false, sent: 0, left: false } as Membership);
});

async function fill(submissions: readonly Uint8Array[]): Promise<void> {
  await beginPreparing(manifest.id, new Uint8Array([1]), []);
  await fillOutbox(manifest.id, new Uint8Array([1]), submissions.map((one, slot) => [{ slot, readable: `query ${slot}`, submission: one }, slot / 1e6] as const));
}

it("is known by its own bytes, wherever it was damaged", () => {
  const one = made(0);
  expect(isWhole(manifest.collection, one)).toBe(true);
  for (const place of [0, 3, 4, 35, 36, 68, 100, 132, 164, 195, 196, one.length - 1]) expect(isWhole(manifest.collection, rotted(one, place))).toBe(false);
  for (const length of [0, 3, 36, 196]) expect(isWhole(manifest.collection, one.slice(0, length))).toBe(false);
});

it("stays in the outbox, is told, and the others leave", async () => {
  const whole = [made(1), made(2)];
  await fill([rotted(made(0), 250), ...whole]);
  let sent = 0;
  for (let look = 0; look < 4; look++) sent += await sendAllDue(true); // all are late, so one leaves at a look
  expect([sent, mix.left.length]).toEqual([2, 2]);
  expect(mix.left.map((one) => toHex(fromBase64(one))).sort()).toEqual(whole.map(toHex).sort());
  expect((await outbox(manifest.id)).map(({ readable, damaged }) => [readable, damaged])).toEqual([["query 0", true]]);
  expect(await membership(manifest.id)).toMatchObject({ sent: 2, problem: { sentence: "told_damaged", values: ["1"] } });
  await sendAllDue(false);
  expect(mix.asked).toBe(4); // for nothing that will leave nobody is asked
});
