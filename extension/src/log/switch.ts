/** Logging on and off: one write holds the switch and the event that tells of it. */

import { Told } from "../../lib/told.ts";
import { isLogging, JOURNAL, LOGGING } from "../content/record.ts";
import { newUid } from "./events.ts";

function eventOf(uid: string, on: boolean): Record<string, unknown> {
  return { [JOURNAL + uid]: { uid, time: Date.now(), kind: "logging", on } };
}

/** Whether she has started logging on the welcome page, which says what is logged. The switch is there from then on, on or off. */
export async function hasStarted(): Promise<boolean> {
  return LOGGING in (await chrome.storage.local.get(LOGGING));
}

/** For the welcome page alone. */
export async function startLogging(): Promise<void> {
  if (await isLogging()) return; // nothing happened
  await chrome.storage.local.set({ [LOGGING]: true, ...eventOf(newUid(), true) });
}

/** Pauses logging or goes on with it; it is not begun by this. */
export async function setLogging(on: boolean): Promise<void> {
  if (!(await hasStarted())) throw new Told("told_welcome_first");
  if (on) await startLogging();
  else if (await isLogging()) await chrome.storage.local.set({ [LOGGING]: false, ...eventOf(newUid(), false) });
}

/** That it is on is an event of each start of the browser. What `storage.session` holds lasts until the browser ends: the event's id is
 *  there before the event, so that a stop of the background in between neither loses nor doubles it. */
export async function noteStart(): Promise<void> {
  const { start = newUid(), noted = false } = (await chrome.storage.session.get(["start", "noted"])) as { start?: string; noted?: boolean };
  if (noted) return;
  await chrome.storage.session.set({ start });
  if (await isLogging()) await chrome.storage.local.set(eventOf(start, true));
  await chrome.storage.session.set({ noted: true });
}
