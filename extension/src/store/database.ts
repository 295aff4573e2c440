/** The extension's own database. Everything a person's log, collections and apps need is here and nowhere else. */

import { Told } from "../../lib/told.ts";
import { post } from "./postings.ts";
import { done } from "./request.ts";

const NAME = "crowdlog";
const VERSION = 3;

let opened: Promise<IDBDatabase> | undefined;

export function database(): Promise<IDBDatabase> {
  opened ??= open();
  return opened;
}

/** Forgets the open connection; the next call opens a new one. */
export async function closeDatabase(): Promise<void> {
  (await opened)?.close();
  opened = undefined;
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = ({ oldVersion }) => {
    if (oldVersion === 0) create(request.result);
    else void indexAnew(request.result, request.transaction as IDBTransaction, oldVersion);
  };
  return done(request).then((found) => {
    found.onversionchange = () => {
      found.close();
      opened = undefined;
    };
    return found;
  });
}

function create(made: IDBDatabase): void {
  const events = made.createObjectStore("events", { keyPath: "n", autoIncrement: true });
  events.createIndex("uid", "uid", { unique: true });
  events.createIndex("time", "time");
  events.createIndex("kind", ["kind", "time"]);
  events.createIndex("search", "search");
  indexAddresses(made, events);
  made.createObjectStore("state");
  made.createObjectStore("memberships", { keyPath: "id" });
  made.createObjectStore("preparations", { keyPath: "collection" });
  made.createObjectStore("outbox", { keyPath: "number", autoIncrement: true }).createIndex("collection", "collection");
  made.createObjectStore("sent", { keyPath: "n", autoIncrement: true });
  made.createObjectStore("studies", { keyPath: "id" });
  made.createObjectStore("answers", { keyPath: "n", autoIncrement: true }).createIndex("study", "study");
}

function indexAddresses(made: IDBDatabase, events: IDBObjectStore): void {
  events.createIndex("url", "url");
  events.createIndex("target", "target");
  made.createObjectStore("postings"); // by [block, token], postings.ts
}

/** A log of version 1 had an index of words in the browser's own way; one of version 2 knew no words of results. */
async function indexAnew(made: IDBDatabase, transaction: IDBTransaction, before: number): Promise<void> {
  const events = transaction.objectStore("events");
  if (before === 1) {
    events.deleteIndex("words");
    indexAddresses(made, events);
  }
  const postings = transaction.objectStore("postings");
  postings.clear();
  await post(postings, await done(events.getAll()));
}

/** Empties everything at once: what follows may be cut off, this is done or not. */
export async function emptyDatabase(): Promise<void> {
  const names = [...(await database()).objectStoreNames];
  await transact(names, "readwrite", (store) => names.forEach((name) => store(name).clear()));
}

export type Mode = "readonly" | "readwrite";

/** Runs one transaction; its result is returned once everything is on disk. Only requests of this transaction may be awaited inside. */
export async function transact<T>(stores: readonly string[], mode: Mode, work: (store: (name: string) => IDBObjectStore) => Promise<T> | T): Promise<T> {
  const transaction = (await database()).transaction(stores, mode, { durability: mode === "readwrite" ? "strict" : "default" });
  const finished = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Told("told_disk"));
  });
  finished.catch(() => undefined); // it is awaited below, unless the work itself fails first
  let result: T;
  try {
    result = await work((name) => transaction.objectStore(name));
    await finished;
  } catch (error) {
    if (transaction.error === null) abort(transaction);
    throw isFull(error) ? new Told("told_full") : error;
  }
  return result;
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it was over already
  }
}
