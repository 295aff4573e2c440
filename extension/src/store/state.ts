/** Single values by name: the table of open tabs, preferences of apps, the time of the last look at a catalogue. */

import { transact } from "./database.ts";
import { done } from "./request.ts";

export function readState<T>(name: string, otherwise: T): Promise<T> {
  return transact(["state"], "readonly", async (store) => ((await done(store("state").get(name))) as T | undefined) ?? otherwise);
}

export function writeState(name: string, value: unknown): Promise<void> {
  return transact(["state"], "readwrite", (store) => {
    store("state").put(value, name);
  });
}
