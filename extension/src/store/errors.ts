/** Where something went wrong, for a report that she may write: names of errors and places in our own files. What an error says is not
 *  kept, because a browser's own sentences can hold what she searched for. */

import { readState, writeState } from "./state.ts";

const STATE = "errors";
const MOST = 20;
const PLACES = 5; // of the stack

export interface KeptError {
  readonly time: number;
  readonly page: string;
  readonly what: string;
}

export function keptErrors(): Promise<KeptError[]> {
  return readState<KeptError[]>(STATE, []);
}

export function forgetErrors(): Promise<void> {
  return writeState(STATE, []);
}

/** Never fails: a failure to keep one would be kept, without end, where the disk is full. */
export async function keepError(page: string, error: unknown): Promise<void> {
  const what = described(error, chrome.runtime.getURL(""));
  await keptErrors().then((before) => writeState(STATE, [...before, { time: Date.now(), page, what }].slice(-MOST))).catch(() => undefined);
}

/** The error's kind and the places of our own files (under `base`) that it passed. */
export function described(error: unknown, base: string): string {
  if (!(error instanceof Error)) return typeof error;
  const places = (error.stack ?? "").split(base).slice(1).flatMap((part) => /^[\w-]+\.js:\d+:\d+/.exec(part)?.[0] ?? []);
  const name = /^\w{1,40}$/.test(error.name) ? error.name : "Error";
  return [name, ...places.slice(0, PLACES)].join(" < ");
}
