/** Collections joined, credentials, the outbox: what `crowdlog.crowd.client.client_store` keeps, in the extension's database. */

import type { Bytes } from "../../lib/bytes.ts";
import type { ManifestJson, Party } from "../crowd/manifest.ts";
import type { Prepared } from "../crowd/reports.ts";
import type { Chosen } from "../crowd/sample.ts";
import { onWire, type WireError } from "../log/wire.ts";
import { transact } from "./database.ts";
import { done } from "./request.ts";

export interface Membership {
  readonly id: string;
  readonly manifest: ManifestJson;
  readonly server: string;
  /** Until the credentials have been issued. */
  readonly invitation?: string;
  readonly pending?: { readonly secret: Bytes; readonly request: Bytes };
  /** From then on, until everything was sent. */
  readonly credentials?: Bytes;
  /** When she agreed, to which words, and the head of the public list then. */
  readonly receipt: { readonly time: number; readonly head: string };
  readonly prepared: boolean;
  /** When uploads are taken, once the first mix has shown it; seconds since 1970. */
  readonly window?: { readonly opens: number; readonly ends: number };
  readonly sent: number;
  readonly left: boolean;
  /** What went wrong last; told in her language when it is shown. */
  readonly problem?: WireError;
}

/** Where a membership stands; pages have words for each. */
export function stateOf({ left, pending, credentials, problem, prepared }: Membership): "left" | "joining" | "joined" | "waiting" | "finished" | "missed" {
  if (left) return "left";
  if (pending) return "joining";
  if (credentials === undefined) return problem?.sentence === "told_missed" ? "missed" : "finished";
  return prepared ? "waiting" : "joined";
}

/** Whether her part in it has come to its end; an invitation is good for one part. */
export function isOver(member: Membership): boolean {
  return ["finished", "missed"].includes(stateOf(member));
}

/** The heads of the list of this randomness server in earlier receipts. */
export function headsSeen(known: readonly Membership[], { signing }: Party): string[] {
  return known.filter(({ manifest }) => manifest.parties[0]?.signing === signing).map(({ receipt }) => receipt.head);
}

/** One report that waits: what it says, for its owner (nothing for a cover report), the exact bytes, and after which share of the window it leaves. */
export interface Item {
  readonly number: number;
  readonly collection: string;
  readonly slot: number;
  readonly readable: string;
  readonly submission: Bytes;
  readonly due: number;
  /** Its sending has begun, so it may have left: it can no longer be struck out. */
  readonly begun?: boolean;
  /** Its bytes are not those that were made: the mix would take them for no report, so nothing of it leaves. */
  readonly damaged?: boolean;
}

const ALL = ["memberships", "preparations", "outbox"];

export function memberships(): Promise<Membership[]> {
  return transact(["memberships"], "readonly", (store) => done(store("memberships").getAll())) as Promise<Membership[]>;
}

export function membership(id: string): Promise<Membership | undefined> {
  return transact(["memberships"], "readonly", (store) => done(store("memberships").get(id))) as Promise<Membership | undefined>;
}

export function saveMembership(member: Membership): Promise<void> {
  return transact(["memberships"], "readwrite", (store) => void store("memberships").put(member));
}

async function change(store: IDBObjectStore, id: string, changed: (member: Membership) => Membership): Promise<void> {
  const member = (await done(store.get(id))) as Membership | undefined;
  if (member) store.put(changed(member));
}

/** Keeps the credentials; not of what she has left meanwhile. */
export function joined(id: string, credentials: Bytes): Promise<void> {
  return transact(["memberships"], "readwrite", (store) =>
    change(store("memberships"), id, (member) => {
      const { pending: _pending, invitation: _invitation, ...rest } = member;
      return member.left ? member : { ...rest, credentials };
    }),
  );
}

export function noteWindow(id: string, window: NonNullable<Membership["window"]>): Promise<void> {
  return transact(["memberships"], "readwrite", (store) => change(store("memberships"), id, (member) => ({ ...member, window })));
}

/** `problem`: an error, or undefined if all went well. */
export function noteProblem(id: string, problem: unknown): Promise<void> {
  return transact(["memberships"], "readwrite", (store) =>
    change(store("memberships"), id, ({ problem: _problem, ...rest }) => (problem === undefined ? rest : { ...rest, problem: onWire(problem) })),
  );
}

/** Remembers what will be prepared and from which secret; what was begun before goes on instead. */
export function beginPreparing(collection: string, seed: Bytes, chosen: readonly Chosen[]): Promise<{ seed: Bytes; chosen: readonly Chosen[] }> {
  return transact(["preparations"], "readwrite", async (store) => {
    const before = (await done(store("preparations").get(collection))) as { seed: Bytes; chosen: Chosen[] } | undefined;
    if (before) return before;
    store("preparations").put({ collection, seed, chosen });
    return { seed, chosen };
  });
}

