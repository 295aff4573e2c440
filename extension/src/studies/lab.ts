/** A task-based lab study: which task she is at, when it began, and what is counted when it ends. It is on disk at every moment, so that a closed page loses nothing. */

import { systemRandomness } from "../../lib/bytes.ts";
import { shuffled } from "../../lib/choice.ts";
import { eventsOf } from "../store/events.ts";
import { readState, writeState } from "../store/state.ts";
import { stateOf } from "./installed.ts";
import { latinSquare } from "./latin-square.ts";
import type { Lab } from "./study.ts";

export interface LabState {
  /** The number that chose the row of a Latin square. */
  readonly person: number;
  readonly order: readonly number[];
  /** How many tasks are done. */
  readonly place: number;
  /** Of the task she is at: engines in the order they are shown, answers given before it, when it began and ended. */
  readonly engines: readonly string[];
  readonly before?: Readonly<Record<string, string>>;
  readonly started?: number;
  readonly ended?: number;
}

const name = (study: string, step: number): string => stateOf(study, `lab ${step}`);

export function labState(study: string, step: number): Promise<LabState | undefined> {
  return readState<LabState | undefined>(name(study, step), undefined);
}

export function saveLabState(study: string, step: number, state: LabState): Promise<void> {
  return writeState(name(study, step), state);
}

/** `person`: from 1 on, as the experimenter says. */
export function begun({ order, tasks, engines }: Lab, person: number): LabState {
  const written = [...tasks.keys()];
  const square = latinSquare(tasks.length);
  const orders = { "as-written": written, random: shuffled(written, systemRandomness), "latin-square": square[(person - 1) % square.length] ?? written };
  return { person, order: orders[order], place: 0, engines: shuffled(engines, systemRandomness) };
}

/** The next task; engines are shown in a new order. */
export function nextTask({ person, order, place, engines }: LabState): LabState {
  return { person, order, place: place + 1, engines: shuffled(engines, systemRandomness) };
}

/** Numbers of a task that has ended; no query is among them. */
export async function countsOf({ person, place, started = 0, ended = 0 }: LabState): Promise<Record<string, number>> {
  const during = (await eventsOf(["search", "result-click"], started)).filter(({ time }) => time <= ended);
  const of = (kind: string): number => during.filter((event) => event.kind === kind).length;
  return { person, place: place + 1, seconds: Math.round((ended - started) / 1000), searches: of("search"), results_opened: of("result-click") };
}
