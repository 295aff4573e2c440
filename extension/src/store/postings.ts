/** The index of the log: for each block of neighbouring events and each token, the places in the block that hold it. A search reads blocks from the newest on
 *  and stops when a page is full, so that a word that every event holds costs no more than a rare one. Kinds and days are tokens too. */

import { type Kind, type LogEvent, wordsOf } from "../log/events.ts";
import { done } from "./request.ts";

const BLOCK = 2048; // events
const WAVE = 8; // blocks asked for at once
const LAST = "\uffff";
const DAY = 24 * 3600 * 1000;

type Range = readonly [first: string, last: string];

/** What an event must hold: of each group at least one token that lies in one of the ranges. */
export type Asked = readonly (readonly Range[])[];

interface Numbered extends LogEvent {
  readonly n: number;
}

// Words consist of letters and digits, so these are no words.
const REPLAYED = ":replayed";
const kindToken = (kind: Kind): string => `:kind ${kind}`;
const dayToken = (time: number): string => `:day ${String(Math.floor(time / DAY)).padStart(9, "0")}`;

/** A word by its beginning. */
export function beginning(word: string): Range[] {
  return [[word, word + LAST]];
}

export function ofKinds(kinds: readonly Kind[]): Range[] {
  return kinds.map((kind) => [kindToken(kind), kindToken(kind)]);
}

/** What the simulator wrote. */
export function ofReplays(): Range[] {
  return [[REPLAYED, REPLAYED]];
}

/** Whole days; who wants hours looks at the events. */
export function ofDays(from: number, until: number): Range[] {
  return [[dayToken(Math.max(0, from)), Number.isFinite(until) ? dayToken(until) : ":day " + LAST]];
}

/** Adds events, which are in the log already, to the index. */
export async function post(postings: IDBObjectStore, events: readonly Numbered[]): Promise<void> {
  const fresh = new Map<string, { key: [number, string]; places: number[] }>();
  for (const event of events) {
    const block = Math.floor(event.n / BLOCK);
    const marks = event.replay === undefined ? [] : [REPLAYED];
    for (const token of new Set([...wordsOf(event), kindToken(event.kind), dayToken(event.time), ...marks])) {
      const name = `${block} ${token}`;
      const entry = fresh.get(name) ?? { key: [block, token], places: [] };
      entry.places.push(event.n % BLOCK);
      fresh.set(name, entry);
    }
  }
  await Promise.all([...fresh.values()].map(async ({ key, places }) => {
    const before = (await done(postings.get(key))) as Uint16Array | undefined;
    postings.put(Uint16Array.from([...(before ?? []), ...places]), key);
  }));
}

/** Takes events out of the index. */
export async function unpost(postings: IDBObjectStore, numbers: Iterable<number>): Promise<void> {
  const gone = new Map<number, Set<number>>();
  for (const n of numbers) {
    const block = Math.floor(n / BLOCK);
    gone.set(block, (gone.get(block) ?? new Set()).add(n % BLOCK));
  }
  for (const [block, places] of gone) {
    const whole = IDBKeyRange.bound([block, ""], [block, LAST]);
    const [keys, lists] = await Promise.all([done(postings.getAllKeys(whole)), done(postings.getAll(whole)) as Promise<Uint16Array[]>]);
    keys.forEach((key, i) => {
      const before = lists[i] as Uint16Array;
      const left = before.filter((place) => !places.has(place));
      if (left.length === 0) postings.delete(key);
      else if (left.length < before.length) postings.put(left, key);
    });
  }
}

/** Numbers of the events that hold what is asked, newest first, block by block. */
export async function* found(postings: IDBObjectStore, newest: number, asked: Asked): AsyncGenerator<number[]> {
  for (let block = Math.floor(newest / BLOCK); block >= 0; block -= WAVE) {
    const wave = Array.from({ length: Math.min(WAVE, block + 1) }, (_x, i) => block - i);
    for (const numbers of await Promise.all(wave.map((one) => inBlock(postings, one, asked)))) yield numbers;
  }
}

async function inBlock(postings: IDBObjectStore, block: number, asked: Asked): Promise<number[]> {
  const held = new Uint8Array(BLOCK); // how many of the groups so far an event fits
  const groups = await Promise.all(asked.map((ranges) => Promise.all(ranges.map(([first, last]) => done(postings.getAll(IDBKeyRange.bound([block, first], [block, last])))))));
  groups.forEach((group, i) => {
    for (const places of group.flat() as Uint16Array[]) for (const place of places) if (held[place] === i) held[place] = i + 1;
  });
  const numbers: number[] = [];
  for (let place = BLOCK - 1; place >= 0; place--) if (held[place] === asked.length) numbers.push(block * BLOCK + place);
  return numbers;
}
