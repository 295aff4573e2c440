/** What was sent and when: a line for each request that left, the newest ones. */

import { transact } from "./database.ts";
import { done } from "./request.ts";

export interface Sent {
  readonly n?: number;
  readonly time: number;
  readonly method: string;
  readonly origin: string;
  readonly bytes: number;
  /** The words under which she allowed it. */
  readonly why: string;
  /** So many alike, one after the other; `time` is the last one's. */
  readonly times?: number;
}

export const MOST_SENT = 1000; // lines that are kept

/** The oldest first. */
export function sentLines(): Promise<Sent[]> {
  return transact(["sent"], "readonly", (store) => done(store("sent").getAll())) as Promise<Sent[]>;
}

export async function writeDown(line: Sent): Promise<void> {
  await transact(["sent"], "readwrite", async (store) => {
    const last = (await done(store("sent").openCursor(null, "prev")))?.value as Sent | undefined;
    if (last && last.method === line.method && last.origin === line.origin && last.bytes === line.bytes && last.why === line.why && sameDay(last.time, line.time)) {
      store("sent").put({ ...last, time: line.time, times: (last.times ?? 1) + 1 });
      return;
    }
    const n = (await done(store("sent").add(line))) as number;
    store("sent").delete(IDBKeyRange.upperBound(n - MOST_SENT));
  });
}

function sameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
