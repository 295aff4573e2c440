/** Whether searches are being logged now: by her switch, and by what the browser lets be seen. */

import { isLogging } from "../content/record.ts";
import { type Blocked, blockedEngines } from "../engines/allowed.ts";
import { hasStarted } from "./switch.ts";

/** Names of sentences. Where the browser lets no engine be seen no search is logged, whatever the switch says. */
export type State = "icon_on" | "icon_some" | "icon_none" | "icon_off" | "icon_new";

const PICTURES: Readonly<Partial<Record<State, string>>> = { icon_on: "on", icon_some: "some" };

export interface Logging {
  readonly state: State;
  /** Whether the switch is on. */
  readonly on: boolean;
  readonly blocked: Blocked;
  readonly picture: string;
}

export async function loggingNow(): Promise<Logging> {
  const [on, started, blocked] = await Promise.all([isLogging(), hasStarted(), blockedEngines()]);
  const state = stateOf(on, started, blocked);
  return { state, on, blocked, picture: PICTURES[state] ?? "off" };
}

export function stateOf(on: boolean, started: boolean, { names, all }: Pick<Blocked, "names" | "all">): State {
  if (!on) return started ? "icon_off" : "icon_new";
  return all ? "icon_none" : names.length > 0 ? "icon_some" : "icon_on";
}
