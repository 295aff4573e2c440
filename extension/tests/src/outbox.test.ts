/** Reports that were being sealed while she left are not kept, and two pages that seal at once fill the outbox once. */

import "fake-indexeddb/auto";
import { beforeEach, expect, it } from "vitest";
import { closeDatabase } from "../../src/store/database.ts";
import { beginPreparing, fillOutbox, joined, leave, type Membership, membership, outbox, saveMembership } from "../../src/store/crowd.ts";

const SEED = new Uint8Array([1, 2, 3]);
const member = { id: "c", manifest: {}, server: "https://server.example", credentials: new Uint8Array([7]), receipt: { time: 1, head: "" }, prepared: false, sent: 0, left: false } as unknown as Membership;
const made = [[{ slot: 0, readable: "my query", submission: new Uint8Array([9]) }, 0.5]] as const;

beforeEach(async () => {
  await closeDatabase();
  await new Promise((resolve) => (indexedDB.deleteDatabase("crowdlog").onsuccess = resolve));
  await saveMembership(member);
  await beginPreparing("c", SEED, []);
});

it("leaves nothing behind when she leaves during the sealing", async () => {
  await leave("c");
  await fillOutbox("c", SEED, made);
  expect(await outbox("c")).toEqual([]);
  expect((await membership("c"))?.prepared).toBe(false);
});

it("does not mix with what is sealed after she has joined again", async () => {
  await leave("c");
  await saveMembership(member);
  await beginPreparing("c", new Uint8Array([4, 5, 6]), []);
  await fillOutbox("c", SEED, made);
  expect(await outbox("c")).toEqual([]);
});

it("is filled once by two pages", async () => {
  await Promise.all([fillOutbox("c", SEED, made), fillOutbox("c", SEED, made)]);
  expect((await outbox("c")).length).toBe(1);
  expect((await membership("c"))?.prepared).toBe(true);
});

it("keeps no credentials that come when she has left", async () => {
  await leave("c");
  await joined("c", new Uint8Array([8]));
  expect((await membership("c"))?.credentials).toBeUndefined();
  expect((await membership("c"))?.left).toBe(true);
});
