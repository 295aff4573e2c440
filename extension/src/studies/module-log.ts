/** Developer mode: what studies did and why, line by line, on this computer alone. No line holds a query or an answer. */

import { done } from "../store/request.ts";
import { transact } from "../store/database.ts";
import { readState, writeState } from "../store/state.ts";

const MODE = "developer";
const LINES = "module-log";
const MOST = 500;

export interface Line {
  readonly time: number;
  readonly study: string;
  readonly what: string;
}

export function developerMode(): Promise<boolean> {
  return readState<boolean>(MODE, false);
}

/** Turning it off forgets the log. */
export async function setDeveloperMode(on: boolean): Promise<void> {
  await writeState(MODE, on);
  if (!on) await writeState(LINES, []);
}

export function moduleLog(): Promise<Line[]> {
  return readState<Line[]>(LINES, []);
}

/** Writes a line if developer mode is on. */
export async function noteModule(study: string, what: string): Promise<void> {
  await transact(["state"], "readwrite", async (store) => {
    if ((await done(store("state").get(MODE))) !== true) return;
    const lines = ((await done(store("state").get(LINES))) as Line[] | undefined) ?? [];
    store("state").put([...lines, { time: Date.now(), study, what }].slice(-MOST), LINES);
  });
}
