/** Whether searches are being logged now: by her switch, and by what the browser lets be seen. */

import { isLogging } from "../content/record.ts";
import { type Blocked, blockedEngines } from "../engines/allowed.ts";
import { hasStarted } from "./switch.ts";

/** Names of sentences. Where the browser lets no engine be seen no search is logged, whatever the switch says. */
export type State = "icon_on" | "icon_some" | "icon_full" | "icon_none" | "icon_off" | "icon_new";

const PICTURES: Readonly<Partial<Record<State, string>>> = { icon_on: "on", icon_some: "some", icon_full: "some" };
const WAITS = "waits";

export interface Logging {
  readonly state: State;
  /** Whether the switch is on. */
  readonly on: boolean;
  readonly blocked: Blocked;
  readonly picture: string;
}

export async function loggingNow(): Promise<Logging> {
  const [on, started, blocked, waits] = await Promise.all([isLogging(), hasStarted(), blockedEngines(), logWaits()]);
  const state = stateOf(on, started, { ...blocked, waits });
  return { state, on, blocked, picture: PICTURES[state] ?? "off" };
}

export function stateOf(on: boolean, started: boolean, { names, all, waits = false }: Pick<Blocked, "names" | "all"> & { readonly waits?: boolean }): State {
  if (!on) return started ? "icon_off" : "icon_new";
  if (waits) return "icon_full";
  return all ? "icon_none" : names.length > 0 ? "icon_some" : "icon_on";
}

/** Whether what was seen could not be taken into the log when it was last tried. */
async function logWaits(): Promise<boolean> {
  return WAITS in (await chrome.storage.session.get(WAITS));
}

/** Returns whether this is new. */
export async function noteWaits(waits: boolean): Promise<boolean> {
  if (waits === (await logWaits())) return false;
  await (waits ? chrome.storage.session.set({ [WAITS]: true }) : chrome.storage.session.remove(WAITS));
  return true;
}
