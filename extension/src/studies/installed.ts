/** Studies she takes part in, her answers, and questions that wait for one. */

import { transact } from "../store/database.ts";
import { ASKED, inLog, WAITING } from "../store/orphans.ts";
import { done } from "../store/request.ts";
import { isOver, isRunning, type Study } from "./study.ts";

export interface Installed {
  readonly id: string;
  readonly study: Study;
  /** Who signed it; "" for one that came with the extension, UNSIGNED for one of developer mode. */
  readonly signing: string;
  readonly agreed: number;
  /** When she agreed, once more, to the upload in the clear. */
  readonly clear?: number;
  /** She does not want to be asked for the time being. */
  readonly paused?: boolean;
}

export interface Answer {
  readonly n?: number;
  readonly study: string;
  readonly step: number;
  readonly time: number;
  /** The text that was asked about. */
  readonly about: string;
  /** Uids of the events of the log that it tells of: it goes with the last of them. */
  readonly of?: readonly string[];
  readonly values: Readonly<Record<string, string | number>>;
  readonly sent?: number;
}

/** A question that waits; its name keeps it from being asked twice. */
export interface Waiting {
  readonly name: string;
  readonly study: string;
  readonly step: number;
  readonly time: number;
  /** The uid of the search that it asks about. */
  readonly about: string;
  readonly text: string;
  readonly features?: Readonly<Record<string, number>>;
}

export { ASKED, WAITING };
export const UNASKED = "unasked"; // uids of searches that studies have not been told of
export const UNSIGNED = "unsigned"; // nothing of such a study leaves the computer

/** The name of a value that goes when its study goes. */
export function stateOf(study: string, what: string): string {
  return `study ${study} ${what}`;
}

export function installed(): Promise<Installed[]> {
  return transact(["studies"], "readonly", (store) => done(store("studies").getAll())) as Promise<Installed[]>;
}

/** A study asks on its days, and not while she has paused it; what she answered can be read, saved and deleted at any time. */
export function asksNow({ study, paused }: Installed): boolean {
  return paused !== true && isRunning(study);
}

/** The bins of the feature vectors that a study she takes part in asks for in this collection. */
export async function vectorsFor(collection: string): Promise<"bin1" | "bin2" | undefined> {
  const steps = (await installed()).filter((one) => asksNow(one) && one.signing !== UNSIGNED).flatMap(({ study }) => study.steps);
  return steps.flatMap((step) => (step.do === "join-collection" && step.collection === collection && step.vectors ? [step.vectors] : []))[0];
}

export function saveStudy(one: Installed): Promise<void> {
  return transact(["studies"], "readwrite", (store) => void store("studies").put(one));
}

/** Ends her part in a study: its answers and waiting questions go with it. */
export function removeStudy(id: string): Promise<void> {
  return transact(["studies", "answers", "state"], "readwrite", async (store) => {
    store("studies").delete(id);
    store("state").delete(IDBKeyRange.bound(stateOf(id, ""), stateOf(id, "\uffff")));
    for (const key of await done(store("answers").index("study").getAllKeys(id))) store("answers").delete(key);
    const waiting = ((await done(store("state").get(WAITING))) as Waiting[] | undefined) ?? [];
    store("state").put(waiting.filter((one) => one.study !== id), WAITING);
    const times = ((await done(store("state").get(ASKED))) as Record<string, number[]> | undefined) ?? {};
    store("state").put(Object.fromEntries(Object.entries(times).filter(([place]) => !place.startsWith(`${id} `))), ASKED);
  });
}

export function answersOf(study: string): Promise<Answer[]> {
  return transact(["answers"], "readonly", (store) => done(store("answers").index("study").getAll(study))) as Promise<Answer[]>;
}

/** Keeps an answer, and takes its question away if there was one. False, and nothing is kept, if she has deleted meanwhile what it tells of. */
export function keepAnswer(answer: Answer, question?: Waiting): Promise<boolean> {
  return transact(["events", "answers", "state"], "readwrite", async (store) => {
    if (answer.of !== undefined && !(await inLog(store("events"), answer.of))) return false;
    store("answers").put(answer);
    if (!question) return true;
    const waiting = ((await done(store("state").get(WAITING))) as Waiting[] | undefined) ?? [];
    store("state").put(waiting.filter((one) => one.name !== question.name), WAITING);
    return true;
  });
}

export function dismiss(question: Waiting): Promise<void> {
  return transact(["state"], "readwrite", async (store) => {
    const waiting = ((await done(store("state").get(WAITING))) as Waiting[] | undefined) ?? [];
    store("state").put(waiting.filter((one) => one.name !== question.name), WAITING);
  });
}

export function deleteAnswer(n: number): Promise<void> {
  return transact(["answers"], "readwrite", (store) => void store("answers").delete(n));
}

/** Those of studies that ask now. */
export function waitingQuestions(): Promise<Waiting[]> {
  return transact(["studies", "state"], "readwrite", async (store) => {
    const { waiting, asking } = await standing(store);
    return waiting.filter(({ study }) => asking.has(study));
  });
}

/** What waits, and the studies that ask now; in an open transaction over studies and state. Questions of a study that is over go: nobody can
 *  answer or skip them any more, and each holds what she searched for. Those of a paused one stay for when she goes on. */
export async function standing(store: (name: string) => IDBObjectStore): Promise<{ waiting: Waiting[]; asking: Set<string> }> {
  const studies = (await done(store("studies").getAll())) as Installed[];
  const going = new Set(studies.filter(({ study }) => !isOver(study)).map(({ id }) => id));
  const before = ((await done(store("state").get(WAITING))) as Waiting[] | undefined) ?? [];
  const waiting = before.filter(({ study }) => going.has(study));
  if (waiting.length < before.length) store("state").put(waiting, WAITING);
  return { waiting, asking: new Set(studies.filter(asksNow).map(({ id }) => id)) };
}