/** What a stopped preparation had chosen. */
export function preparing(collection: string): Promise<readonly Chosen[] | undefined> {
  return transact(["preparations"], "readonly", async (store) => ((await done(store("preparations").get(collection))) as { chosen: Chosen[] } | undefined)?.chosen);
}

export function fillOutbox(collection: string, seed: Bytes, items: readonly (readonly [Prepared, number])[]): Promise<void> {
  return transact(ALL, "readwrite", async (store) => {
    const begun = (await done(store("preparations").get(collection))) as { seed: Bytes } | undefined;
    if (begun?.seed.join() !== seed.join()) return; // she has left meanwhile, or another page was quicker
    for (const [item, due] of items) store("outbox").add({ collection, ...item, due });
    store("preparations").delete(collection);
    await change(store("memberships"), collection, (member) => ({ ...member, prepared: true }));
  });
}

export function outbox(collection: string): Promise<Item[]> {
  return transact(["outbox"], "readonly", (store) => done(store("outbox").index("collection").getAll(collection))) as Promise<Item[]>;
}

/** What is still to leave. */
export async function toSend(collection: string): Promise<Item[]> {
  return (await outbox(collection)).filter(({ damaged }) => damaged !== true);
}

/** Whether something of her log is on its way to any collection. */
export function readableWaits(): Promise<boolean> {
  return transact(["preparations", "outbox"], "readonly", async (store) => {
    const items = (await done(store("outbox").getAll())) as Item[];
    return items.some(({ readable }) => readable !== "") || (await done(store("preparations").count())) > 0;
  });
}

/** A report that is about to be sent, as it is now: she may have struck it out, or left. */
export function beginSending(number: number): Promise<Item | undefined> {
  return transact(["outbox"], "readwrite", async (store) => {
    const item = (await done(store("outbox").get(number))) as Item | undefined;
    if (item) store("outbox").put({ ...item, begun: true });
    return item;
  });
}

/** Keeps a damaged report, to be told of, until the uploads end. */
export function setAside(number: number): Promise<void> {
  return transact(["outbox"], "readwrite", async (store) => {
    const now = (await done(store("outbox").get(number))) as Item | undefined;
    if (now) store("outbox").put({ ...now, damaged: true });
  });
}

/** Puts another report in the place of one; false if it may have left already. */
export function replaceItem(item: Item, made: Prepared): Promise<boolean> {
  return transact(["outbox"], "readwrite", async (store) => {
    const now = (await done(store("outbox").get(item.number))) as Item | undefined;
    if (!now || now.begun) return false;
    store("outbox").put({ ...now, readable: made.readable, submission: made.submission });
    return true;
  });
}

/** New moments for reports that still wait; what else has changed of them since stays. */
export function reschedule(items: readonly Pick<Item, "number" | "due">[]): Promise<void> {
  return transact(["outbox"], "readwrite", async (store) => {
    for (const { number, due } of items) {
      const now = (await done(store("outbox").get(number))) as Item | undefined;
      if (now) store("outbox").put({ ...now, due });
    }
  });
}

/** Forgets what was acknowledged; only the number of all is kept. With the last one the credentials go too. */
export function markSent(item: Item): Promise<void> {
  return forgetItem(item, 1);
}

/** Forgets what the mix will never take; it does not count as sent. */
export function markRefused(item: Item): Promise<void> {
  return forgetItem(item, 0);
}

function forgetItem(item: Item, sent: number): Promise<void> {
  return transact(ALL, "readwrite", async (store) => {
    store("outbox").delete(item.number);
    const left = await done(store("outbox").index("collection").count(item.collection));
    await change(store("memberships"), item.collection, (member) => {
      const { credentials: _credentials, ...rest } = member;
      return { ...(left === 0 ? rest : member), sent: member.sent + sent };
    });
  });
}

/** Deletes what is left of a collection that she has left. */
export function forgetLeft(collection: string): Promise<void> {
  return transact(["memberships"], "readwrite", async (store) => {
    const member = (await done(store("memberships").get(collection))) as Membership | undefined;
    if (member?.left) store("memberships").delete(collection);
  });
}

/** Deletes what was not sent and the credentials; that she left is remembered. */
export function leave(collection: string): Promise<number> {
  return forget(collection, (member) => ({ ...member, left: true }));
}

/** Deletes what was not sent in time, and the credentials. */
export function forgetMissed(collection: string): Promise<number> {
  return forget(collection, (member) => member);
}

function forget(collection: string, changed: (member: Membership) => Membership): Promise<number> {
  return transact(ALL, "readwrite", async (store) => {
    const keys = await done(store("outbox").index("collection").getAllKeys(collection));
    for (const key of keys) store("outbox").delete(key);
    store("preparations").delete(collection);
    await change(store("memberships"), collection, ({ credentials: _c, pending: _p, invitation: _i, ...rest }) => changed(rest));
    return keys.length;
  });
}
