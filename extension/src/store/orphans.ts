/** What is kept elsewhere and tells of the log: questions that wait, answers, searches that she moved between tasks. It goes in the transaction
 *  that deletes what it tells of, so that a page that is closed in between leaves nothing behind. */

import { done } from "./request.ts";

export const WAITING = "questions";
export const ASKED = "asked"; // how often each step asked today
export const LABELS = "task-labels"; // by uids of searches

type Store = (name: string) => IDBObjectStore;

/** Stores that `dropOrphans` needs, for transactions. */
export const TELLING = ["events", "state", "answers"] as const;

/** Whether one of these events is in the log. */
export async function inLog(events: IDBObjectStore, uids: readonly string[]): Promise<boolean> {
  const keys = await Promise.all(uids.map((uid) => done(events.index("uid").getKey(uid))));
  return keys.some((key) => key !== undefined);
}

/** Deletes questions about events that are gone, answers of whose events none is left, and labels of searches that are gone; in an open
 *  transaction over `TELLING`. */
export async function dropOrphans(store: Store): Promise<void> {
  const waiting = ((await done(store("state").get(WAITING))) as { about: string }[] | undefined) ?? [];
  const asked = await Promise.all(waiting.map(({ about }) => inLog(store("events"), [about])));
  if (asked.includes(false)) store("state").put(waiting.filter((_one, i) => asked[i]), WAITING);
  const answers = (await done(store("answers").getAll())) as { n: number; of?: readonly string[] }[];
  for (const { n, of } of answers) {
    if (of !== undefined && !(await inLog(store("events"), of))) store("answers").delete(n);
  }
  const labels = Object.entries(((await done(store("state").get(LABELS))) as Record<string, number> | undefined) ?? {});
  const labelled = await Promise.all(labels.map(([uid]) => inLog(store("events"), [uid])));
  if (labelled.includes(false)) store("state").put(Object.fromEntries(labels.filter((_one, i) => labelled[i])), LABELS);
  const today = await askedToday(store("state"));
  if (Object.keys(today).length === 0) store("state").delete(ASKED);
  else store("state").put(today, ASKED);
}

/** For each step that asked today the day, once for each question. A time would be that of a search, which may be deleted; without the day a
 *  deletion would begin the limit of a day anew. */
export async function askedToday(state: IDBObjectStore): Promise<Record<string, number[]>> {
  const counts = ((await done(state.get(ASKED))) as Record<string, number[]> | undefined) ?? {};
  const today = dayOf(Date.now());
  const left = Object.entries(counts).map(([place, days]) => [place, days.filter((day) => day >= today).map(dayOf)] as const);
  return Object.fromEntries(left.filter(([, days]) => days.length > 0));
}

/** The first moment of the day, by her clock. */
export function dayOf(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}
