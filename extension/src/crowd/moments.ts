/** When reports leave: each at a moment of its own, drawn over the upload window. */

import type { UploadWindow } from "./participate.ts";

const LAST_SECONDS = 600; // at most, at the end of the window, that no report is drawn for
export const LATE_SECONDS = 120; // an alarm comes each minute: before the window ends there must be time for two

interface Due {
  readonly due: number; // the share of the time after which it leaves
}

/** Over how many seconds moments are spread: the end is left for what must be tried again. A window in which that leaves nothing is one moment. */
export function spread({ opens, ends }: UploadWindow): number {
  const length = Math.max(0, ends - opens);
  return length - Math.min(length, Math.max(LATE_SECONDS, Math.min(length / 10, LAST_SECONDS)));
}

export function momentOf({ due }: Due, window: UploadWindow): number {
  return window.opens + due * spread(window);
}

/** The share of the time after which a report leaves that gets a new moment now; `share` is uniform. */
export function dueAnew(share: number, window: UploadWindow, now: number): number {
  const moment = now + share * spread({ opens: now, ends: window.ends });
  return (moment - window.opens) / Math.max(1, spread(window));
}

/** Reports whose moment passed long ago, while the browser was closed: where there is time they get new moments, so that they do not leave together. */
export function overdue<T extends Due>(items: readonly T[], window: UploadWindow, now: number): T[] {
  return spread({ opens: now, ends: window.ends }) > 0 ? items.filter((item) => isLate(item, window, now)) : [];
}

/** What leaves now, in order. Of what is long overdue when there is no time left to spread it one report leaves at a look: together they would be a crowd of one person. */
export function leaving<T extends Due>(items: readonly T[], window: UploadWindow, now: number): T[] {
  const due = items.filter((item) => momentOf(item, window) <= now).sort((a, b) => a.due - b.due);
  const late = due.filter((item) => isLate(item, window, now));
  return [...late.slice(0, 1), ...due.slice(late.length)];
}

function isLate(item: Due, window: UploadWindow, now: number): boolean {
  return momentOf(item, window) < now - LATE_SECONDS;
}
